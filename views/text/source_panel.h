// SPDX-License-Identifier: BSD-3-Clause
//
// The user's program: which lines made the selected node, and where the graph broke.
#pragma once

#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only.
class SourcePanel : public Panel {
    Q_OBJECT
public:
    SourcePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~SourcePanel() override;

    void focusFilter() override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
