// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/panel.h"

#include "views/base/message_page.h"
#include "views/base/panel_turns.h"
#include "views/base/view_places.h"
#include "views/workspace/labels.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QStackedLayout>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

namespace dynascope::views {

namespace {
constexpr int loadingDelayMs = 100;
constexpr int loadingBarHeight = 2;

bool isFilterKey(const QKeyEvent& key) {
    return key.matches(QKeySequence::Find) ||
           (key.key() == Qt::Key_Slash && !(key.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)));
}
} // namespace

FilterKeys::FilterKeys(QWidget* view, std::function<void()> focus)
    : QObject(view)
    , m_focus(std::move(focus)) {
    view->installEventFilter(this);
}

bool FilterKeys::eventFilter(QObject* watched, QEvent* event) {
    const bool typed = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (!typed || !isFilterKey(*static_cast<QKeyEvent*>(event))) return QObject::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) m_focus();
    event->accept();
    return true;
}

/// Drawn over the content's first two pixels, so that nothing moves when it comes and goes.
class Panel::LoadingBar : public QWidget {
public:
    LoadingBar(Theme& theme, QWidget* parent)
        : QWidget(parent)
        , m_theme(theme) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.fillRect(rect(), m_theme.colours().accentBg);
        painter.fillRect(QRect(0, 0, width() / 3, height()), m_theme.colours().accent);
    }

private:
    Theme& m_theme;
};

Panel::Panel(Workspace& workspace, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_message(new MessagePage(theme))
    , m_turns(PanelTurns::of(workspace))
    , m_loadingTimer(new QTimer(this)) {
    auto* stackHost = new QWidget(this);
    m_stack = new QStackedLayout(stackHost);
    m_stack->addWidget(m_message);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(stackHost);
    m_loading = new LoadingBar(theme, this);

    m_loadingTimer->setSingleShot(true);
    m_loadingTimer->setInterval(loadingDelayMs);
    connect(m_loadingTimer, &QTimer::timeout, this, [this] {
        m_loading->setGeometry(0, 0, width(), loadingBarHeight);
        m_loading->raise();
        m_loading->show();
    });
    connect(&m_theme, &Theme::changed, this, [this] {
        restyle();
        invalidate();
        update();
    });
    connect(&m_workspace.tasks(), &TaskRunner::failed, this,
            [this](const QString& /*tag*/, const QString& why, QObject* context) {
                if (context == this && isLoading()) showFault({why.toStdString()});
            });
    connect(&m_workspace, &Workspace::captureClosed, this, &Panel::invalidate);
    connect(&m_workspace, &Workspace::placeChanged, this, &Panel::invalidate);
    connect(&m_workspace, &Workspace::captureReplaced, this, [this](int capture) {
        m_again = m_again || capture == m_workspace.place().capture;
        invalidate();
    });
}

Panel::~Panel() = default;

QString Panel::message() const {
    return m_stack->currentWidget() == m_message ? m_message->text() : QString();
}

void Panel::invalidate() {
    m_dirty = true;
    if (isVisible()) m_turns.ask(*this);
}

void Panel::setContent(QWidget* content) {
    m_stack->addWidget(content);
}

void Panel::showContent() {
    if (m_stack->count() > 1) m_stack->setCurrentIndex(1);
}

void Panel::showFault(const Error& why) {
    setLoading(false);
    if (!why.isCancelled())
        showMessage(
            tr("This cannot be shown, by a fault of Dynascope's own: %1.").arg(toQString(why.message)));
}

void Panel::showMessage(const QString& text, const QString& linkText, std::function<void()> action) {
    m_message->setMessage(text, linkText, std::move(action));
    m_stack->setCurrentIndex(0);
}

bool Panel::showNothingOpen() {
    if (m_workspace.session()) return false;
    showMessage(tr("Open a trace or a graph text. Drop it here, or Ctrl+O."));
    return true;
}

void Panel::setLoading(bool loading) {
    if (loading) {
        if (!m_loadingTimer->isActive() && !m_loading->isVisible()) m_loadingTimer->start();
    } else {
        m_loadingTimer->stop();
        m_loading->hide();
    }
}

bool Panel::isLoading() const {
    return m_loadingTimer->isActive() || !m_loading->isHidden();
}

void Panel::focusFilter() {
    if (!m_filter) return;
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void Panel::takeFilterKeys(QWidget* view) {
    new FilterKeys(view, [this] { focusFilter(); });
}

QLineEdit* Panel::addFilter(const QString& placeholder, QWidget* view) {
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(placeholder);
    m_filter->setAccessibleName(placeholder);
    m_filter->setClearButtonEnabled(true);
    takeFilterKeys(view);
    return m_filter;
}

void Panel::addCopyRows(QAbstractItemView* view, std::function<QString(const QModelIndex& row)> line) {
    auto* copy = new QAction(tr("Copy"), view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    view->addAction(copy);
    view->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copy, &QAction::triggered, view, [view, line = std::move(line)] {
        QStringList lines;
        for (const QModelIndex& row : view->selectionModel()->selectedRows())
            lines << (line ? line(row) : tabbedRow(row, row.model()->columnCount()));
        QApplication::clipboard()->setText(lines.join(u'\n'));
    });
}

QString Panel::tabbedRow(const QModelIndex& row, int columns) {
    QStringList cells;
    for (int column = 0; column < columns; ++column)
        cells << row.siblingAtColumn(column).data().toString();
    return cells.join(u'\t');
}

bool Panel::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && isFilterKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void Panel::keyPressEvent(QKeyEvent* event) {
    if (isFilterKey(*event))
        focusFilter();
    else
        QWidget::keyPressEvent(event);
}

void Panel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_dirty) refreshNow();
}

void Panel::refreshIfShown() {
    if (isVisible() && m_dirty) refreshNow();
}

void Panel::refreshNow() {
    m_dirty = false;
    if (!std::exchange(m_again, false)) {
        refresh();
        return;
    }
    const ViewPlaces places(*this);
    refresh();
    places.restore();
}

} // namespace dynascope::views
