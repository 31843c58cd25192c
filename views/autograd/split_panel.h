// SPDX-License-Identifier: BSD-3-Clause
//
// The joint graph of the current compile cut into forward and backward, and what is saved between them.
#pragma once

#include "views/autograd/compile_panel.h"

#include <memory>

namespace dynascope::computed {
struct JointSplit;
}

namespace dynascope::views {

class CutView;
class FactView;
class RowTable;

/// GUI thread only. Splits on the TaskRunner (tag "autograd.split").
class SplitPanel : public CompilePanel {
    Q_OBJECT
public:
    SplitPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~SplitPanel() override;

    [[nodiscard]] CutView* cut() const;
    [[nodiscard]] RowTable* values() const;
    [[nodiscard]] const computed::JointSplit* split() const; ///< null until there is one
    void applyDefaultSizes(int windowWidth);

protected:
    void begin(const session::SessionPtr& session, std::size_t compile) override;
    void showAgain() override;
    void forget() override;

private:
    struct Private;
    void showSplit(std::shared_ptr<const computed::JointSplit> split);
    void showFigures();
    void showValue(int value);
    void goToValue(int value, bool line);
    void goToRow(bool forward, int row);
    void follow(const QString& target);
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
