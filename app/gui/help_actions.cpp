// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/help_actions.h"

#include "app/gui/about.h"
#include "app/gui/action_specs.h"
#include "app/gui/chrome.h"
#include "app/gui/keyboard_page.h"
#include "app/gui/manual_window.h"
#include "app/gui/pages.h"
#include "app/gui/window_docks.h"
#include "app/gui/window_pages.h"
#include "views/canvas/graph_canvas.h"
#include "views/workspace/page_spec.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTabBar>
#include <QTabWidget>

namespace dynascope::app {

using namespace views;

namespace {

/// Of the panel with this title; no page where the manual has none.
ManualPlace panelPlace(const QString& title) {
    const QString anchor = manualAnchor(QString(title).remove(u'&'));
    const ManualPage* panels = manualPage(QStringLiteral("panels"));
    if (!panels || anchor.isEmpty()) return {};
    const QStringList lines = panels->text.split(u'\n');
    for (const QString& line : lines)
        if (line.startsWith(QLatin1String("## ")) && manualAnchor(line.mid(3)) == anchor)
            return {panels->name, anchor};
    return {};
}

/// What can be done with the panel of this title; nothing where it is none of the window's.
void fillPanelMenu(QMenu& menu, QWidget& window, const QString& title, DockTab* tab) {
    LazyDock* dock = nullptr;
    for (LazyDock* one : window.findChildren<LazyDock*>())
        if (one->windowTitle() == QString(title).remove(u'&')) dock = one;
    if (!dock) return;
    if (!dock->isOpen() && tab) menu.addAction(HelpActions::tr("Open"), tab, &DockTab::click);
    if (dock->isOpen()) {
        menu.addAction(HelpActions::tr("Close"), dock, &QWidget::close);
        menu.addAction(dock->isFloating() ? HelpActions::tr("Put it back into the window")
                                          : HelpActions::tr("Make it a window"),
                       dock, [dock] { dock->setFloating(!dock->isFloating()); });
    }
    menu.addSeparator();
}

} // namespace

HelpActions::HelpActions(const Shared& shared, WindowPages& pages, Engine& engine)
    : WindowPart(shared)
    , m_engine(engine) {
    connect(&pages, &WindowPages::manualAsked, this, [this](const QString& page) { openManual({page, {}}); });
    qApp->installEventFilter(this);
}

void HelpActions::addActions() {
    const QString help = QStringLiteral("Help");
    m_actions->add(spec("help.manual", tr("Manual"), help, {QKeySequence(tr("Ctrl+F1"))}, {},
                        tr("How to do what, one page a task")),
                   [this] {
                       openManual({manualPages().front().name, {}});
                   });
    m_actions->add(spec("help.what", tr("What is this?"), help, {QKeySequence(tr("Shift+F1"))}, {},
                        tr("The manual, at the panel or page that has the focus")),
                   [this] { openManual(placeOf(QApplication::focusWidget())); });
    m_actions->add(spec("help.keyboard", tr("Keyboard"), help, {QKeySequence(tr("F1"))}, "keyboard"), [this] {
        auto* page = new KeyboardPage(*m_actions, m_theme, &m_window);
        page->setAttribute(Qt::WA_DeleteOnClose);
        page->show();
    });
    m_actions->add(spec("help.about", tr("About Dynascope"), help, {}, "info"),
                   [this] { openAbout(m_engine, m_window); });
}

void HelpActions::openManual(const ManualPlace& place) {
    if (!m_manual) {
        m_manual = new ManualWindow(m_theme, &m_window);
        m_manual->setAttribute(Qt::WA_DeleteOnClose);
    }
    m_manual->goTo(place);
    m_manual->show();
    m_manual->raise();
    m_manual->activateWindow();
}

ManualPlace HelpActions::placeOf(const QWidget* widget) const {
    if (qobject_cast<const canvas::GraphCanvas*>(widget)) return {QStringLiteral("large-graphs"), {}};
    for (const QWidget* w = widget; w; w = w->parentWidget()) {
        if (const auto* dock = qobject_cast<const LazyDock*>(w))
            if (ManualPlace place = panelPlace(dock->windowTitle()); !place.page.isEmpty()) return place;
        if (const auto* tabs = qobject_cast<const QTabWidget*>(w); tabs && tabs->currentIndex() >= 0)
            if (ManualPlace place = panelPlace(tabs->tabText(tabs->currentIndex())); !place.page.isEmpty())
                return place;
    }
    const PageSpec* page = pageSpec(m_workspace.place().page);
    return {page ? QString(QLatin1String(page->manual)) : manualPages().front().name, {}};
}

bool HelpActions::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ContextMenu) return WindowPart::eventFilter(watched, event);
    const auto& asked = static_cast<const QContextMenuEvent&>(*event);
    QMenu menu(&m_window);
    QString title;
    if (auto* bar = qobject_cast<QTabBar*>(watched)) {
        const int tab = bar->tabAt(asked.pos());
        title = tab >= 0 ? bar->tabText(tab) : QString();
        if (tab >= 0 && tab != bar->currentIndex())
            menu.addAction(tr("Show"), bar, [bar, tab] { bar->setCurrentIndex(tab); });
    } else if (auto* tab = qobject_cast<DockTab*>(watched)) {
        title = tab->text();
    }
    const ManualPlace place = panelPlace(title);
    if (place.page.isEmpty()) return WindowPart::eventFilter(watched, event);
    fillPanelMenu(menu, m_window, title, qobject_cast<DockTab*>(watched));
    menu.addAction(tr("What is this?"), this, [this, place] { openManual(place); });
    menu.exec(asked.globalPos());
    return true;
}

} // namespace dynascope::app
