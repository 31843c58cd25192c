// SPDX-License-Identifier: BSD-3-Clause
//
// The plugins that the engine found: what each brought, whose it is, and why one is not loaded.
#pragma once

#include "core/engine/client/plugin_list.h"
#include "views/engine/engine.h"
#include "views/theme/theme.h"

#include <QDialog>

class QLabel;
class QPushButton;

namespace dynascope::views {

class RowTable;

/// Asks the engine when it is made; a newer answer takes the place of an older one. GUI thread only.
class PluginsDialog : public QDialog {
    Q_OBJECT
public:
    PluginsDialog(Engine& engine, Theme& theme, QWidget* parent = nullptr);

    /// Asks anew.
    void refresh();
    void copyAll() const;

private:
    void show(const engine::PluginList& list);

    Engine& m_engine;
    RowTable* m_table;
    QLabel* m_note;
    QPushButton* m_copy;
    QString m_text; ///< of all, for the clipboard
};

} // namespace dynascope::views
