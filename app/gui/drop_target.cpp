// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/drop_target.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

namespace dynascope::app {

DropTarget::DropTarget(QWidget& widget)
    : QObject(&widget) {
    widget.setAcceptDrops(true);
    widget.installEventFilter(this);
}

bool DropTarget::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::DragEnter) {
        auto* drag = static_cast<QDragEnterEvent*>(event);
        if (!drag->mimeData()->hasUrls() && !drag->mimeData()->hasText()) return true;
        drag->acceptProposedAction();
        emit hovered(true);
        return true;
    }
    if (event->type() == QEvent::DragLeave) {
        emit hovered(false);
    } else if (event->type() == QEvent::Drop) {
        auto* drop = static_cast<QDropEvent*>(event);
        emit hovered(false);
        QStringList paths;
        for (const QUrl& url : drop->mimeData()->urls())
            if (url.isLocalFile()) paths << url.toLocalFile();
        if (!paths.isEmpty())
            emit pathsDropped(paths);
        else if (drop->mimeData()->hasText())
            emit textDropped(drop->mimeData()->text());
        else
            return true;
        drop->acceptProposedAction();
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace dynascope::app
