// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/breaks_view.h"

#include "views/base/row_table.h"
#include "views/breaks/break_facts.h"
#include "views/inspector/fact_view.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

namespace dynascope::views {

namespace {

using dynamo::RecordedBreak;
using Look = TableCell::Look;

constexpr std::size_t mostLinks = 50; ///< steps that are listed of one cause

std::uint64_t bytesOf(const RecordedBreak& one) {
    return std::accumulate(one.occurrences.begin(), one.occurrences.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& occurrence) { return sum + occurrence.bytes; });
}

TableRow rowOf(const RecordedBreak& one) {
    const std::uint64_t bytes = bytesOf(one);
    const QString way = one.waysOut.empty() ? QString() : toQString(one.waysOut.front().kind);
    return {
        {toQString(one.reason), Look::Text, Tone::None, toQString(one.reason)},
        {one.failed ? RecordedBreaksView::tr("frame fails") : RecordedBreaksView::tr("break"), Look::Chip,
         one.failed ? Tone::Warn : Tone::Bad},
        {placeText(one.place), Look::MonoQuiet, Tone::None, toQString(one.place.file)},
        {numberText(one.occurrences.size()), Look::Mono, Tone::None, {}, qulonglong(one.occurrences.size())},
        {bytes > 0 ? bytesText(bytes) : QString(), Look::Mono, Tone::None, {}, qulonglong(bytes)},
        {way, Look::Chip, Tone::Good,
         one.waysOut.empty() ? QString() : toQString(one.waysOut.front().title)}};
}

} // namespace

RecordedBreaksView::RecordedBreaksView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_table(new RowTable(
          tr("Graph breaks of this recording"),
          {{tr("Reason"), {}, 420},
           {tr("What"),
            tr("A break ends a graph and goes on after it; a frame that fails runs without a graph"), 90},
           {tr("Line"), {}, 160},
           {tr("Frames"), tr("Compiles that it happened to; attempts of one compile count once"), 70, true},
           {tr("Handed over"),
            tr("Tensors on the stack and in locals where the graph broke: an upper bound of what the rest of "
               "the "
               "function is handed"),
            100, true},
           {tr("Way out"), {}, 100}},
          theme))
    , m_story(new FactView(theme)) {
    m_table->setObjectName(QStringLiteral("dynamo.breakTable"));
    m_story->setObjectName(QStringLiteral("dynamo.breakStory"));
    auto* split = new Splitter(Qt::Horizontal);
    split->addWidget(m_table);
    split->addWidget(m_story);
    split->setSizes({800, 360});
    for (int i = 0; i < split->count(); ++i)
        split->setCollapsible(i, false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(split);
    m_table->setEmptyText(tr("No graph broke and no frame failed in this recording."));
    setFocusProxy(m_table);
    connect(m_table, &RowTable::rowSelected, this, &RecordedBreaksView::show);
    connect(m_table, &RowTable::rowActivated, this, [this](int row) {
        if (row >= 0 && std::size_t(row) < m_breaks.size() && !m_breaks[std::size_t(row)].occurrences.empty())
            emit followed(QStringLiteral("step:%1").arg(m_breaks[std::size_t(row)].occurrences.front().step));
    });
    connect(m_story, &FactView::followed, this, &RecordedBreaksView::followed);
}

void RecordedBreaksView::setBreaks(std::vector<RecordedBreak> breaks) {
    m_breaks = std::move(breaks);
    std::vector<TableRow> rows;
    for (const RecordedBreak& one : m_breaks)
        rows.push_back(rowOf(one));
    m_table->setRows(std::move(rows));
    m_table->select(m_breaks.empty() ? -1 : 0);
    show(m_breaks.empty() ? -1 : 0);
}

void RecordedBreaksView::show(int row) {
    Facts facts;
    if (row < 0 || std::size_t(row) >= m_breaks.size()) {
        facts.title = tr("No graph break and no failed frame in this recording");
        facts.icon = QStringLiteral("tick");
        facts.good = true;
        return m_story->setFacts(facts);
    }
    const RecordedBreak& one = m_breaks[std::size_t(row)];
    facts.title = toQString(one.reason);
    facts.icon = QStringLiteral("scissors");
    if (one.place.line > 0) facts.subtitle = {mono(placeText(one.place))};
    Section where;
    where.title = tr("Where in the recording");
    for (std::size_t i = 0; i < std::min(one.occurrences.size(), mostLinks); ++i) {
        const RecordedBreak::Occurrence& at = one.occurrences[i];
        where.facts.push_back(
            fact(toQString(at.compile),
                 {link(tr("step %1").arg(at.step), QStringLiteral("step:%1").arg(at.step)),
                  quiet(tr("  graph of %1, %2 handed over")
                            .arg(countText(at.nodes, tr("node"), tr("nodes")), bytesText(at.bytes)))}));
    }
    if (one.occurrences.size() > mostLinks)
        where.facts.push_back(paragraph({quiet(tr("and %1 more").arg(one.occurrences.size() - mostLinks))}));
    facts.sections.push_back(std::move(where));
    if (!one.waysOut.empty()) facts.sections.push_back(waysOutSection(one.waysOut));
    facts.sections.push_back(causeSection(one.told));
    m_story->setFacts(facts);
}

} // namespace dynascope::views
