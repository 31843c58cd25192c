// SPDX-License-Identifier: BSD-3-Clause
//
// A compile's bytecode before and after Dynamo, side by side for each code object.
#pragma once

#include "core/session/session.h"
#include "views/base/code_panel.h"

#include <memory>

namespace dynascope::views {

/// Why a capture has no bytecode of a compile, and what brings it.
[[nodiscard]] QString noBytecodeText(const session::Session& session, const session::Compile& compile);

/// GUI thread only. The texts are compared on the TaskRunner (tag "bytecode").
class BytecodePanel : public CodePanel {
    Q_OBJECT
public:
    BytecodePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~BytecodePanel() override;

protected:
    void refresh() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
