// SPDX-License-Identifier: BSD-3-Clause
//
// What was compiled again: the guard that failed with both values, the entries that were asked, the guards of
// the entry beside those of the compile that took its place, what it cost and what to do.
#pragma once

#include "views/base/panel.h"
#include "views/workspace/page_spec.h"

#include <memory>

namespace dynascope::views {

class CodeView;
class FactView;
class RowTable;

/// GUI thread only.
class RecompilesPage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Recompiles;
    RecompilesPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~RecompilesPage() override;

public slots:
    bool exportTo(const QString& path); ///< CSV; false where it could not be written

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    void buildFigures();
    void buildList();
    void buildDetails();
    void read();
    void askRuns();
    void showFigures();
    void fillList();
    void showRecompile(int compile);
    void compareGuards();
    void showSource();
    void showRaw();
    void showGuards(int compile);
    void follow(const QString& target);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec recompilesPageSpec();

} // namespace dynascope::views
