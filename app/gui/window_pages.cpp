// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/window_pages.h"

#include "app/gui/action_specs.h"
#include "app/gui/chrome.h"
#include "app/gui/pages.h"
#include "app/gui/settings.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QMenu>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <utility>

namespace dynascope::app {

using namespace views;

WindowPages::WindowPages(QWidget& window, QStackedWidget& stack, QWidget& welcome,
                         const PageServices& services, ActionRegistry& actions, Settings& settings)
    : QObject(&window)
    , m_window(window)
    , m_stack(stack)
    , m_welcome(welcome)
    , m_services(services)
    , m_actions(actions)
    , m_settings(settings) {
    PagePlaces starts;
    for (const PageSpec& page : pageSpecs())
        starts.start(page.page, page.start);
    services.workspace.setStarts(std::move(starts));
}

void WindowPages::addActions(std::map<Page, std::function<void()>> openers) {
    for (const PageSpec& page : pageSpecs()) {
        ActionSpec s = spec("", page.title, QStringLiteral("Capture"), {page.key}, page.icon, page.tip);
        s.id = pageAction(page);
        const auto opener = openers.find(page.page);
        const auto open = opener == openers.end()
                              ? std::function<void()>([this, id = page.page] { goTo(id); })
                              : opener->second;
        m_actions.addToggle(s, [this, open](bool) {
            open();
            updateActions(); // a click on the page that is shown switches its mark off
        });
    }
}

void WindowPages::updateActions() {
    const Workspace& workspace = m_services.workspace;
    for (const PageSpec& page : pageSpecs()) {
        const QString lacks = workspace.capture() ? page.lacks(workspace) : tr("needs an open capture");
        const QString id = pageAction(page);
        m_actions.setEnabled(id, lacks.isEmpty(), lacks);
        if (QAction* action = m_actions.find(id)) action->setChecked(workspace.place().page == page.page);
    }
}

QWidget* WindowPages::makeBar(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 2, 8, 2);
    row->setSpacing(2);
    for (const PageSpec& page : pageSpecs()) {
        auto* button = new QToolButton(box);
        button->setDefaultAction(m_actions.find(pageAction(page)));
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::TabFocus);
        button->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(button, &QWidget::customContextMenuRequested, this,
                [this, &page, button](const QPoint& at) { openMenu(page, *button, at); });
        row->addWidget(button);
    }
    return box;
}

Drawing WindowPages::picture() const {
    const PageSpec* spec = pageSpec(m_services.workspace.place().page);
    return pictureOf(*m_stack.currentWidget(), spec ? QLatin1String(spec->name) : QStringLiteral("welcome"));
}

void WindowPages::copyShown() const {
    copyPicture(picture());
}

void WindowPages::exportShown(MessageBar& message) {
    const Drawing shown = picture();
    const QString path = askPicturePath(m_window, tr("Export page"), shown.title);
    if (path.isEmpty()) return;
    const WrittenPicture written = writePicture(shown, path);
    if (!written.problem.isEmpty()) message.showMessage(written.problem);
    if (!written.note.isEmpty()) message.showNotice(written.note);
}

/// Of a button of the bar: what can be done with its page.
void WindowPages::openMenu(const PageSpec& page, QWidget& button, const QPoint& at) {
    QMenu menu(&button);
    menu.addAction(m_actions.find(pageAction(page)));
    menu.addAction(tr("Copy its name"), this,
                   [title = page.title] { QApplication::clipboard()->setText(title); });
    menu.addAction(tr("What is this?"), this,
                   [this, &page] { emit manualAsked(QLatin1String(page.manual)); });
    menu.addSeparator();
    for (const char* id : {"edit.copyPage", "file.exportPage"})
        if (QAction* action = m_actions.find(QLatin1String(id));
            action && m_services.workspace.place().page == page.page)
            menu.addAction(action);
    menu.exec(button.mapToGlobal(at));
}

QWidget* WindowPages::find(Page page) const {
    const auto at = m_made.find(page);
    return at == m_made.end() ? nullptr : at->second;
}

CentrePage* WindowPages::part(Page page) const {
    return dynamic_cast<CentrePage*>(find(page));
}

QWidget& WindowPages::get(Page page) {
    if (QWidget* there = find(page)) return *there;
    const PageSpec* spec = pageSpec(page);
    if (!spec) return m_welcome;
    QWidget* widget = spec->make(m_services);
    m_made[page] = widget;
    m_stack.addWidget(widget);
    emit made(page, widget);
    if (CentrePage* made = part(page)) {
        made->applyDefaultSizes(m_window.width());
        const QByteArray saved = m_settings.layout(QLatin1String(spec->name));
        if (!saved.isEmpty()) made->restoreState(saved);
    }
    return *widget;
}

void WindowPages::prepare(Page page) {
    // Not in the turn that was asked for something else, nor in that of another page.
    m_ahead.push_back(page);
    if (m_ahead.size() == 1) QTimer::singleShot(0, this, &WindowPages::makeNext);
}

void WindowPages::makeNext() {
    static_cast<void>(get(m_ahead.front()));
    m_ahead.pop_front();
    if (!m_ahead.empty()) QTimer::singleShot(0, this, &WindowPages::makeNext);
}

bool WindowPages::show(Page page) {
    QWidget& widget = get(page);
    if (m_stack.currentWidget() == &widget) return false;
    m_stack.setCurrentWidget(&widget);
    return true;
}

void WindowPages::goTo(Page page) {
    Place place = m_services.workspace.place();
    place.page = page;
    m_services.workspace.go(place);
    setFocus(Qt::ShortcutFocusReason); // not the filter field beside it
}

void WindowPages::setFocus(Qt::FocusReason reason) {
    m_stack.currentWidget()->setFocus(reason);
}

void WindowPages::applyDefaultSizes() {
    for (const auto& [page, widget] : m_made)
        if (CentrePage* made = part(page)) made->applyDefaultSizes(m_window.width());
}

void WindowPages::saveStates() {
    for (const auto& [page, widget] : m_made) {
        const CentrePage* made = part(page);
        const QByteArray state = made ? made->saveState() : QByteArray();
        if (!state.isEmpty()) m_settings.setLayout(QLatin1String(pageSpec(page)->name), state);
    }
}

bool WindowPages::isSettled(Page page) const {
    const CentrePage* made = part(page);
    return !made || made->isSettled();
}

} // namespace dynascope::app
