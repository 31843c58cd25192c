// SPDX-License-Identifier: BSD-3-Clause
#include "views/timeline/timeline_view.h"

#include "core/diff/graph_diff.h"
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

constexpr double minSpacing = 92;
constexpr double maxSpacing = 150;
constexpr int sideMargin = 12;
const QString taskTag = QStringLiteral("timeline");

QString detailOf(const session::Stage& stage) {
    if (stage.content == session::Stage::Content::Code) {
        const auto kernels = stage.kernelCount();
        return kernels == 1 ? TimelineView::tr("1 kernel") : TimelineView::tr("%1 kernels").arg(kernels);
    }
    const auto nodes = stage.nodeCount();
    if (nodes == 0) return TimelineView::tr("not readable");
    return nodes == 1 ? TimelineView::tr("1 node") : TimelineView::tr("%1 nodes").arg(nodes);
}

} // namespace

TimelineView::TimelineView(Workspace& workspace, Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_workspace(workspace)
    , m_theme(theme) {
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Stage timeline"));
    viewport()->setMouseTracking(true);

    connect(&m_workspace, &Workspace::placeChanged, this, [this](const Place& now, const Place& before) {
        if (now.capture != m_capture || now.compile != m_compile || now.capture != before.capture) rebuild();
        if (now.stageB != before.stageB) ensureVisible(now.stageB);
        viewport()->update();
    });
    connect(&m_workspace, &Workspace::captureClosed, this, &TimelineView::rebuild);
    connect(&m_theme, &Theme::changed, this, [this] {
        updateGeometry();
        updateScrollBar();
        viewport()->update();
    });
    rebuild();
}

TimelineView::~TimelineView() {
    m_workspace.tasks().cancel(taskTag);
}

QSize TimelineView::sizeHint() const {
    return {600, m_theme.scaled(104)};
}

QSize TimelineView::minimumSizeHint() const {
    return {200, m_theme.scaled(84)};
}

void TimelineView::rebuild() {
    m_workspace.tasks().cancel(taskTag);
    m_stations.clear();
    m_hovered = m_focused = -1;
    m_capture = m_workspace.place().capture;
    m_compile = m_workspace.place().compile;
    if (const session::Compile* compile = m_workspace.compile()) {
        for (std::size_t i = 0; i < compile->stages.size(); ++i) {
            const session::StagePtr& stage = compile->stages[i];
            m_stations.push_back({stage,
                                  QString::fromStdString(stage->shortLabel()),
                                  {},
                                  predecessor(*compile, int(i)),
                                  std::nullopt});
        }
    }
    updateScrollBar();
    compareNeighbours();
    ensureVisible(m_workspace.place().stageB);
    viewport()->update();
}

void TimelineView::compareNeighbours() {
    if (m_stations.empty()) return;
    struct Found {
        std::vector<std::optional<Counts>> changes;
        std::vector<QString> details;
    };
    // Stages are shared and immutable; the worker needs no more of this object than these two lists.
    std::vector<session::StagePtr> stages;
    std::vector<int> predecessors;
    for (const Station& s : m_stations) {
        stages.push_back(s.stage);
        predecessors.push_back(s.predecessor);
    }
    const auto work = [stages, predecessors](const TaskContext& task) {
        Found found;
        for (std::size_t i = 0; i < stages.size() && !task.cancelled(); ++i) {
            found.details.push_back(detailOf(*stages[i]));
            std::optional<Counts> counts;
            const int from = predecessors[i];
            if (from >= 0 && stages[i]->content == session::Stage::Content::Graph &&
                stages[std::size_t(from)]->content == session::Stage::Content::Graph) {
                const auto a = stages[std::size_t(from)]->graph();
                const auto b = stages[i]->graph();
                if (a && b) {
                    const diff::GraphDiff d = diff::diffGraphs(**a, **b);
                    counts = Counts{d.changed, d.added, d.removed, d.moved};
                }
            }
            found.changes.push_back(counts);
            task.report("Comparing stages", i + 1, stages.size());
        }
        return found;
    };
    m_workspace.tasks().run<Found>(taskTag, this, work, [this](Found found) {
        if (found.changes.size() != m_stations.size()) return;
        for (std::size_t i = 0; i < m_stations.size(); ++i) {
            m_stations[i].change = found.changes[i];
            m_stations[i].detail = found.details[i];
        }
        viewport()->update();
        emit changesReady();
    });
}

int TimelineView::labelWidth() const {
    return m_theme.scaled(84);
}

int TimelineView::lineY() const {
    return m_theme.scaled(42);
}

double TimelineView::spacing() const {
    if (m_stations.empty()) return maxSpacing;
    const double room = viewport()->width() - labelWidth() - 2.0 * sideMargin;
    return std::clamp(room / double(m_stations.size()), double(m_theme.scaled(int(minSpacing))),
                      double(m_theme.scaled(int(maxSpacing))));
}

double TimelineView::stationX(int stage) const {
    return labelWidth() + sideMargin + spacing() * (stage + 0.5) - horizontalScrollBar()->value();
}

std::optional<QPoint> TimelineView::stationCentre(int stage) const {
    if (stage < 0 || stage >= int(m_stations.size())) return std::nullopt;
    return QPoint(int(std::lround(stationX(stage))), lineY());
}

void TimelineView::updateScrollBar() {
    const int content = int(labelWidth() + 2 * sideMargin + spacing() * double(m_stations.size()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setRange(0, std::max(0, content - viewport()->width()));
    horizontalScrollBar()->setSingleStep(int(spacing() / 2));
}

void TimelineView::ensureVisible(int stage) {
    if (stage < 0 || stage >= int(m_stations.size())) return;
    const double half = spacing() / 2;
    const double x = stationX(stage);
    QScrollBar* bar = horizontalScrollBar();
    if (x - half < labelWidth()) bar->setValue(bar->value() - int(labelWidth() - (x - half)));
    if (x + half > viewport()->width()) bar->setValue(bar->value() + int(x + half - viewport()->width()));
}

int TimelineView::stationAt(const QPoint& pos) const {
    if (m_stations.empty() || pos.x() < labelWidth()) return -1;
    const double index = (pos.x() - (labelWidth() + sideMargin) + horizontalScrollBar()->value()) / spacing();
    const int stage = int(std::floor(index));
    return stage >= 0 && stage < int(m_stations.size()) ? stage : -1;
}

void TimelineView::choose(int stage, Side side) {
    const Place& place = m_workspace.place();
    if (stage < 0) return;
    const int a = side == Side::A ? stage : place.stageA;
    const int b = side == Side::B ? stage : place.stageB;
    if (a != place.stageA || b != place.stageB || place.page != Page::Stages) m_workspace.selectStages(a, b);
}

void TimelineView::setFocusStation(int stage) {
    if (m_stations.empty()) return;
    m_focused = std::clamp(stage, 0, int(m_stations.size()) - 1);
    ensureVisible(m_focused);
    viewport()->update();
}

QString TimelineView::changeText(int stage) const {
    if (stage < 0 || stage >= int(m_stations.size())) return {};
    const auto& change = m_stations[std::size_t(stage)].change;
    if (!change) return {};
    QStringList parts;
    if (change->added) parts << QStringLiteral("+%1").arg(change->added);
    if (change->removed) parts << QStringLiteral("\u2212%1").arg(change->removed);
    if (change->changed) parts << QStringLiteral("~%1").arg(change->changed);
    if (change->moved) parts << QStringLiteral("\u2195%1").arg(change->moved);
    return parts.isEmpty() ? QStringLiteral("=") : parts.join(QLatin1Char(' '));
}

QString TimelineView::toolTipText(int stage) const {
    const Station& s = m_stations[std::size_t(stage)];
    QString text = QString::fromStdString(s.stage->label());
    if (!s.detail.isEmpty()) text += QStringLiteral("  ") + s.detail;
    text += QStringLiteral("\n") + stageHelp(s.stage->name);
    if (s.change && s.predecessor >= 0) {
        const QString from = QString::fromStdString(m_stations[std::size_t(s.predecessor)].stage->label());
        const QString change = changeText(stage);
        text +=
            QStringLiteral("\n") + (change == QLatin1String("=") ? tr("Nothing changed since %1").arg(from)
                                                                 : tr("Since %1: %2").arg(from, change));
    }
    return text + QStringLiteral("\n") + tr("Click: compare as B.  Shift+click: compare as A");
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBar();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int stage = stationAt(event->pos());
    if (stage < 0) return;
    setFocusStation(stage);
    const Place& place = m_workspace.place();
    // A press on a disc begins a drag of that disc; anywhere else it chooses at once.
    if (stage == place.stageA && stage != place.stageB) {
        m_dragged = Side::A;
    } else if (event->modifiers() & Qt::ShiftModifier) {
        m_dragged = Side::A;
        choose(stage, Side::A);
    } else {
        m_dragged = Side::B;
        choose(stage, Side::B);
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const int stage = stationAt(event->pos());
    if (m_dragged && stage >= 0) choose(stage, *m_dragged);
    if (stage != m_hovered) {
        m_hovered = stage;
        viewport()->setCursor(stage < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
        viewport()->update();
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent*) {
    m_dragged.reset();
}

void TimelineView::leaveEvent(QEvent*) {
    m_hovered = -1;
    viewport()->update();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    QScrollBar* bar = horizontalScrollBar();
    bar->setValue(bar->value() - (delta.x() != 0 ? delta.x() : delta.y()));
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const int current = m_focused >= 0 ? m_focused : m_workspace.place().stageB;
    switch (event->key()) {
    case Qt::Key_Left:
        setFocusStation(current - 1);
        return;
    case Qt::Key_Right:
        setFocusStation(current + 1);
        return;
    case Qt::Key_Home:
        setFocusStation(0);
        return;
    case Qt::Key_End:
        setFocusStation(int(m_stations.size()) - 1);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(current, event->modifiers() & Qt::ShiftModifier ? Side::A : Side::B);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int stage = stationAt(help->pos());
        if (stage < 0)
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), toolTipText(stage), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace dynascope::views
