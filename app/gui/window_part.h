// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of the window that do one thing each have in common.
#pragma once

#include "app/gui/action_registry.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QMainWindow>
#include <QObject>

namespace dynascope::app {

class MessageBar;
class Settings;
class WindowPages;

/// Owned by the window, and gone before it. GUI thread only.
class WindowPart : public QObject {
    Q_OBJECT
public:
    /// What all of them may use; it outlives them.
    struct Shared {
        QMainWindow& window;
        views::Workspace& workspace;
        views::Theme& theme;
        Settings& settings;
        ActionRegistry& actions;
        MessageBar& message;
    };
    explicit WindowPart(const Shared& shared)
        : QObject(&shared.window)
        , m_window(shared.window)
        , m_workspace(shared.workspace)
        , m_theme(shared.theme)
        , m_settings(shared.settings)
        , m_actions(&shared.actions)
        , m_message(&shared.message) {}

signals:
    void changed(); ///< what can be done now is another: actions are to be enabled anew

protected:
    QMainWindow& m_window;
    views::Workspace& m_workspace;
    views::Theme& m_theme;
    Settings& m_settings;
    ActionRegistry* m_actions;
    MessageBar* m_message;
};

} // namespace dynascope::app
