// SPDX-License-Identifier: BSD-3-Clause
//
// Files and text that are dropped on a widget.
#pragma once

#include <QObject>
#include <QStringList>

class QWidget;

namespace dynascope::app {

/// Owned by the widget. GUI thread only.
class DropTarget : public QObject {
    Q_OBJECT
public:
    explicit DropTarget(QWidget& widget);

signals:
    void hovered(bool on); ///< something that can be dropped is over it
    void pathsDropped(const QStringList& paths);
    void textDropped(const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace dynascope::app
