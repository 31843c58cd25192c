// SPDX-License-Identifier: BSD-3-Clause
//
// The selected node, else the compile, else the capture: everything known about it, in sections that fold.
#pragma once

#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only.
class InspectorPanel : public Panel {
    Q_OBJECT
public:
    InspectorPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~InspectorPanel() override;

    void focusFilter() override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
