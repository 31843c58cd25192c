// SPDX-License-Identifier: BSD-3-Clause
//
// TimelineView: what is shown, where it stands, and what is worked out. Painting and input are in files of
// their own.
#include "views/timeline/timeline_view.h"

#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr int rightMargin = 48;
constexpr int minimumStep = 92;
constexpr int compactStep = 44;
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
        m_facts.clear(); // those of stages that are gone among them
        m_compile = nullptr;
        refresh();
    });
    connect(&m_workspace, &Workspace::captureReplaced, this, [this] {
        QHash<session::StageId, Fact> kept;
        for (int i = 0; m_workspace.compile() && i < m_workspace.stageCount(); ++i)
            if (const session::StagePtr at = m_workspace.stageAt(i); at && m_facts.contains(at->id()))
                kept.insert(at->id(), m_facts.value(at->id()));
        m_facts = std::move(kept);
        m_compile = nullptr;
    });
    connect(&m_workspace, &Workspace::computedChanged, this, [this] {
        m_slots.clear(); // one may have been removed, or come back
        refresh();
    });
    connect(&m_workspace, &Workspace::marksChanged, viewport(), qOverload<>(&QWidget::update));
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
    const int passes = m_unfolded >= 0 ? m_compact ? 44 : 50 : 0;
    return {600, m_theme.scaled((m_compact ? 84 : 104) + second + passes)};
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
    const auto at = m_facts.constFind(session::idOf(stage(index)));
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

QString TimelineView::caption(int index) const {
    const QFontMetrics metrics(nameFont(index));
    QString whole = stageName(index);
    if (metrics.horizontalAdvance(whole) <= nameRoom()) return whole;
    // A name that can be read says more than parts of a name and of a size.
    return elided(metrics, toQString(stage(index)->shortLabel()), Qt::ElideMiddle, nameRoom());
}

void TimelineView::refresh() {
    const session::Compile* compile = m_workspace.compile();
    if (compile != m_compile || std::size_t(m_workspace.stageCount()) != m_slots.size()) {
        const bool another = compile != m_compile;
        m_compile = compile;
        if (another) askPasses();
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
            fact.isHere = here->payload.bytes().has_value();
            if (!fact.isHere) return fact;
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
        [this, here](const Fact& fact) {
            if (!fact.isHere) return; // asked again once the stages change
            m_facts.insert(here->id(), fact);
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

QFont TimelineView::nameFont(int index) const {
    QFont font = m_theme.font(isChosen(index) ? FontRole::Strong : FontRole::Text);
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
        const int width = QFontMetrics(nameFont(i)).horizontalAdvance(caption(i)) + 2;
        const int x = stageX(i), least = m_theme.scaled(labelWidth) + 2;
        // The outermost names move inwards rather than out of sight.
        int left = std::max(x - width / 2, std::min(x - discRadius, least));
        left = std::min(left, std::max(x + discRadius, viewport()->width() - 2) - width);
        // But not into a neighbour's place.
        if (const int half = int(m_step / 2) - 3; !m_compact)
            left = std::clamp(left, x - half, std::max(x - half, x + half - width));
        // Over the badges that stand at the circles of a low timeline.
        const int y = centre(i).y() + m_theme.scaled(i >= capturedCount() ? 11 : m_compact ? -36 : -30);
        return QRect(left, y, width, m_theme.scaled(17));
    };
    QRect rect = place(index);
    const int first = std::min(a, b);
    if (!m_compact || index == first || !stage(first) || centre(index).y() != centre(first).y()) return rect;
    // In a narrow window the names of neighbours are wider than the step between them.
    rect.moveLeft(std::max(rect.left(), place(first).right() + m_theme.scaled(8)));
    return rect;
}

} // namespace dynascope::views
