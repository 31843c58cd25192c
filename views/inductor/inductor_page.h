// SPDX-License-Identifier: BSD-3-Clause
//
// What Inductor's passes did to the graphs of a compile: the list of passes, the graph before and after each, the
// patterns that fitted, and who made or removed a node.
#pragma once

#include "core/inductor/compile_passes.h"
#include "views/dynamo/step_commands.h"
#include "views/models/page_spec.h"
#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

class CompareView;
class FactView;
class RowTable;

/// The graphs between passes are shown by a workspace of the page's own, whose one compile has them for its stages.
/// GUI thread only.
class InductorPage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Inductor;
    InductorPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~InductorPage() override;

    [[nodiscard]] RowTable* table() const;
    [[nodiscard]] RowTable* matches() const;
    [[nodiscard]] RowTable* kernels() const;
    [[nodiscard]] RowTable* fusions() const;
    [[nodiscard]] CompareView* canvases() const;
    [[nodiscard]] FactView* detail() const;
    /// The workspace of the graphs between passes.
    [[nodiscard]] Workspace& graphs() const;
    /// Into CompilePasses::rows; -1 while nothing is shown.
    [[nodiscard]] int row() const;

    /// Moves to another pass, as the window's actions for steps ask: In and Out go by what runs within a pass, Run and
    /// BackRun to passes that changed a graph.
    void run(StepCommand command);
    [[nodiscard]] bool canRun(StepCommand command) const;

    [[nodiscard]] bool isSettled() const override;
    void applyDefaultSizes(int windowWidth) override;

public slots:
    bool exportTo(const QString& path); ///< CSV; false where it could not be written

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    void build();
    void read();
    void fillList();
    void showPass(int row);
    void showNode();
    void drawChanged();
    void showSchedule();
    void goTo(int row);
    [[nodiscard]] int target(StepCommand command) const; ///< a row; -1 where it leads nowhere
    void follow(const QString& target);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec inductorPageSpec();

} // namespace dynascope::views
