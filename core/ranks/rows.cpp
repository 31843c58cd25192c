// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/digest.h"
#include "core/compare/own.h"
#include "core/ir/place_text.h"
#include "core/ranks/parts.h"
#include "core/session/ranked_compiles.h"

#include <algorithm>

namespace dynascope::ranks::detail {

Reader::Reader(const session::Session& session, const std::vector<int>& ranks)
    : m_session(session)
    , m_ranks(ranks) {
    for (const int rank : ranks)
        m_devices.push_back(compare::ownDevice(session, rank));
    std::map<int, std::vector<const session::Run*>> later;
    std::map<int, std::string> firstFile; // by rank
    for (const session::Run& run : session.runs)
        if (firstFile.try_emplace(run.rank, run.file).first->second != run.file)
            later[run.number].push_back(&run);
    for (auto& [number, runs] : later)
        if (2 * runs.size() <= ranks.size()) m_apart.emplace(number, std::move(runs));
}

std::vector<std::string> Reader::runsApart() const {
    std::vector<std::string> out;
    for (const auto& [number, runs] : m_apart) {
        std::vector<int> having;
        for (const session::Run* run : runs)
            having.push_back(run->rank);
        std::ranges::sort(having);
        out.push_back(session::runWords(*runs.front()) + " is run " + std::to_string(number) + " of " +
                      rankWords(having) + " alone, and is not compared: other ranks have no such run");
    }
    return out;
}

std::string Reader::shared(std::string_view text, std::size_t rank) const {
    return compare::withoutAddresses(compare::withoutOwnDevice(text, m_devices[rank]));
}

const Reading& Reader::read(const session::Stage& stage, std::size_t rank) {
    std::string digest = toHex(sha256(shared(stage.payload.text(), rank)));
    std::unique_ptr<Reading>& reading = m_readings[digest];
    if (!reading) {
        reading = std::make_unique<Reading>();
        reading->digest = std::move(digest);
        if (const Result<ir::GraphPtr> graph = stage.graph()) {
            reading->form = formOf(*graph, m_devices[rank]);
            reading->collectives = collectivesOf(**graph);
            for (const Collective& call : reading->collectives)
                reading->transfers.push_back(transfersOf(**graph, call));
        }
    }
    return *reading;
}

const session::Compile& compileOf(const Reader& reader, const Row& row, std::size_t rank) {
    return reader.session().compiles[row.shown.compiles[rank]];
}

namespace {

int lastAttempt(const session::Compile& compile) {
    int last = 0;
    for (const session::StagePtr& stage : compile.stages)
        last = std::max(last, stage->attempt);
    return last;
}

} // namespace

void findLabels(const Reader& reader, Row& row) {
    std::map<std::string, std::vector<std::size_t>> having;
    std::vector<std::string> order;
    for (const std::size_t rank : row.present) {
        const session::Compile& compile = compileOf(reader, row, rank);
        const int last = lastAttempt(compile);
        for (const session::StagePtr& stage : compile.stages) {
            if (stage->attempt != last || stage->content != session::Stage::Content::Graph) continue;
            const auto [at, isNew] = having.try_emplace(stage->label());
            if (isNew) order.push_back(at->first);
            if (at->second.empty() || at->second.back() != rank) at->second.push_back(rank);
        }
    }
    for (std::string& label : order) {
        std::vector<std::size_t>& ranks = having[label];
        if (ranks.size() == row.present.size())
            row.common.push_back(std::move(label));
        else
            row.partial.emplace_back(std::move(label), std::move(ranks));
    }
}

session::StagePtr stageOf(const session::Compile& compile, std::string_view label) {
    const int last = lastAttempt(compile);
    for (const session::StagePtr& stage : compile.stages)
        if (stage->attempt == last && stage->label() == label) return stage;
    return nullptr;
}

std::vector<Row> rowsOf(const Reader& reader) {
    const session::Session& session = reader.session();
    const std::vector<session::RankedCompile> ranked =
        session::rankedCompiles(session, reader.ranks(), [&](const session::Compile& compile) {
            return reader.isOfRunApart(compile);
        });
    std::vector<Row> out;
    for (const session::RankedCompile& of : ranked) {
        Row& row = out.emplace_back();
        row.frame = of.frame;
        row.function = of.function;
        row.inner = of.resumed;
        row.shown.id = of.id;
        row.shown.compiles = of.compiles;
        row.shown.letters.assign(of.compiles.size(), -1);
        for (std::size_t rank = 0; rank < of.compiles.size(); ++rank)
            if (of.compiles[rank] != none) row.present.push_back(rank);
        for (const auto& [id, ranks] : of.otherIds(session))
            row.shown.otherIds.emplace_back(id, numbersOf(reader, ranks));
        const session::Compile& first = compileOf(reader, row, row.present.front());
        row.shown.function = first.function;
        if (first.location()) row.shown.at = *first.location();
        findLabels(reader, row);
    }
    findParts(reader, out);
    std::map<std::size_t, std::string> functions;
    for (const Row& row : out)
        if (!row.inner) functions.try_emplace(row.function, row.shown.id);
    for (Row& row : out)
        if (const auto of = functions.find(row.function);
            row.inner && !row.parts.empty() && of != functions.end())
            row.shown.partOf = of->second;
    return out;
}

RowsByOwnId::RowsByOwnId(const Reader& reader, const std::vector<Row>& rows)
    : m_rows(rows)
    , m_rowOf(reader.ranks().size()) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const std::size_t rank : rows[i].present)
            m_rowOf[rank].emplace(compileOf(reader, rows[i], rank).id.toString(), i);
}

std::size_t RowsByOwnId::find(std::size_t rank, std::string_view id) const {
    const auto at = m_rowOf[rank].find(id);
    return at == m_rowOf[rank].end() ? none : at->second;
}

std::string RowsByOwnId::name(std::size_t rank, std::string id) const {
    const std::size_t row = find(rank, id);
    return row == none ? id : m_rows[row].shown.id;
}

std::vector<int> numbersOf(const Reader& reader, std::span<const std::size_t> indices) {
    std::vector<int> out;
    for (const std::size_t index : indices)
        out.push_back(reader.ranks()[index]);
    std::ranges::sort(out);
    return out;
}

Reason reasonAt(const Reader& reader, const Row& row, RanksVerdict verdict,
                std::span<const std::size_t> ranks) {
    Reason out;
    out.verdict = verdict;
    out.ranks = numbersOf(reader, ranks);
    out.compile = row.shown.id;
    out.file = row.shown.at.file;
    out.line = row.shown.at.line;
    for (const std::size_t rank : ranks)
        if (out.at == none) out.at = row.shown.compiles[rank];
    return out;
}

std::string verb(std::size_t ranks, std::string_view plural) {
    return std::string(plural) + (ranks == 1 ? "s" : "");
}

std::string placeWords(const Collective& collective) {
    const std::string place = ir::placeText(collective.at);
    return place.empty() ? place : (collective.near ? " near " : " at ") + place;
}

RankGroups groupsOf(const std::vector<int>& ranks, const std::vector<std::string>& keys) {
    RankGroups out;
    std::map<std::string_view, std::size_t> groupOf;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (keys[i].empty()) continue;
        const auto [at, isNew] = groupOf.try_emplace(keys[i], out.size());
        if (isNew) out.emplace_back();
        out[at->second].push_back(ranks[i]);
    }
    return out;
}

} // namespace dynascope::ranks::detail
