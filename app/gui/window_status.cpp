// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/window_status.h"

#include "app/gui/session_keeper.h"
#include "core/session/compile_counts.h"
#include "views/base/panel_turns.h"
#include "views/workspace/labels.h"
#include "views/workspace/trace.h"

#include <QLabel>
#include <QPushButton>
#include <QStatusBar>
#include <QTimer>
#include <cmath>

namespace dynascope::app {

using namespace views;

namespace {
const QString openTag = QStringLiteral("open");
constexpr int showAfterMs = 100;
constexpr quint64 megabyte = 1'000'000;
} // namespace

WindowStatus::WindowStatus(QStatusBar& bar, ProgressLine& line, Workspace& workspace, Theme& theme)
    : QObject(&bar)
    , m_bar(bar)
    , m_workspace(workspace)
    , m_line(line)
    , m_selection(new QLabel(&bar))
    , m_counts(new QLabel(&bar))
    , m_place(new QLabel(&bar))
    , m_progress(new QLabel(&bar))
    , m_following(new QLabel(&bar))
    , m_cancel(new QPushButton(tr("Cancel"), &bar))
    , m_delay(new QTimer(this)) {
    bar.setSizeGripEnabled(false);
    for (QLabel* label : {m_selection, m_counts, m_place, m_progress, m_following})
        label->setTextFormat(Qt::PlainText);
    m_selection->setObjectName(QStringLiteral("status.selection"));
    m_counts->setObjectName(QStringLiteral("status.counts"));
    m_following->setObjectName(QStringLiteral("status.following"));
    m_cancel->setProperty("link", true);
    bar.addWidget(m_progress);
    bar.addWidget(m_cancel);
    bar.addWidget(m_selection);
    bar.addWidget(m_counts);
    bar.addWidget(m_following);
    bar.addPermanentWidget(m_place);
    m_progress->hide();
    m_following->hide();
    m_cancel->hide();
    m_delay->setSingleShot(true);
    m_delay->setInterval(showAfterMs);
    connect(m_delay, &QTimer::timeout, this, [this] {
        m_line.setFraction(-1);
        m_line.show();
        if (m_progress->text().isEmpty())
            m_progress->setText(m_task == saveTag ? tr("Saving") : tr("Reading"));
        m_cancel->setToolTip(m_task == saveTag ? tr("Stop saving; the file stays as it was")
                                               : tr("Stop reading"));
        show(*m_progress, true);
        show(*m_cancel, true);
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (m_task == saveTag)
            m_workspace.tasks().cancel(saveTag);
        else
            m_workspace.cancelOpen();
    });
    TaskRunner& tasks = m_workspace.tasks();
    connect(&tasks, &TaskRunner::started, this, &WindowStatus::taskStarted);
    connect(&tasks, &TaskRunner::finished, this, &WindowStatus::taskFinished);
    connect(&tasks, &TaskRunner::progress, this, &WindowStatus::progressed);
    for (auto signal : {&Workspace::stagesChanged, &Workspace::diffChanged})
        connect(&m_workspace, signal, this, &WindowStatus::refresh);
    connect(&m_workspace, &Workspace::placeChanged, this, &WindowStatus::refresh);
    connect(&m_workspace, &Workspace::captureOpened, this,
            [this] { PanelTurns::of(m_workspace).ask(*this, [this] { countCaptures(); }); });
    connect(&m_workspace, &Workspace::captureClosed, this, &WindowStatus::countCaptures);
    connect(&m_workspace, &Workspace::captureReplaced, this, &WindowStatus::countCaptures);
    connect(&m_workspace, &Workspace::nodeSelected, this, &WindowStatus::refresh);
    connect(&m_workspace.trace(), &Trace::changed, this, &WindowStatus::refresh);
    connect(&theme, &Theme::changed, this, &WindowStatus::refresh);
    countCaptures();
}

/// While the bar shows a message it hides its parts, and whatever were shown then would stand in it.
void WindowStatus::show(QWidget& part, bool on) {
    if (!on || m_bar.currentMessage().isEmpty()) return part.setVisible(on);
    part.hide();
    part.setAttribute(Qt::WA_WState_ExplicitShowHide, false); // the bar shows it when the message has gone
}

void WindowStatus::setZoom(double factor) {
    m_zoom = factor;
    refresh();
}

void WindowStatus::setFollowing(const QString& text, const QString& path) {
    m_following->setText(text);
    m_following->setToolTip(path.isEmpty() ? QString() : plainToolTip(path));
    show(*m_following, !text.isEmpty());
}

void WindowStatus::setProblems(const QString& text) {
    m_problems = text;
    refresh();
}

/// Once for each capture that comes or goes: a long one has 10,000 compiles.
void WindowStatus::countCaptures() {
    const std::size_t captures = m_workspace.captures().size();
    session::CompileCounts all;
    for (const Workspace::Capture& capture : m_workspace.captures()) {
        const session::CompileCounts counts = session::countCompiles(*capture.session);
        all.compiles += counts.compiles;
        all.ids += counts.ids;
        all.graphs += counts.graphs;
        all.ranks += counts.ranks;
        all.runs += counts.runs;
    }
    QStringList parts{captures == 0 ? tr("Nothing open")
                                    : countText(captures, tr("capture"), tr("captures"))};
    if (captures == 1 && all.compiles > 0)
        parts << toQString(session::compilesText(all));
    else if (all.compiles > all.ids)
        parts << countText(all.compiles, tr("compile"), tr("compiles"));
    else if (all.ids > 0)
        parts << countText(all.ids, tr("compile id"), tr("compile ids"));
    if (all.graphs > 0) parts << countText(all.graphs, tr("graph"), tr("graphs"));
    m_counted = parts.join(QStringLiteral(", "));
    refresh();
}

void WindowStatus::refresh() {
    QString selected;
    if (const ir::Node* node = m_workspace.selectedNode()) {
        selected = toQString(node->name);
        const Side other = m_workspace.place().node.side == Side::A ? Side::B : Side::A;
        QStringList names;
        // A stage beside itself: the node is where it came from.
        const bool itself = m_workspace.stage(Side::A).graph == m_workspace.stage(Side::B).graph;
        const std::vector<ir::NodeIndex> related =
            itself ? std::vector<ir::NodeIndex>() : m_workspace.related();
        for (const ir::NodeIndex i : related) {
            if (names.size() == 4) {
                names << tr("%1 more").arg(related.size() - 4);
                break;
            }
            names << toQString(m_workspace.stage(other).graph->node(i).name);
        }
        if (!names.isEmpty()) {
            const QString arrow = other == Side::B ? QStringLiteral(" → ") : QStringLiteral(" ← ");
            selected += arrow + names.join(QStringLiteral(", "));
        }
    } else if (const QString asked = m_workspace.trace().subjectText(); !asked.isEmpty()) {
        selected = tr("%1: %2 in A, %3 in B")
                       .arg(asked)
                       .arg(m_workspace.relatedOn(Side::A).size())
                       .arg(countText(m_workspace.relatedOn(Side::B).size(), tr("node"), tr("nodes")));
    }
    m_selection->setText(selected);
    show(*m_selection, !selected.isEmpty());

    QStringList parts{m_counted};
    if (!m_problems.isEmpty() && !m_workspace.captures().empty()) parts << m_problems;
    m_counts->setText(parts.join(QStringLiteral(", ")));
    QString where;
    const Place& place = m_workspace.place();
    if (const session::Compile* compile = m_workspace.compile();
        compile && place.page == Page::Stages && place.stageA >= 0) {
        where = tr("A %1, B %2 of %3")
                    .arg(m_workspace.stageNumber(place.stageA))
                    .arg(m_workspace.stageNumber(place.stageB))
                    .arg(m_workspace.stageNumber(m_workspace.stageCount() - 1));
        if (m_zoom > 0) where += tr(" · zoom %1 %").arg(m_zoom * 100, 0, 'f', m_zoom < 0.02 ? 1 : 0);
    }
    m_place->setText(where);
}

void WindowStatus::taskStarted(const QString& tag) {
    if (tag != openTag && tag != saveTag) return;
    m_task = tag; // the newer one is shown
    m_progress->clear();
    m_delay->start();
}

void WindowStatus::taskFinished(const QString& tag) {
    if (tag != m_task || m_workspace.tasks().isRunning(tag)) return;
    m_task.clear();
    m_delay->stop();
    m_line.hide();
    show(*m_progress, false);
    show(*m_cancel, false);
    for (const QString& other : {openTag, saveTag})
        if (m_workspace.tasks().isRunning(other)) taskStarted(other);
}

void WindowStatus::progressed(const QString& tag, const QString& phase, quint64 done, quint64 total) {
    if (tag != m_task) return;
    const QString what = tag == saveTag ? tr("Saving") : phase;
    const auto amount = [](quint64 n) {
        return QString::number(double(n) / double(megabyte), 'f', n < 10 * megabyte ? 1 : 0);
    };
    m_progress->setText(total > 0 ? tr("%1 %2 of %3 MB").arg(what, amount(done), amount(total))
                                  : tr("%1 %2 MB").arg(what, amount(done)));
    m_line.setFraction(total > 0 ? double(done) / double(total) : -1);
}

} // namespace dynascope::app
