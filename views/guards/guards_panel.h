// SPDX-License-Identifier: BSD-3-Clause
//
// The guard tree of a compile by source: which check, who added it, and which guard failed in a recompile.
#pragma once

#include "views/base/panel.h"

#include <memory>

class QTreeView;
class QLineEdit;

namespace dynascope::views {

/// GUI thread only.
class GuardsPanel : public Panel {
    Q_OBJECT
public:
    GuardsPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~GuardsPanel() override;

protected:
    void refresh() override;
    void restyle() override;
    void resizeEvent(QResizeEvent* event) override;

    bool eventFilter(QObject* watched, QEvent* event) override; ///< of the tree: where it was pressed

private:
    void fitColumns();
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
