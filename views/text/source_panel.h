// SPDX-License-Identifier: BSD-3-Clause
//
// The user's program: which lines made the selected node, how many nodes each line made, and where the graph
// broke.
#pragma once

#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

class CodeView;

/// GUI thread only. Files are read on the TaskRunner (tag "source").
class SourcePanel : public Panel {
    Q_OBJECT
public:
    SourcePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~SourcePanel() override;

    void focusFilter() override;
    [[nodiscard]] CodeView* view() const;

public slots:
    void showLine(const QString& file, int line);

protected:
    void refresh() override;

private:
    void selectNodesOf(int lineNumber);
    void mark();

    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
