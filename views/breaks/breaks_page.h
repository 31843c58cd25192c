// SPDX-License-Identifier: BSD-3-Clause
//
// Graph breaks grouped by reason and ranked by cost, with the picture of how they cut the frame into graphs.
#pragma once

#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only.
class BreaksPage : public Panel {
    Q_OBJECT
public:
    BreaksPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~BreaksPage() override;

    void focusFilter() override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
