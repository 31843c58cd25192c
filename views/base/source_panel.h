// SPDX-License-Identifier: BSD-3-Clause
//
// The user's program: which lines made the selected node, how many nodes each line made, where the graph
// broke, and what each line took in the capture's profile.
#pragma once

#include "views/base/code_panel.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only. Files are read on the TaskRunner (tag "source"), times of
/// the capture's profile too ("source.times").
class SourcePanel : public CodePanel {
    Q_OBJECT
public:
    SourcePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~SourcePanel() override;

    /// Asks what became of the line of the caret, in every compile; false where there is none.
    bool traceCaret();

public slots:
    void showLine(const QString& file, int line);

protected:
    void refresh() override;

private:
    void selectNodesOf(int lineNumber);
    void traceLine(int lineNumber);
    [[nodiscard]] int numberOf(int line) const; ///< of a line of the document; 0 where it has none
    void askTimes();
    void followSubject();
    void mark();

    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
