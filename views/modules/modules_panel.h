// SPDX-License-Identifier: BSD-3-Clause
//
// The graph of side A or B as a tree of modules, source lines and nodes, with a filter: where to find a node
// by its place in the model. Selecting a row selects its node, and the other way round.
#pragma once

#include "views/base/panel.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only. The tree is made on the TaskRunner (tag "modules").
class ModulesPanel : public Panel {
    Q_OBJECT
public:
    ModulesPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~ModulesPanel() override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
