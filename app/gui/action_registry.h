// SPDX-License-Identifier: BSD-3-Clause
//
// Every action of the window, once. Menus, toolbar, palette and the Keyboard page are made from this list.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <functional>
#include <vector>

namespace dynascope::app {

/// Where a key works. Canvas keys may be single letters, since nothing is typed into a canvas.
enum class Scope {
    Window,
    Canvas,
    Timeline,
    FlameChart,
    ProfileLanes,
    RecordingTree,
    Cut,
    CallingConvention,
    Dynamo,
    Palette,
    List
};
[[nodiscard]] QString scopeName(Scope scope);

struct ActionSpec {
    QString id;   ///< stable: "go.nextStage"
    QString text; ///< sentence case; "..." where a dialog follows
    QString menu; ///< "Go", or "View/Theme" for a submenu; empty: in no menu
    QList<QKeySequence> keys;
    QString icon; ///< name for Theme::icon, may be empty
    QString tip;  ///< one sentence; the text where empty
    Scope scope = Scope::Window;
    bool startsGroup = false; ///< a separator goes before it
    bool checkable = false;
};

/// Owned by the main window; GUI thread only.
class ActionRegistry : public QObject {
    Q_OBJECT
public:
    explicit ActionRegistry(QObject* parent = nullptr);

    QAction* add(const ActionSpec& spec, std::function<void()> run);
    /// The same for a checkable action; `run` gets the new state.
    QAction* addToggle(ActionSpec spec, std::function<void(bool)> run);
    /// Enables or disables; `why` is what a disabled action needs, for its tooltip and the palette.
    void setEnabled(const QString& id, bool enabled, const QString& why);
    /// A key that a widget handles itself, listed for the Keyboard page.
    void document(Scope scope, const QKeySequence& key, const QString& text);

    struct Entry {
        ActionSpec spec;
        QAction* action = nullptr; ///< null for documented keys
        QString needs;             ///< what it lacks while it is disabled, where setEnabled() was told
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    [[nodiscard]] QAction* find(const QString& id) const; ///< or null
    void trigger(const QString& id) const;                ///< does nothing for unknown or disabled actions

private:
    std::vector<Entry> m_entries;
};

} // namespace dynascope::app
