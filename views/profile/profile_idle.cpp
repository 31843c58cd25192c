// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_idle.h"

#include "core/profile/launch_coverage.h"
#include "views/base/page_parts.h"
#include "views/profile/idle_figures.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

using profile::IdleCause;
using profile::IdleGap;
using Look = TableCell::Look;

constexpr std::size_t mostGaps = 1000;

std::vector<TableColumn> gapColumns() {
    return {{tr("Idle"), tr("How long the device had nothing to do"), 90, true},
            {tr("At"), tr("Since the profile's first event"), 90, true},
            {tr("Waits for"),
             tr("launch: what ran next was launched only after the device had finished, so that it waited "
                "for the CPU\n"
                "device: it had been launched before, and the device took its time to begin\n"
                "unknown: nothing says what launched it"),
             90},
            {tr("The CPU meanwhile"),
             tr("Of a gap that waits for a launch: the event in which the launching thread was most of that "
                "time"),
             260},
            {tr("Before"), tr("What the device ran next"), 260}};
}

std::vector<TableColumn> graphColumns() {
    return {
        {tr("Graph"), {}, 220},
        {tr("Bound by"),
         tr("launches: it waits longer for launches than its kernels compute; else by its kernels"), 80},
        {tr("Waits"), tr("In its calls, between two of its kernels, for the launch of the second"), 80, true},
        {tr("Computes"), tr("What its kernels took"), 80, true},
        {tr("Kernels"), tr("In the whole profile, in so many calls"), 110, true},
        {tr("As a CUDA graph"),
         tr("What mode=\"reduce-overhead\" would make of it, by the page CUDA graphs. What it waits is what "
            "a CUDA graph could save at most."),
         260}};
}

QString nameOf(const profile::Profile& profile, std::uint32_t event) {
    return event == profile::none ? QString() : toQString(profile.nameOf(profile.events[event]));
}

/// An event, or what of being compiled it is.
QString doneIn(const profile::Joined& joined, std::uint32_t event) {
    if (event == profile::none) return tr("nothing recorded");
    const std::uint32_t row = joined.rowOf[event];
    if (row != profile::none && isOverhead(joined.rows[row].part))
        return toQString(partWords(joined.rows[row], {}));
    return nameOf(*joined.profile, event);
}

TableRow gapRow(const profile::Joined& joined, const IdleGap& gap, double longest) {
    const double duration = double(gap.duration);
    TableCell idle{profileTime(duration), Look::Mono};
    idle.sort = duration;
    idle.share = longest > 0 ? duration / longest : -1;
    idle.tone = gap.cause == IdleCause::Launch ? Tone::Bad : Tone::Other;
    TableCell at{profileTime(double(gap.start)), Look::MonoQuiet};
    at.sort = double(gap.start);
    const QString meanwhile = gap.cause == IdleCause::Launch ? doneIn(joined, gap.longest) : QString();
    return {idle,
            at,
            {toQString(idleCauseName(gap.cause))},
            {meanwhile, Look::Mono, Tone::None, threadWords(gap.cpu), {}, -1, true},
            {nameOf(*joined.profile, gap.after), Look::Mono, Tone::None, {}, {}, -1, true}};
}

TableRow graphRow(const IdleGraph& of) {
    const profile::LaunchedGraph& graph = of.graph;
    TableCell waits{profileTime(graph.waits), Look::Mono}, busy{profileTime(graph.busy), Look::Mono};
    waits.sort = graph.waits;
    busy.sort = graph.busy;
    TableCell verdict{of.asGraph};
    if (graph.replayed > 0)
        verdict.text = graph.replayed == graph.kernels
                           ? tr("it ran as one")
                           : tr("%1 of its kernels ran as one").arg(numberText(graph.replayed));
    TableCell bound{tr("kernels"), Look::Quiet};
    if (graph.isLaunchBound()) bound = {tr("launches"), Look::Text, Tone::Bad};
    TableCell kernels{
        tr("%1 in %2").arg(numberText(graph.kernels), countText(graph.calls, tr("call"), tr("calls"))),
        Look::Mono};
    kernels.sort = double(graph.kernels);
    return {{of.name, Look::Link}, bound, waits, busy, kernels, verdict};
}

QString noteText(const profile::IdleReport& report, const profile::Profile& profile, int device) {
    QStringList out;
    for (const profile::DeviceIdle& one : report.devices) {
        if (device != profile::everyDevice && one.device != device) continue;
        out << tr("%1 idle %2 of %3, %4 of it for launches")
                   .arg(toQString(profile.devices[one.device]), profileTime(one.all()),
                        profileTime(double(one.span)), profileTime(one.idle[std::size_t(IdleCause::Launch)]));
    }
    return out.join(QStringLiteral("; "));
}

} // namespace

std::vector<IdleGraph> idleGraphs(JoinedProfile& profile, const profile::IdleReport& report) {
    std::vector<IdleGraph> out;
    if (report.graphs.empty()) return out;
    const profile::Joined& joined = *profile.joined;
    profile::LaunchCoverage coverage(*profile.facts);
    for (const profile::LaunchedGraph& graph : report.graphs) {
        ProfileLink link;
        link.compile = graph.compile;
        link.code = joined.session->compiles[std::size_t(graph.compile)].stages[std::size_t(graph.stage)];
        const std::string words =
            graph.replayed > 0 ? std::string() : profile::coverageWords(coverage.of(graph));
        out.push_back({graph, toQString(launchedName(joined, graph)), toQString(words), std::move(link)});
    }
    return out;
}

ProfileIdle::ProfileIdle(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_graphs(new RowTable(tr("Graphs that launch kernels"), graphColumns(), theme))
    , m_gaps(new RowTable(tr("Gaps"), gapColumns(), theme))
    , m_note(plainLabel({}, "label"))
    , m_tables(new QSplitter(Qt::Vertical)) {
    setObjectName(QStringLiteral("profile.idle"));
    m_graphs->setObjectName(QStringLiteral("profile.idle.graphs"));
    m_gaps->setObjectName(QStringLiteral("profile.idle.gaps"));
    m_gaps->setEmptyText(tr("The device had no gap."));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(12, 4, 12, 4);
    column->addWidget(m_note);
    m_tables->setChildrenCollapsible(false);
    m_tables->addWidget(m_graphs);
    m_tables->addWidget(m_gaps);
    m_tables->setStretchFactor(0, 2);
    m_tables->setStretchFactor(1, 3);
    column->addWidget(m_tables, 1);
    connect(m_gaps, &RowTable::rowSelected, this, [this](int row) {
        if (row < 0 || std::size_t(row) >= m_shownGaps.size()) return;
        const IdleGap& gap = m_report->gaps[m_shownGaps[std::size_t(row)]];
        emit gapChosen(gap.before, gap.after);
    });
    connect(m_gaps, &RowTable::rowActivated, this, [this](int row) {
        if (row >= 0 && std::size_t(row) < m_shownGaps.size())
            emit eventFollowed(m_report->gaps[m_shownGaps[std::size_t(row)]].after);
    });
    const auto followGraph = [this](int row) {
        if (row >= 0 && std::size_t(row) < m_links.size()) emit graphFollowed(m_links[std::size_t(row)]);
    };
    connect(m_graphs, &RowTable::rowActivated, this, followGraph);
    connect(m_graphs, &RowTable::linkActivated, this, [followGraph](int row, int) { followGraph(row); });
}

void ProfileIdle::clear() {
    m_joined.reset();
    m_report.reset();
    m_shownGaps.clear();
    m_links.clear();
    m_graphs->setRows({});
    m_gaps->setRows({});
}

void ProfileIdle::show(profile::JoinedPtr joined, std::shared_ptr<const profile::IdleReport> report,
                       const std::vector<IdleGraph>& graphs, int device) {
    clear();
    m_joined = std::move(joined);
    m_report = std::move(report);
    const auto isMeant = [device](std::uint8_t of) { return device == profile::everyDevice || device == of; };
    std::vector<TableRow> rows;
    for (const IdleGraph& graph : graphs) {
        if (!isMeant(graph.graph.device)) continue;
        m_links.push_back(graph.link);
        rows.push_back(graphRow(graph));
    }
    // As high as its rows need, and a part of the whole at most.
    constexpr std::size_t mostRows = 8;
    const int rowHeight = m_graphs->verticalHeader()->defaultSectionSize();
    const int high = m_graphs->horizontalHeader()->sizeHint().height() +
                     int(std::min(rows.size(), mostRows)) * rowHeight + 2 * m_graphs->frameWidth() + 2;
    m_graphs->setMaximumHeight(high);
    m_graphs->setMinimumHeight(std::min(high, 4 * rowHeight));
    m_graphs->setVisible(!rows.empty());
    m_graphs->setRows(std::move(rows));
    rows.clear();
    std::size_t left = 0;
    for (std::size_t i = 0; i < m_report->gaps.size(); ++i) {
        const IdleGap& gap = m_report->gaps[i];
        if (!isMeant(gap.device)) continue;
        if (m_shownGaps.size() == mostGaps) {
            ++left;
            continue;
        }
        m_shownGaps.push_back(i);
        const double longest = double(m_report->gaps[m_shownGaps.front()].duration);
        rows.push_back(gapRow(*m_joined, gap, longest));
    }
    m_gaps->setRows(std::move(rows));
    QString note = noteText(*m_report, *m_joined->profile, device);
    if (left > 0) note += QStringLiteral("; ") + tr("%1 shorter gaps are not listed").arg(numberText(left));
    m_note->setText(note);
}

} // namespace dynascope::views
