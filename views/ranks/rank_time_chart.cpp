// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/rank_time_chart.h"

#include "views/base/page_parts.h"
#include "views/compile_time/flame_chart.h"
#include "views/ranks/ranks_rows.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <unordered_set>

namespace dynascope::views {

namespace {

constexpr std::size_t mostTimeLanes = 32;

QString sinceZero(double us) {
    return toQString(ranks::timeWords(us));
}

/// What the tool tip says of one span.
class Tips {
public:
    Tips(const capture::RanksReading& reading, const ranks::TimeLanes& lanes)
        : m_report(reading.report)
        , m_times(reading.compileTimes)
        , m_lanes(lanes) {
        for (const ranks::CompileRow& row : m_report.rows)
            if (std::ranges::find(row.compiles, ranks::none) != row.compiles.end())
                m_ofSome.insert(row.compiles.begin(), row.compiles.end());
    }

    [[nodiscard]] QString of(const session::SpanTree& tree, const session::Span& span, int compile) const {
        const ranks::TimeLane& lane = m_lanes.lanes[std::size_t(span.lane)];
        const ranks::RankTime& rank = m_times.ranks[lane.shown];
        QStringList lines{RankTimeChart::tr("%1, rank %2").arg(toQString(tree.nameOf(span))).arg(rank.rank)};
        lines << RankTimeChart::tr("from %1 to %2: %3")
                     .arg(sinceZero(span.startUs), sinceZero(span.endUs), sinceZero(span.totalUs()));
        if (lane.ranks.size() > 1)
            lines << RankTimeChart::tr("One of %1, which begin and end within %2 of each other")
                         .arg(words(lane.ranks), sinceZero(m_lanes.apartUs));
        for (const ranks::CompileTime& one : rank.compiles)
            if (int(one.compile) == compile) addId(one, lines);
        if (isOfSome(std::size_t(compile))) lines << RankTimeChart::tr("Not all ranks have this compile.");
        if (span.open) lines << RankTimeChart::tr("The log ends before this compile does.");
        return lines.join(u'\n');
    }

    /// Whether other ranks have no such compile, as where one recompiles alone.
    [[nodiscard]] bool isOfSome(std::size_t compile) const { return m_ofSome.contains(compile); }

private:
    void addId(const ranks::CompileTime& one, QStringList& lines) const {
        const auto id = std::ranges::find(m_times.ids, one.row, &ranks::IdTime::row);
        if (id != m_times.ids.end() && id->ranks > 1)
            lines << RankTimeChart::tr(
                         "%1 on %2 ranks: begun by rank %3 first and by rank %4 last, %5 later; "
                         "ended by rank %6 first and by rank %7 last, %8 later")
                         .arg(toQString(m_report.rows[one.row].id))
                         .arg(id->ranks)
                         .arg(id->firstToBegin)
                         .arg(id->lastToBegin)
                         .arg(sinceZero(id->lastBeginUs - id->firstBeginUs))
                         .arg(id->firstToEnd)
                         .arg(id->lastToEnd)
                         .arg(sinceZero(id->lastEndUs - id->firstEndUs));
        lines << RankTimeChart::tr("Times are from %1").arg(toQString(ranks::sourceName(one.source)));
    }

    const ranks::Report& m_report;
    const ranks::CompileTimes& m_times;
    const ranks::TimeLanes& m_lanes;
    std::unordered_set<std::size_t> m_ofSome;
};

FlameWords flameWords(const capture::RanksReading& reading, const ranks::TimeLanes& lanes,
                      const ranks::LaneSpans& spans) {
    FlameWords out;
    for (const ranks::TimeLane& lane : lanes.lanes)
        out.lanes.push_back(
            {words(lane.ranks),
             toQString(readyWords(reading.compileTimes, reading.compileTimes.ranks[lane.shown]))});
    out.compiles = spans.compiles;
    const Tips tips(reading, lanes);
    for (std::size_t i = 0; i < spans.tree.spans.size(); ++i) {
        out.tips.push_back(tips.of(spans.tree, spans.tree.spans[i], spans.compiles[i]));
        out.odd.push_back(tips.isOfSome(std::size_t(spans.compiles[i])) ? 1 : 0);
    }
    return out;
}

QString sentences(const std::vector<std::string>& list) {
    QStringList out;
    for (const std::string& one : list)
        out << toQString(one);
    return out.join(u' ');
}

} // namespace

RankTimeChart::RankTimeChart(Theme& theme, QWidget* parent)
    : QWidget(parent) {
    m_summary = plainLabel({}, "hint");
    m_summary->setObjectName(QStringLiteral("ranks.times.summary"));
    m_clock = plainLabel({}, "hint");
    m_clock->setObjectName(QStringLiteral("ranks.times.clock"));
    m_chart = new FlameChart(theme);
    m_chart->setObjectName(QStringLiteral("ranks.times"));
    m_chart->setAccessibleName(tr("Compile time of all ranks on one clock"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QLabel* label : {m_summary, m_clock}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(10, 4, 10, 4);
    }
    column->addWidget(m_summary);
    column->addWidget(m_chart, 1);
    column->addWidget(m_clock);
    connect(m_chart, &FlameChart::selectionChanged, this, [this](int span) {
        if (span >= 0) emit chosen(m_chart->compileOf(span));
    });
    connect(m_chart, &FlameChart::activated, this,
            [this](int span) { emit activated(m_chart->compileOf(span)); });
}

void RankTimeChart::setReading(const capture::RanksReading& reading) {
    const ranks::CompileTimes& times = reading.compileTimes;
    const ranks::TimeLanes lanes = ranks::lanesOf(times, mostTimeLanes);
    ranks::LaneSpans spans = ranks::spansOf(times, lanes, reading.report);
    FlameWords words = flameWords(reading, lanes, spans);
    m_chart->setTree(reading.session, std::make_shared<const session::SpanTree>(std::move(spans.tree)), false,
                     std::move(words));
    m_chart->setVisible(!times.ranks.empty());
    QString summary = sentences(ranks::timeSentences(times, reading.report, 0));
    if (lanes.apartUs > 0)
        summary +=
            u' ' +
            tr("Ranks whose compiles begin and end within %1 of each other are one lane, drawn as one of "
               "them.")
                .arg(sinceZero(lanes.apartUs));
    m_summary->setText(summary);
    m_summary->setVisible(!summary.isEmpty());
    QString clock = sentences(times.lacks);
    if (!times.ranks.empty())
        clock = tr("0 is %1. %2").arg(toQString(ranks::utcText(times.zeroUs)), toQString(times.clock)) +
                (clock.isEmpty() ? QString() : u' ' + clock);
    m_clock->setText(clock.isEmpty() ? tr("These ranks compiled nothing.") : clock);
}

} // namespace dynascope::views
