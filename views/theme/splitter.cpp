// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/splitter.h"

#include <QPainter>
#include <QResizeEvent>
#include <QSplitterHandle>

namespace dynascope::views {

namespace {

constexpr int grabMargin = 3;

class ThinHandle final : public QSplitterHandle {
public:
    ThinHandle(Qt::Orientation orientation, QSplitter* parent)
        : QSplitterHandle(orientation, parent) {
        setAttribute(Qt::WA_MouseNoMask, true);
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        // The handle overlaps its neighbours by the margin; the mask keeps that part invisible.
        const bool horizontal = orientation() == Qt::Horizontal;
        setContentsMargins(horizontal ? grabMargin : 0, horizontal ? 0 : grabMargin,
                           horizontal ? grabMargin : 0, horizontal ? 0 : grabMargin);
        setMask(QRegion(contentsRect()));
        // QSplitterHandle's own sets other margins.
        QWidget::resizeEvent(event); // NOLINT(bugprone-parent-virtual-call)
    }
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), palette().color(QPalette::Mid));
    }
};

} // namespace

Splitter::Splitter(Qt::Orientation orientation, QWidget* parent)
    : QSplitter(orientation, parent) {
    setHandleWidth(1);
    setChildrenCollapsible(false);
}

QSplitterHandle* Splitter::createHandle() {
    return new ThinHandle(orientation(), this);
}

} // namespace dynascope::views
