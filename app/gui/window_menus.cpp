// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/window_menus.h"

#include "app/gui/settings.h"

#include <QMenu>
#include <QMenuBar>

namespace dynascope::app {

using namespace views;

void WindowMenus::documentKeys() {
    const auto key = [](const char* text) { return QKeySequence(QLatin1String(text)); };
    m_actions->document(Scope::Timeline, key("Right"), tr("Next stage as B"));
    m_actions->document(Scope::Timeline, key("Left"), tr("Previous stage as B"));
    m_actions->document(Scope::Timeline, key("Shift+Right"), tr("Next stage as A"));
    m_actions->document(Scope::Timeline, key("Shift+Left"), tr("Previous stage as A"));
    m_actions->document(Scope::Timeline, key("Home"), tr("First stage as B"));
    m_actions->document(Scope::Timeline, key("End"), tr("Last stage as B"));
    m_actions->document(Scope::FlameChart, key("W"), tr("Zoom in"));
    m_actions->document(Scope::FlameChart, key("S"), tr("Zoom out"));
    m_actions->document(Scope::FlameChart, key("A"), tr("Earlier"));
    m_actions->document(Scope::FlameChart, key("D"), tr("Later"));
    m_actions->document(Scope::FlameChart, key("F"), tr("Zoom to the selected span"));
    m_actions->document(Scope::FlameChart, key("0"), tr("Show all"));
    m_actions->document(Scope::FlameChart, key("N"), tr("Next match of the search"));
    m_actions->document(Scope::FlameChart, key("Return"), tr("Show the stage of the selected span"));
    m_actions->document(Scope::ProfileLanes, key("W"), tr("Zoom in"));
    m_actions->document(Scope::ProfileLanes, key("S"), tr("Zoom out"));
    m_actions->document(Scope::ProfileLanes, key("A"), tr("Earlier"));
    m_actions->document(Scope::ProfileLanes, key("D"), tr("Later"));
    m_actions->document(Scope::ProfileLanes, key("F"), tr("Zoom to the selected event"));
    m_actions->document(Scope::ProfileLanes, key("0"), tr("Show the step"));
    m_actions->document(Scope::ProfileLanes, key("Return"), tr("Show the node of the selected event"));
    m_actions->document(Scope::RecordingTree, key("Right"), tr("Forward one event"));
    m_actions->document(Scope::RecordingTree, key("Left"), tr("Back one event"));
    m_actions->document(Scope::RecordingTree, key("Down"), tr("Next re-record, eager run or error"));
    m_actions->document(Scope::RecordingTree, key("Up"), tr("Previous re-record, eager run or error"));
    m_actions->document(Scope::RecordingTree, key("Ctrl+Return"), tr("Run under trees"));
    m_actions->document(Scope::RecordingTree, key("Ctrl+Space"), tr("Pause the run, or go on"));
    m_actions->document(Scope::RecordingTree, key("Ctrl+F10"), tr("Step a call of the run"));
    m_actions->document(Scope::RecordingTree, key("Ctrl+F5"), tr("Run to the next mark"));
    m_actions->document(Scope::RecordingTree, key("Esc"), tr("Cancel the run"));
    m_actions->document(Scope::RecordingTree, key("PgDown"), tr("Choose the next recording"));
    m_actions->document(Scope::RecordingTree, key("PgUp"), tr("Choose the previous recording"));
    m_actions->document(Scope::RecordingTree, key("Home"), tr("Before the first event"));
    m_actions->document(Scope::RecordingTree, key("End"), tr("After the last event"));
    m_actions->document(Scope::Cut, key("Space"), tr("Next value that crosses the cut"));
    m_actions->document(Scope::Cut, key("Right"), tr("Along the line into backward"));
    m_actions->document(Scope::Cut, key("Left"), tr("Along the line into forward"));
    m_actions->document(Scope::Cut, key("Return"), tr("Show the node in its graph"));
    m_actions->document(Scope::CallingConvention, key("Right"), tr("Next step"));
    m_actions->document(Scope::CallingConvention, key("Left"), tr("Previous step"));
    m_actions->document(Scope::CallingConvention, key("Down"), tr("Next card of the step"));
    m_actions->document(Scope::CallingConvention, key("Up"), tr("Previous card of the step"));
    m_actions->document(Scope::CallingConvention, key("Return"), tr("Show the node in the graph"));
    m_actions->document(Scope::Dynamo, key("Right"), tr("Next step"));
    m_actions->document(Scope::Dynamo, key("Left"), tr("Previous step"));
    m_actions->document(Scope::Dynamo, key("Home"), tr("First step"));
    m_actions->document(Scope::Dynamo, key("End"), tr("Last step"));
    m_actions->document(Scope::Dynamo, key("Ctrl+F10"), tr("Next line"));
    m_actions->document(Scope::Dynamo, key("Ctrl+Shift+F10"), tr("Previous line"));
    m_actions->document(Scope::Dynamo, key("Ctrl+F11"), tr("Back one instruction, into calls"));
    m_actions->document(Scope::Dynamo, key("Ctrl+Shift+F11"), tr("Back to the call of this frame"));
    m_actions->document(Scope::Dynamo, key("F9"), tr("Breakpoint at this line"));
    m_actions->document(Scope::List, key("/"), tr("Filter"));
    m_actions->document(Scope::List, key("Return"), tr("Open the row"));
    m_actions->document(Scope::List, key("Ctrl+Space"), tr("Complete, in a filter field"));
    m_actions->document(Scope::Palette, key("Return"), tr("Open"));
    m_actions->document(Scope::Palette, key("Ctrl+Return"), tr("Open beside, as B"));
    m_actions->document(Scope::Palette, key("Tab"), tr("Narrow to this kind"));
    m_actions->document(Scope::Palette, key("Esc"), tr("Close"));
}

void WindowMenus::rebuild() {
    // Cleared and filled again when the canvas brings its actions.
    const QList<QAction*> bar = m_window.menuBar()->actions();
    QHash<QString, QMenu*> menus;
    for (QAction* action : bar)
        if (QMenu* menu = action->menu()) {
            menus.insert(menu->objectName(), menu);
            for (QMenu* child : menu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly))
                delete child;
            menu->clear();
        }
    const auto menu = [&](const QString& name, const QString& title) {
        if (menus.contains(name)) return;
        QMenu* m = m_window.menuBar()->addMenu(title);
        m->setObjectName(name);
        menus.insert(name, m);
    };
    menu(QStringLiteral("File"), tr("&File"));
    menu(QStringLiteral("Edit"), tr("&Edit"));
    menu(QStringLiteral("View"), tr("&View"));
    menu(QStringLiteral("Go"), tr("&Go"));
    menu(QStringLiteral("Capture"), tr("&Capture"));
    menu(QStringLiteral("Engine"), tr("Eng&ine"));
    menu(QStringLiteral("Window"), tr("Wi&ndow"));
    menu(QStringLiteral("Help"), tr("&Help"));
    for (const ActionRegistry::Entry& entry : m_actions->entries()) {
        if (!entry.action || entry.spec.menu.isEmpty()) continue;
        QMenu* target = menus.value(entry.spec.menu.section(u'/', 0, 0));
        if (const QString sub = entry.spec.menu.section(u'/', 1); !sub.isEmpty()) {
            QMenu* inner = menus.value(entry.spec.menu);
            if (!inner) {
                inner = target->addMenu(sub);
                menus.insert(entry.spec.menu, inner);
            }
            target = inner;
        }
        if (entry.spec.startsGroup) target->addSeparator();
        target->addAction(entry.action);
        if (entry.spec.scope == Scope::Window) m_window.addAction(entry.action);
        if (entry.spec.id == QLatin1String("file.paste")) {
            QMenu* recent = target->addMenu(tr("Open recent"));
            connect(recent, &QMenu::aboutToShow, this, [this, recent] {
                recent->clear();
                const QStringList files = m_settings.recentFiles();
                for (const QString& path : files)
                    recent->addAction(QString(path).replace(u'&', QStringLiteral("&&")), this,
                                      [this, path] { emit pathChosen(path); });
                if (files.isEmpty()) {
                    recent->addAction(tr("Nothing was opened yet"))->setEnabled(false);
                    return;
                }
                recent->addSeparator();
                recent->addAction(tr("Clear this list"), this, [this] { m_settings.clearRecentFiles(); });
            });
        }
    }
}

void WindowMenus::refreshIcons() {
    for (const ActionRegistry::Entry& entry : m_actions->entries()) {
        if (!entry.action) continue;
        if (!entry.spec.icon.isEmpty()) entry.action->setIcon(m_theme.icon(entry.spec.icon));
        entry.action->setIconVisibleInMenu(false);
    }
}

} // namespace dynascope::app
