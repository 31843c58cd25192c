// SPDX-License-Identifier: BSD-3-Clause
#include "views/timeline/timeline_view.h"

#include "views/models/labels.h"
#include "views/timeline/stage_help.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr int labelWidth = 88;
constexpr int rightMargin = 48;
constexpr int minimumStep = 92;
constexpr int compactStep = 44;
constexpr int discRadius = 9;
const QString taskTag = QStringLiteral("timeline");

QString summary(const diff::GraphDiff& diff) {
    QStringList parts;
    const auto add = [&parts](std::size_t n, diff::Change change) {
        if (n > 0) parts << QString(QChar(char16_t(diff::changeSign(change)))) + QString::number(n);
    };
    add(diff.added, diff::Change::Added);
    add(diff.removed, diff::Change::Removed);
    add(diff.changed, diff::Change::Changed);
    add(diff.moved, diff::Change::Moved);
    if (!parts.isEmpty()) return parts.join(u' ');
    return diff.respelled > 0 ? QStringLiteral("≈") : QStringLiteral("=");
}

} // namespace

TimelineView::TimelineView(Workspace& workspace, Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_workspace(workspace)
    , m_theme(theme) {
    setObjectName(QStringLiteral("timeline"));
    setAccessibleName(tr("Stage timeline"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    viewport()->setMouseTracking(true);
    connect(&m_workspace, &Workspace::placeChanged, this, &TimelineView::refresh);
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        m_facts.clear(); // keyed by stages that may be gone
        m_compile = nullptr;
        refresh();
    });
    connect(&m_workspace, &Workspace::computedChanged, this, [this] {
        // A stage may have taken the place of one that is gone, at the same address.
        for (int i = capturedCount(); i < stageCount(); ++i)
            m_facts.remove(stage(i));
        m_slots.clear(); // one may have been removed, or come back
        refresh();
    });
    connect(&m_theme, &Theme::changed, this, [this] {
        updateGeometry();
        layOut();
    });
    refresh();
}

void TimelineView::setCompact(bool compact) {
    if (m_compact == compact) return;
    m_compact = compact;
    updateGeometry();
    layOut();
}

QSize TimelineView::sizeHint() const {
    const int second = stageCount() > capturedCount() ? m_compact ? 34 : 44 : 0;
    return {600, m_theme.scaled((m_compact ? 84 : 104) + second)};
}
QSize TimelineView::minimumSizeHint() const {
    return {200, sizeHint().height()};
}

int TimelineView::stageCount() const {
    return m_compile && m_compile == m_workspace.compile() ? m_workspace.stageCount() : 0;
}

int TimelineView::capturedCount() const {
    return m_compile ? int(m_compile->stages.size()) : 0;
}

const session::Stage* TimelineView::stage(int index) const {
    return index >= 0 && index < stageCount() ? m_workspace.stageAt(index).get() : nullptr;
}

int TimelineView::shown(Side side) const {
    if (m_drag && m_drag->side == side) return m_drag->stage;
    return side == Side::A ? m_workspace.place().stageA : m_workspace.place().stageB;
}

int TimelineView::trackY() const {
    return m_theme.scaled(m_compact ? 45 : 56);
}

int TimelineView::computedY() const {
    return trackY() + m_theme.scaled(m_compact ? 38 : 50);
}

QPoint TimelineView::centre(int index) const {
    return {stageX(index), index < capturedCount() ? trackY() : computedY()};
}

int TimelineView::stageX(int index) const {
    return m_theme.scaled(labelWidth) +
           int(std::lround(
               m_step *
               ((std::size_t(index) < m_slots.size() ? m_slots[std::size_t(index)] : index) + 0.5))) -
           horizontalScrollBar()->value();
}

QPoint TimelineView::stagePoint(int index) const {
    return centre(index);
}

int TimelineView::stageAt(QPoint point) const {
    if (point.x() < m_theme.scaled(labelWidth)) return -1;
    const bool computed =
        stageCount() > capturedCount() && point.y() > (trackY() + computedY()) / 2 + m_theme.scaled(4);
    const int first = computed ? capturedCount() : 0, end = computed ? stageCount() : capturedCount();
    for (int i = first; i < end; ++i)
        if (stage(i) && std::abs(stageX(i) - point.x()) <= m_step / 2) return i;
    return -1;
}

const TimelineView::Fact* TimelineView::fact(int index) const {
    const auto at = m_facts.constFind(stage(index));
    return at == m_facts.constEnd() ? nullptr : &*at;
}

QString TimelineView::changeText(int index) const {
    const Fact* known = fact(index);
    return known ? known->change : QString();
}

bool TimelineView::isSettled() const {
    for (int i = 0; i < stageCount(); ++i)
        if (stage(i) && !fact(i)) return false;
    return true;
}

QString TimelineView::stageName(int index) const {
    QString name = toQString(stage(index)->shortLabel());
    if (index < capturedCount()) return name;
    if (const Fact* known = fact(index)) name += QStringLiteral("  ") + known->size;
    return name;
}

void TimelineView::refresh() {
    const session::Compile* compile = m_workspace.compile();
    if (compile != m_compile || std::size_t(m_workspace.stageCount()) != m_slots.size()) {
        m_compile = compile;
        updateGeometry();
        m_hover = -1;
        m_drag.reset();
        layOut();
        askNext();
    }
    ensureVisible(shown(Side::A));
    ensureVisible(shown(Side::B));
    if (const session::Stage *a = stage(shown(Side::A)), *b = stage(shown(Side::B)); a && b)
        setAccessibleDescription(tr("A is %1, B is %2").arg(toQString(a->label()), toQString(b->label())));
    viewport()->update();
}

void TimelineView::layOut() {
    // A computed stage stands right of what it was made from, and right of the one computed before it.
    m_slots.assign(std::size_t(stageCount()), 0);
    double end = 1, free = 0;
    for (int i = 0; i < stageCount(); ++i) {
        double& slot = m_slots[std::size_t(i)];
        slot = i;
        if (!stage(i)) continue;
        if (i >= capturedCount()) {
            const int from = m_workspace.madeFrom(i);
            const bool fromCaptured = from >= 0 && from < capturedCount();
            slot = std::max(free, (from < 0 ? 0 : m_slots[std::size_t(from)]) + (fromCaptured ? 0.5 : 1));
            free = slot + 1;
        }
        end = std::max(end, slot + 1);
    }
    const int room = viewport()->width() - m_theme.scaled(labelWidth) - m_theme.scaled(rightMargin) / 2;
    const int least = m_theme.scaled(m_compact ? compactStep : minimumStep);
    m_step = std::clamp(room / end, double(least), double(m_theme.scaled(220)));
    const int excess = std::max(0, int(std::ceil(m_step * end)) - room);
    horizontalScrollBar()->setRange(0, excess);
    horizontalScrollBar()->setPageStep(std::max(1, room));
    horizontalScrollBar()->setSingleStep(int(m_step));
    viewport()->update();
}

void TimelineView::ensureVisible(int index) {
    if (!stage(index)) return;
    const int x = stageX(index), half = int(m_step / 2);
    const int left = m_theme.scaled(labelWidth), right = viewport()->width();
    QScrollBar* bar = horizontalScrollBar();
    if (x - half < left) bar->setValue(bar->value() + x - half - left);
    if (x + half > right) bar->setValue(bar->value() + x + half - right);
}

void TimelineView::askNext() {
    int next = 0;
    while (next < stageCount() && (!stage(next) || fact(next)))
        ++next;
    if (next >= stageCount()) return;
    const session::StagePtr here = m_workspace.stageAt(next);
    const int from = m_workspace.madeFrom(next);
    const session::StagePtr before = m_workspace.stageAt(from);
    m_workspace.tasks().run<Fact>(
        taskTag, this,
        [here, before, known = m_workspace.origins(from, next)](const TaskContext&) {
            Fact fact;
            fact.size = stageSize(*here);
            if (!before || here->content != session::Stage::Content::Graph) {
                fact.same = false;
                return fact;
            }
            const auto a = before->graph(), b = here->graph();
            if (a && b) {
                const diff::GraphDiff diff = diff::diffGraphs(**a, **b, known);
                fact.change = summary(diff);
                fact.same = diff.identical() && diff.respelled == 0;
            } else {
                fact.same = false;
            }
            return fact;
        },
        [this, here](Fact fact) {
            m_facts.insert(here.get(), std::move(fact));
            viewport()->update();
            // The runner forgets this request only once the callback has returned.
            QMetaObject::invokeMethod(this, &TimelineView::askNext, Qt::QueuedConnection);
        });
}

void TimelineView::choose(Side side, int index) {
    const Place& place = m_workspace.place();
    if (side == Side::A)
        m_workspace.selectStages(index, place.stageB);
    else
        m_workspace.selectStages(place.stageA, index);
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
    ensureVisible(shown(Side::A));
    ensureVisible(shown(Side::B));
}

void TimelineView::scrollContentsBy(int, int) {
    viewport()->update();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    for (int i = capturedCount(); i < stageCount(); ++i)
        if (stage(i) && event->button() == Qt::LeftButton &&
            badgeRect(i).contains(event->position().toPoint())) {
            emit verdictClicked(i);
            return;
        }
    const int index = stageAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || index < 0) return;
    const bool onA = index == shown(Side::A), onB = index == shown(Side::B);
    const Side side = event->modifiers() & Qt::ShiftModifier ? Side::A : onA && !onB ? Side::A : Side::B;
    m_drag = Drag{side, index};
    viewport()->update();
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const int index = stageAt(event->position().toPoint());
    if (m_drag && index >= 0 && index != m_drag->stage) {
        m_drag->stage = index;
        ensureVisible(index);
        viewport()->update();
    }
    if (index != m_hover) {
        m_hover = index;
        viewport()->setCursor(index >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
        viewport()->update();
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_drag) return;
    const Drag drag = *std::exchange(m_drag, std::nullopt);
    choose(drag.side, drag.stage);
    viewport()->update();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() -
                                    (delta.x() != 0 ? delta.x() : delta.y()));
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const Side side = event->modifiers() & Qt::ShiftModifier ? Side::A : Side::B;
    int target = shown(side);
    // Past the gaps of removed stages.
    const auto next = [&](int by) {
        do
            target += by;
        while (target > 0 && target < stageCount() && !stage(target));
    };
    switch (event->key()) {
    case Qt::Key_Left:
        next(-1);
        break;
    case Qt::Key_Right:
        next(1);
        break;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        if (target >= capturedCount() && stage(target))
            emit removeRequested(target);
        else
            event->ignore();
        return;
    case Qt::Key_Home:
        target = 0;
        break;
    case Qt::Key_End:
        target = stageCount() - 1;
        break;
    default:
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    if (event->modifiers() & ~Qt::ShiftModifier & ~Qt::KeypadModifier) {
        event->ignore();
        return;
    }
    if (stage(target)) choose(side, target);
}

void TimelineView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void TimelineView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const int index = stageAt(help->pos()); index >= 0) {
            const Fact* known = fact(index);
            QString change;
            if (const int from = m_workspace.madeFrom(index); known && !known->change.isEmpty() && from >= 0)
                change = tr("%1 against %2").arg(known->change, toQString(stage(from)->label()));
            QToolTip::showText(
                help->globalPos(),
                stageToolTip(*stage(index), known ? known->size : tr("size not read yet"), change), this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    if (event->type() == QEvent::Leave && m_hover >= 0) {
        m_hover = -1;
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.fillRect(viewport()->rect(), c.bg1);
    painter.fillRect(QRect(0, viewport()->height() - 1, viewport()->width(), 1), c.line);
    if (stageCount() == 0) {
        painter.setPen(c.text3);
        painter.setFont(m_theme.font(FontRole::Text));
        const QString why =
            m_compile ? tr("PyTorch printed no graph for this compile") : tr("No capture is open");
        painter.drawText(viewport()->rect(), Qt::AlignCenter, why);
        return;
    }
    painter.save();
    painter.setClipRect(m_theme.scaled(labelWidth), 0, viewport()->width(), viewport()->height());
    drawPhases(painter);
    drawTrack(painter);
    drawStages(painter);
    painter.restore();
    drawLabel(painter);
}

void TimelineView::drawLabel(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int x = m_theme.scaled(12), y = trackY();
    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text);
    painter.drawText(QRect(x, y - m_theme.scaled(17), m_theme.scaled(labelWidth), m_theme.scaled(17)),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Captured"));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text3);
    painter.drawText(QRect(x, y + m_theme.scaled(1), m_theme.scaled(labelWidth), m_theme.scaled(17)),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("PyTorch"));
    if (stageCount() == capturedCount()) return;
    const int second = computedY();
    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text);
    painter.drawText(QRect(x, second - m_theme.scaled(15), m_theme.scaled(labelWidth), m_theme.scaled(17)),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Computed"));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text3);
    painter.drawText(QRect(x, second + m_theme.scaled(1), m_theme.scaled(labelWidth), m_theme.scaled(17)),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("engine"));
}

void TimelineView::drawPhases(QPainter& painter) const {
    if (m_compact) return;
    const Colours& c = m_theme.colours();
    QFont font = m_theme.font(FontRole::CodeSmall);
    font.setFamily(m_theme.font(FontRole::Text).family());
    painter.setFont(font);
    const QFontMetrics metrics(font);
    const int y = m_theme.scaled(6), height = metrics.height();
    bool severalAttempts = false;
    for (int i = 1; i < capturedCount(); ++i)
        severalAttempts |= stage(i)->attempt != stage(0)->attempt;
    for (int first = 0; first < capturedCount();) {
        const session::Stage& s = *stage(first);
        int last = first;
        while (last + 1 < capturedCount() && stage(last + 1)->phase == s.phase &&
               stage(last + 1)->attempt == s.attempt)
            ++last;
        QString name = toQString(session::phaseName(s.phase));
        if (severalAttempts) name += tr(", attempt %1").arg(s.attempt);
        const int left = stageX(first) - int(m_step / 2) + 4, right = stageX(last) + int(m_step / 2) - 4;
        painter.setPen(c.text3);
        const QString shown = metrics.elidedText(name, Qt::ElideRight, right - left);
        const int width = metrics.horizontalAdvance(shown);
        const int middle = (left + right) / 2;
        painter.drawText(QRect(middle - width / 2 - 1, y, width + 2, height), Qt::AlignCenter, shown);
        painter.setPen(QPen(c.line2, 1));
        const double lineY = y + height / 2.0 + 0.5;
        const int gap = width / 2 + 6;
        if (middle - gap > left) {
            painter.drawLine(QPointF(left, lineY), QPointF(middle - gap, lineY));
            painter.drawLine(QPointF(middle + gap, lineY), QPointF(right, lineY));
            painter.drawLine(QPointF(left, lineY), QPointF(left, lineY + 4));
            painter.drawLine(QPointF(right, lineY), QPointF(right, lineY + 4));
        }
        first = last + 1;
    }
}

void TimelineView::drawTrack(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int last = capturedCount() - 1;
    painter.setPen(QPen(c.line2, 2));
    painter.drawLine(stageX(0), trackY(), stageX(last), trackY());
    drawComputedTrack(painter);
    const int a = shown(Side::A), b = shown(Side::B);
    if (!stage(a) || !stage(b)) return;
    const int y = centre(b).y();
    if (y != centre(a).y()) return; // the line down to a computed stage tells enough
    const int left = std::min(stageX(a), stageX(b)), right = std::max(stageX(a), stageX(b));
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.accentBg);
    painter.drawRoundedRect(QRectF(left, y - 7, right - left, 14), 7, 7);
    painter.setPen(QPen(c.accent, 3, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(left, y, right, y);
}

QFont TimelineView::nameFont(int index) const {
    const bool chosen = index == shown(Side::A) || index == shown(Side::B);
    QFont font = m_theme.font(chosen ? FontRole::Strong : FontRole::Text);
    font.setPixelSize(m_theme.scaled(11));
    return font;
}

int TimelineView::nameRoom() const {
    return m_compact ? m_theme.scaled(120) : int(m_step) - 6;
}

QRect TimelineView::nameRect(int index) const {
    const int a = shown(Side::A), b = shown(Side::B);
    if (!stage(index) || (m_compact && index != a && index != b)) return {};
    const auto place = [this](int i) {
        const QFontMetrics metrics(nameFont(i));
        const int width =
            metrics.horizontalAdvance(metrics.elidedText(stageName(i), Qt::ElideMiddle, nameRoom())) + 2;
        const int x = stageX(i), least = m_theme.scaled(labelWidth) + 2;
        // The outermost names move inwards rather than out of sight.
        int left = std::max(x - width / 2, std::min(x - discRadius, least));
        left = std::min(left, std::max(x + discRadius, viewport()->width() - 2) - width);
        const int y = centre(i).y() + m_theme.scaled(i < capturedCount() ? -30 : 11);
        return QRect(left, y, width, m_theme.scaled(17));
    };
    QRect rect = place(index);
    const int first = std::min(a, b);
    if (!m_compact || index == first || !stage(first) || centre(index).y() != centre(first).y()) return rect;
    // In a narrow window the names of neighbours are wider than the step between them.
    rect.moveLeft(std::max(rect.left(), place(first).right() + m_theme.scaled(8)));
    return rect;
}

void TimelineView::drawStages(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    const int a = shown(Side::A), b = shown(Side::B);
    QFont plain = m_theme.font(FontRole::Text), strong = m_theme.font(FontRole::Strong);
    plain.setPixelSize(m_theme.scaled(11));
    strong.setPixelSize(m_theme.scaled(11));
    const QFont small = m_theme.font(FontRole::CodeSmall);
    const int row = m_theme.scaled(17);
    for (int i = 0; i < stageCount(); ++i) {
        if (!stage(i)) continue;
        const int x = stageX(i), y = centre(i).y();
        const bool computed = i >= capturedCount();
        if (x < -int(m_step) || x > viewport()->width() + int(m_step)) continue;
        const bool chosen = i == a || i == b;
        const Fact* known = fact(i);

        if (!m_compact || chosen) {
            painter.setFont(nameFont(i));
            painter.setPen(chosen || i == m_hover ? c.text : c.text2);
            const int room = nameRoom();
            painter.drawText(nameRect(i), Qt::AlignCenter,
                             painter.fontMetrics().elidedText(stageName(i), Qt::ElideMiddle, room));
            if (known && !computed) {
                painter.setFont(plain);
                painter.setPen(c.text2);
                painter.drawText(QRect(x - room / 2, y + m_theme.scaled(12), room, row), Qt::AlignCenter,
                                 known->size);
            }
        }
        if (known && i > 0 && !computed && !known->change.isEmpty()) {
            painter.setFont(small);
            const bool quiet = known->change == u'=' || known->change == u'≈';
            painter.setPen(quiet ? c.text3 : c.text2);
            // Between the node counts where those are drawn; the tooltip has what does not fit.
            const Fact* before = fact(i - 1);
            const auto half = [&](int of, const Fact* f) {
                const bool drawn = f && (!m_compact || of == a || of == b);
                return drawn ? QFontMetrics(plain).horizontalAdvance(f->size) / 2 + 3 : discRadius;
            };
            const int left = stageX(i - 1) + half(i - 1, before) + 2, right = x - half(i, known) - 2;
            // The filled circle says that something changed; half a count would say something else.
            if (QFontMetrics(small).horizontalAdvance(known->change) <= right - left)
                painter.drawText(QRect(left, y + m_theme.scaled(8), right - left, row), Qt::AlignCenter,
                                 known->change);
        }

        const QPointF at(x, y);
        if (computed) drawVerdict(painter, i);
        if (i == a || i == b) {
            const bool both = a == b;
            painter.setPen(QPen(c.bg1, 2));
            painter.setBrush(c.accent);
            const double spread = both ? discRadius + 1 : 0;
            QFont letter = strong;
            letter.setBold(true);
            painter.setFont(letter);
            for (const Side side : {Side::A, Side::B}) {
                if ((side == Side::A ? a : b) != i) continue;
                const QPointF centre = at + QPointF(side == Side::A ? -spread : spread, 0);
                painter.setPen(QPen(c.bg1, 2));
                painter.drawEllipse(centre, discRadius, discRadius);
                painter.setPen(c.bg1);
                painter.drawText(
                    QRectF(centre.x() - discRadius, centre.y() - discRadius, 2 * discRadius, 2 * discRadius),
                    Qt::AlignCenter, side == Side::A ? QStringLiteral("A") : QStringLiteral("B"));
            }
            if (hasFocus() && i == b) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(c.accent, 1));
                painter.drawEllipse(at, discRadius + 4, discRadius + 4);
            }
            continue;
        }
        if (computed && m_workspace.verdict(stage(i)).kind != Verdict::Kind::NotRun) continue;
        const bool code = stage(i)->content == session::Stage::Content::Code;
        const double r = i == m_hover ? 6 : 4.5;
        painter.setPen(QPen(i == m_hover ? c.accent : c.text2, 1.5, computed ? Qt::DotLine : Qt::SolidLine));
        painter.setBrush(known && !known->same && !computed ? c.text2 : c.bg1);
        if (code)
            painter.drawRoundedRect(QRectF(x - r, y - r, 2 * r, 2 * r), 2, 2);
        else
            painter.drawEllipse(at, r, r);
    }
}

} // namespace dynascope::views
