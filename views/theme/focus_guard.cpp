// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/focus_guard.h"

#include <QCoreApplication>
#include <QFocusEvent>
#include <QMainWindow>
#include <QScrollArea>
#include <QTabBar>

namespace dynascope::views {

void FocusGuard::install() {
    static FocusGuard* guard = nullptr;
    if (guard || !QCoreApplication::instance()) return;
    guard = new FocusGuard(QCoreApplication::instance());
    QObject::connect(guard, &QObject::destroyed, [] { guard = nullptr; });
    QCoreApplication::instance()->installEventFilter(guard);
}

bool FocusGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Move) {
        auto* bar = qobject_cast<QTabBar*>(watched);
        auto* window = bar ? qobject_cast<QMainWindow*>(bar->parent()) : nullptr;
        if (window)
            bar->setFocusPolicy(bar->geometry().intersects(window->rect()) ? Qt::TabFocus : Qt::NoFocus);
        return false;
    }
    if (event->type() != QEvent::FocusIn || !watched->isWidgetType()) return false;
    const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
    if (reason != Qt::TabFocusReason && reason != Qt::BacktabFocusReason)
        return false; // a click is where it is
    auto* widget = static_cast<QWidget*>(watched);
    for (QWidget* above = widget->parentWidget(); above; above = above->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(above); area && area->widget()->isAncestorOf(widget))
            area->ensureWidgetVisible(widget);
    return false;
}

} // namespace dynascope::views
