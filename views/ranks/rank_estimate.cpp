// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/rank_estimate.h"

#include "views/base/page_parts.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>
#include <cmath>

namespace dynascope::views {

namespace {

using EstimateLook = TableCell::Look;

constexpr int estimateLineColumn = 2;

std::vector<TableColumn> scalingColumns() {
    return {
        {RankEstimate::tr("Compile"), {}, 80},
        {RankEstimate::tr("What"), RankEstimate::tr("A collective, or an input that ranks hold parts of"),
         330},
        {RankEstimate::tr("Line"), RankEstimate::tr("The program's; a click shows it"), 150},
        {RankEstimate::tr("Now"), RankEstimate::tr("Bytes that each rank at least sends, or holds"), 90,
         true},
        {RankEstimate::tr("Whole stays"),
         RankEstimate::tr(
             "With the other number of ranks, where the whole of what is gathered, scattered or exchanged "
             "stays: each rank's part shrinks"),
         110, true},
        {RankEstimate::tr("Part stays"),
         RankEstimate::tr("With the other number of ranks, where each rank's part stays: the whole grows"),
         110, true},
        {RankEstimate::tr("How"), {}, 1400}};
}

TableCell bytesCell(double bytes, EstimateLook look = EstimateLook::Text) {
    return {bytesText(qulonglong(std::llround(bytes))), look, Tone::None, {}, bytes};
}

TableRow quietRow(const QString& what, const std::string& sentence) {
    return {{}, {what, EstimateLook::Quiet}, {}, {}, {}, {}, {toQString(sentence), EstimateLook::Quiet}};
}

void addCompile(const ranks::ScaledCompile& one, const ranks::CompileRow& row, EstimateRows& out) {
    const auto add = [&](TableRow cells, std::size_t call = ranks::none) {
        cells.front() = {toQString(row.id), EstimateLook::Mono};
        out.rows.push_back(std::move(cells));
        out.calls.emplace_back(call == ranks::none ? ranks::none : one.row, call);
    };
    for (const ranks::ScaledCall& scaled : one.calls) {
        const ranks::Collective& what = row.lanes.front().calls[scaled.call].what;
        TableRow cells{{},
                       {toQString(what.call() + "  " + shapesText(what)), EstimateLook::Mono},
                       {placeText(what.at), EstimateLook::Link}};
        if (const auto& moved = scaled.moved)
            for (const double bytes : {moved->now, moved->wholeStays, moved->partStays})
                cells.push_back(bytesCell(bytes));
        else
            cells.insert(cells.end(), {{RankEstimate::tr("not estimated"), EstimateLook::Quiet}, {}, {}});
        cells.push_back({toQString(scaled.words)});
        add(std::move(cells), scaled.call);
    }
    if (one.calls.size() > 1)
        add({{},
             {RankEstimate::tr("all collectives, each time they run"), EstimateLook::Strong},
             {},
             bytesCell(one.moved.now, EstimateLook::Strong),
             bytesCell(one.moved.wholeStays, EstimateLook::Strong),
             bytesCell(one.moved.partStays, EstimateLook::Strong),
             {}});
    for (const ranks::ShardedInput& input : one.sharded) {
        TableCell name{RankEstimate::tr("input %1").arg(toQString(input.name)), EstimateLook::Mono};
        name.cutMiddle = true;
        add({{},
             std::move(name),
             {},
             bytesCell(double(input.now)),
             bytesCell(input.then),
             bytesCell(double(input.now)),
             {toQString(input.words)}});
    }
    if (!one.sharded.empty())
        add({{},
             {RankEstimate::tr("all inputs on a rank"), EstimateLook::Strong},
             {},
             bytesCell(double(one.heldNow), EstimateLook::Strong),
             bytesCell(one.heldThen, EstimateLook::Strong),
             bytesCell(double(one.heldNow), EstimateLook::Strong),
             {}});
}

} // namespace

EstimateRows estimatedRows(const ranks::ScaleEstimate& estimate, const ranks::Report& report) {
    EstimateRows out;
    for (const ranks::ScaledCompile& one : estimate.compiles)
        addCompile(one, report.rows[one.row], out);
    const auto say = [&](const QString& what, const std::vector<std::string>& sentences) {
        for (const std::string& sentence : sentences) {
            out.rows.push_back(quietRow(what, sentence));
            out.calls.emplace_back(ranks::none, ranks::none);
        }
    };
    say(RankEstimate::tr("not told"), estimate.limits);
    say(RankEstimate::tr("taken for granted"), estimate.assumptions);
    return out;
}

RankEstimate::RankEstimate(Theme& theme, TaskRunner& tasks, QWidget* parent)
    : QWidget(parent)
    , m_tasks(tasks) {
    m_number = new QSpinBox;
    m_number->setObjectName(QStringLiteral("ranks.estimate.number"));
    m_number->setRange(1, int(ranks::mostRanks));
    m_number->setAccessibleName(tr("Number of ranks to estimate"));
    m_number->setKeyboardTracking(false);
    m_words = plainLabel({}, "hint");
    m_words->setObjectName(QStringLiteral("ranks.estimate.words"));
    m_table = new RowTable(tr("Other numbers of ranks"), scalingColumns(), theme);
    m_table->setObjectName(QStringLiteral("ranks.estimate"));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(10, 4, 10, 4);
    row->setSpacing(8);
    row->addWidget(plainLabel(tr("Ranks"), "hint"));
    row->addWidget(m_number);
    row->addWidget(m_words, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_table, 1);
    connect(m_number, &QSpinBox::valueChanged, this, [this] { estimate(); });
    connect(m_table, &RowTable::rowActivated, this, [this](int at) { activate(at, false); });
    connect(m_table, &RowTable::linkActivated, this,
            [this](int at, int of) { activate(at, of == estimateLineColumn); });
}

void RankEstimate::setReading(capture::RanksReadingPtr reading) {
    const bool same = m_reading && reading && m_reading->session == reading->session;
    m_reading = std::move(reading);
    if (!same && m_reading) {
        const QSignalBlocker block(m_number);
        m_number->setValue(int(m_reading->report.ranks.size()) * 2);
    }
    estimate();
}

void RankEstimate::estimate() {
    if (!m_reading) return;
    m_tasks.run<ranks::ScaleEstimate>(
        QStringLiteral("ranks.estimate"), this,
        [reading = m_reading, to = m_number->value()](const TaskContext&) {
            return ranks::estimateRanks(*reading->session, reading->report, to);
        },
        [this, reading = m_reading](const ranks::ScaleEstimate& found) {
            if (reading != m_reading) return;
            EstimateRows rows = estimatedRows(found, reading->report);
            m_words->setText(
                tr("in place of %1: an estimate by the graphs alone; nothing was run. What it takes for "
                   "granted stands at the end.")
                    .arg(found.from));
            m_calls = std::move(rows.calls);
            m_table->setRows(std::move(rows.rows));
        });
}

void RankEstimate::activate(int row, bool line) {
    const auto& [of, call] = m_calls[std::size_t(row)];
    if (of != ranks::none) emit callActivated(of, call, line);
}

} // namespace dynascope::views
