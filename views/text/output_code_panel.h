// SPDX-License-Identifier: BSD-3-Clause
//
// The code that Inductor generated: kernels to jump to, comments that link to the nodes they name.
#pragma once

#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only.
class OutputCodePanel : public Panel {
    Q_OBJECT
public:
    OutputCodePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~OutputCodePanel() override;

    void focusFilter() override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
