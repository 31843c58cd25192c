// SPDX-License-Identifier: BSD-3-Clause
//
// A compile's bytecode before and after Dynamo, side by side for each code object.
#pragma once

#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only.
class BytecodePanel : public Panel {
    Q_OBJECT
public:
    BytecodePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~BytecodePanel() override;

    void focusFilter() override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
