// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/collective_lanes.h"

#include "views/ranks/ranks_rows.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

CollectiveLanes::CollectiveLanes(Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Collectives, a lane for each group of ranks"));
    offerPicture(*this, QStringLiteral("collectives"));
    measure();
    connect(&m_theme, &Theme::changed, this, [this] {
        measure();
        updateBars();
        viewport()->update();
    });
}

void CollectiveLanes::setRow(std::shared_ptr<const ranks::CompileRow> row) {
    if (row == m_row) return;
    m_row = std::move(row);
    m_selected = {};
    m_mismatchColumn = -1;
    m_columns = 0;
    if (hasLanes()) {
        for (const ranks::Lane& one : lanes())
            if (one.mismatch != ranks::none) m_mismatchColumn = std::max(m_mismatchColumn, int(one.mismatch));
        for (int i = 0; i < int(lanes().size()); ++i)
            if (const int calls = callsOf(i); calls > 0)
                m_columns = std::max(m_columns, columnOf({i, calls - 1}) + 1);
    }
    measure();
    updateBars();
    horizontalScrollBar()->setValue(std::max(0, (m_mismatchColumn - 1) * columnWidth()));
    verticalScrollBar()->setValue(0);
    viewport()->update();
}

/// As wide as what the widest card calls, within reason.
void CollectiveLanes::measure() {
    const QFontMetrics metrics(m_theme.font(FontRole::NodeName));
    int widest = 0;
    if (hasLanes())
        for (const ranks::Lane& one : lanes())
            for (const ranks::Call& call : one.calls)
                widest = std::max(widest, metrics.horizontalAdvance(toQString(call.what.call())));
    m_columnWidth = std::clamp(widest + m_theme.scaled(48), m_theme.scaled(212), m_theme.scaled(330));
}

void CollectiveLanes::setEmptyText(const QString& text) {
    m_emptyText = text;
    viewport()->update();
}

int CollectiveLanes::callsOf(int lane) const {
    const ranks::Lane& one = lanes()[std::size_t(lane)];
    return int(one.calls.size()) + (one.mismatch == one.calls.size() ? 1 : 0);
}

// Lanes are moved apart before the first call that does not fit, so that these stand below each other.
int CollectiveLanes::columnOf(At at) const {
    const std::size_t own = lane(at).mismatch;
    return own == ranks::none || at.call < int(own) ? at.call : at.call + m_mismatchColumn - int(own);
}

int CollectiveLanes::callIn(int lane, int column) const {
    const std::size_t own = lanes()[std::size_t(lane)].mismatch;
    int call = column;
    if (own != ranks::none && column >= int(own)) {
        call = column - (m_mismatchColumn - int(own));
        if (call < int(own)) return -1; // in the gap
    }
    return call >= 0 && call < callsOf(lane) ? call : -1;
}

bool CollectiveLanes::isMismatch(At at) const {
    return lane(at).mismatch == std::size_t(at.call);
}

bool CollectiveLanes::isMissing(At at) const {
    return std::size_t(at.call) >= lane(at).calls.size();
}

QRect CollectiveLanes::callRect(At at) const {
    if (!hasLanes() || at.isNone() || at.lane >= int(lanes().size()) || at.call < 0 ||
        at.call >= callsOf(at.lane))
        return {};
    const int x = titleWidth() + columnOf(at) * columnWidth() - horizontalScrollBar()->value();
    const int y = headHeight() + at.lane * laneHeight() - verticalScrollBar()->value();
    return QRect(x, y, columnWidth(), laneHeight()).adjusted(6, 10, -10, -8);
}

CollectiveLanes::At CollectiveLanes::callAt(QPoint point) const {
    if (!hasLanes() || point.x() < titleWidth() || point.y() < headHeight()) return {};
    const int lane = (point.y() - headHeight() + verticalScrollBar()->value()) / laneHeight();
    if (lane >= int(lanes().size())) return {};
    const int call =
        callIn(lane, (point.x() - titleWidth() + horizontalScrollBar()->value()) / columnWidth());
    const At at{lane, call};
    return call >= 0 && callRect(at).contains(point) ? at : At{};
}

QString CollectiveLanes::description(At at) const {
    const ranks::Lane& of = lane(at);
    QStringList out;
    if (isMissing(at)) {
        out << tr("%1: no call here, where others make one").arg(words(of.ranks));
    } else {
        const ranks::Collective& what = of.calls[std::size_t(at.call)].what;
        out << tr("Call %1 of %2: %3").arg(at.call + 1).arg(words(of.ranks), toQString(what.call()));
        out << toQString(ranks::shapesText(what)) +
                   (what.bytes ? QStringLiteral(", ") + bytesText(*what.bytes) : QString());
        if (!what.group.empty())
            out << (what.groupSize
                        ? tr("Process group '%1' of %2 ranks").arg(toQString(what.group)).arg(*what.groupSize)
                        : tr("Process group '%1'").arg(toQString(what.group)));
        out << (what.within.empty()
                    ? tr("Node %1").arg(toQString(what.node))
                    : tr("Node %1 runs %2").arg(toQString(what.node), toQString(what.within)));
        if (const QString place = placeText(what.at); !place.isEmpty())
            out << (what.near
                        ? tr("Near %1: the text has only a line of PyTorch's for the call itself").arg(place)
                        : tr("At %1").arg(place));
        if (!what.wait.empty())
            out << tr("%1 waits for it, with %2 between")
                       .arg(toQString(what.wait), countText(what.nodesUntilWait, tr("node"), tr("nodes")));
        if (what.forgotten) out << tr("Nobody waits for it, and nothing reads what it gives");
    }
    if (isMismatch(at))
        out << QString()
            << tr("≠ The first call that does not fit. Ranks of a process group make the same calls in the "
                  "same "
                  "order; a rank that makes another one waits for those that never come to it.");
    return out.join(u'\n');
}

void CollectiveLanes::select(At at) {
    if (at == m_selected) return;
    m_selected = at;
    viewport()->update();
}

void CollectiveLanes::tell(At at) {
    select(at);
    emit selectionChanged(at.lane, at.call);
}

QSize CollectiveLanes::sizeHint() const {
    const int lanes = hasLanes() ? std::clamp(int(m_row->lanes.size()), 1, 4) : 2;
    return {m_theme.scaled(600), headHeight() + lanes * laneHeight() + 4};
}

void CollectiveLanes::updateBars() {
    const QSize room = viewport()->size();
    const int width = titleWidth() + m_columns * columnWidth();
    const int height = headHeight() + (hasLanes() ? int(lanes().size()) : 0) * laneHeight();
    horizontalScrollBar()->setRange(0, std::max(0, width - room.width()));
    horizontalScrollBar()->setPageStep(room.width());
    horizontalScrollBar()->setSingleStep(columnWidth() / 4);
    verticalScrollBar()->setRange(0, std::max(0, height - room.height()));
    verticalScrollBar()->setPageStep(room.height());
    verticalScrollBar()->setSingleStep(laneHeight() / 4);
}

void CollectiveLanes::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateBars();
}

void CollectiveLanes::mousePressEvent(QMouseEvent* event) {
    const At at = callAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && !at.isNone()) tell(at);
}

void CollectiveLanes::mouseDoubleClickEvent(QMouseEvent* event) {
    const At at = callAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && !at.isNone() && !isMissing(at)) emit activated(at.lane, at.call);
}

void CollectiveLanes::mouseMoveEvent(QMouseEvent* event) {
    viewport()->setCursor(callAt(event->position().toPoint()).isNone() ? Qt::ArrowCursor
                                                                       : Qt::PointingHandCursor);
}

void CollectiveLanes::show(At at) {
    const QRect box = callRect(at);
    const QRect room = viewport()->rect().adjusted(titleWidth(), headHeight(), 0, 0);
    const auto shift = [](int from, int to, int least, int most) {
        return from < least ? from - least : to > most ? std::min(to - most, from - least) : 0;
    };
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() +
                                    shift(box.left() - 6, box.right() + 10, room.left(), room.right()));
    verticalScrollBar()->setValue(verticalScrollBar()->value() +
                                  shift(box.top() - 10, box.bottom() + 8, room.top(), room.bottom()));
}

void CollectiveLanes::step(int down, int right) {
    At to = m_selected;
    if (to.isNone()) {
        to = {0, 0};
    } else {
        to.lane = std::clamp(to.lane + down, 0, int(lanes().size()) - 1);
        to.call += right;
    }
    to.call = std::clamp(to.call, 0, std::max(0, callsOf(to.lane) - 1));
    if (callRect(to).isEmpty()) return;
    show(to);
    tell(to);
}

void CollectiveLanes::keyPressEvent(QKeyEvent* event) {
    if (!hasLanes()) return QAbstractScrollArea::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return step(0, -1);
    case Qt::Key_Right:
        return step(0, 1);
    case Qt::Key_Up:
        return step(-1, 0);
    case Qt::Key_Down:
        return step(1, 0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!callRect(m_selected).isEmpty() && !isMissing(m_selected))
            emit activated(m_selected.lane, m_selected.call);
        return;
    default:
        return QAbstractScrollArea::keyPressEvent(event);
    }
}

bool CollectiveLanes::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const At at = callAt(help->pos());
    if (at.isNone())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainToolTip(description(at)), viewport());
    return true;
}

} // namespace dynascope::views
