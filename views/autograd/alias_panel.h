// SPDX-License-Identifier: BSD-3-Clause
//
// The alias and mutation table of the current compile: its inputs, its outputs, and the tangents of backward.
#pragma once

#include "views/autograd/compile_panel.h"

#include <memory>

namespace dynascope::views {

class RowTable;

/// GUI thread only. Reads on the TaskRunner (tag "autograd.alias").
class AliasPanel : public CompilePanel {
    Q_OBJECT
public:
    AliasPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~AliasPanel() override;

protected:
    void begin(const session::SessionPtr& session, std::size_t compile) override;
    void forget() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
