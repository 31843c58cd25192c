// SPDX-License-Identifier: BSD-3-Clause
//
// A compile's input tensors, the storages that they share, and the symbols of their shapes.
#pragma once

#include "views/base/panel.h"

#include <memory>

class QLineEdit;
class QTableView;

namespace dynascope::views {

class StorageStrip;

/// GUI thread only.
class InputsPanel : public Panel {
    Q_OBJECT
public:
    InputsPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~InputsPanel() override;

protected:
    void refresh() override;
    void restyle() override;
    bool eventFilter(QObject* watched, QEvent* event) override; ///< of the table's viewport: its size

private:
    void fitColumns();
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
