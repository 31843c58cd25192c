// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/search_view.h"

#include "views/base/page_parts.h"
#include "views/base/row_table.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

using dynamo::SearchHit;
using Look = TableCell::Look;

QString kindText(SearchHit::Kind kind) {
    switch (kind) {
    case SearchHit::Kind::Function:
        return SearchView::tr("function");
    case SearchHit::Kind::Source:
        return SearchView::tr("source");
    case SearchHit::Kind::Instruction:
        return SearchView::tr("instruction");
    case SearchHit::Kind::Node:
        return SearchView::tr("node");
    case SearchHit::Kind::Guard:
        return SearchView::tr("guard");
    case SearchHit::Kind::Event:
        return SearchView::tr("break");
    }
    return {};
}

Tone toneOf(SearchHit::Kind kind) {
    switch (kind) {
    case SearchHit::Kind::Node:
        return Tone::Good;
    case SearchHit::Kind::Guard:
        return Tone::Accent;
    case SearchHit::Kind::Event:
        return Tone::Bad;
    default:
        return Tone::None;
    }
}

} // namespace

SearchView::SearchView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_table(new RowTable(tr("Found"),
                           {{tr("Step"), tr("The first step of its attempt that carries it out"), 70, true},
                            {tr("What"), {}, 90},
                            {tr("Text"), {}, 320},
                            {tr("Where"), {}, 200},
                            {tr("Steps"), tr("How many steps of the attempt carry it out"), 70, true}},
                           theme))
    , m_caption(plainLabel({}, "hint")) {
    m_table->setObjectName(QStringLiteral("dynamo.searchTable"));
    m_caption->setObjectName(QStringLiteral("dynamo.searchCaption"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_caption->setContentsMargins(12, 4, 12, 4);
    m_caption->setText(
        tr("Type into \"Search this recording\" (Ctrl+F): instructions, source lines that were "
           "traced, functions, nodes, guards and graph breaks."));
    m_caption->setWordWrap(true);
    column->addWidget(m_caption);
    column->addWidget(m_table, 1);
    const auto choose = [this](int row) {
        if (row >= 0 && std::size_t(row) < m_result.hits.size())
            emit stepChosen(m_result.hits[std::size_t(row)].step);
    };
    connect(m_table, &RowTable::rowSelected, this, choose);
    connect(m_table, &RowTable::rowActivated, this, choose);
}

void SearchView::setMessage(const QString& text) {
    m_result = {};
    m_table->setRows({});
    m_caption->setText(text);
}

void SearchView::setResult(const QString& text, dynamo::SearchResult result) {
    m_result = std::move(result);
    std::vector<TableRow> rows;
    rows.reserve(m_result.hits.size());
    for (const SearchHit& hit : m_result.hits)
        rows.push_back({{QString::number(hit.step), Look::MonoQuiet, Tone::None, {}, hit.step},
                        {kindText(hit.kind), Look::Chip, toneOf(hit.kind)},
                        {toQString(hit.text), Look::Mono, Tone::None, toQString(hit.text)},
                        {toQString(hit.place), Look::MonoQuiet},
                        {numberText(hit.times), Look::MonoQuiet, Tone::None, {}, qulonglong(hit.times)}});
    m_table->setRows(std::move(rows));
    const QString count = countText(m_result.hits.size(), tr("place"), tr("places"));
    m_caption->setText(m_result.hits.empty() ? tr("Nothing traced holds \"%1\".").arg(text)
                       : m_result.more       ? tr("The first %1 that hold \"%2\"").arg(count, text)
                                             : tr("%1 hold \"%2\"").arg(count, text));
}

dynamo::StepIndex SearchView::neighbour(dynamo::StepIndex step, bool back) const {
    const auto& hits = m_result.hits;
    if (back) {
        const auto at = std::lower_bound(hits.begin(), hits.end(), step,
                                         [](const SearchHit& hit, auto value) { return hit.step < value; });
        return at == hits.begin() ? dynamo::noStep : (at - 1)->step;
    }
    const auto at = std::upper_bound(hits.begin(), hits.end(), step,
                                     [](auto value, const SearchHit& hit) { return value < hit.step; });
    return at == hits.end() ? dynamo::noStep : at->step;
}

void SearchView::setStep(dynamo::StepIndex step) {
    const auto& hits = m_result.hits;
    const int selected = m_table->selected();
    if (selected >= 0 && std::size_t(selected) < hits.size() && hits[std::size_t(selected)].step == step)
        return;
    const auto at = std::lower_bound(hits.begin(), hits.end(), step,
                                     [](const SearchHit& hit, auto value) { return hit.step < value; });
    m_table->select(at != hits.end() && at->step == step ? int(at - hits.begin()) : -1);
}

} // namespace dynascope::views
