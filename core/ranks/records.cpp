// SPDX-License-Identifier: BSD-3-Clause
//
// What PyTorch itself wrote down about ranks: schedules, estimates, the order in which graphs ran.
#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/ranks/parts.h"

#include <algorithm>

namespace dynascope::ranks::detail {

namespace {

namespace json = capture::json;

/// Records of one kind, by rank, as Report::ranks has them.
using ByRank = std::vector<std::vector<std::size_t>>;

struct Found {
    ByRank schedules, meta, execution, compilerCollectives, mismatches, decisions;
    RowsByOwnId ids;
    Found(std::size_t ranks, RowsByOwnId rowsByOwnId)
        : schedules(ranks)
        , meta(ranks)
        , execution(ranks)
        , compilerCollectives(ranks)
        , mismatches(ranks)
        , decisions(ranks)
        , ids(std::move(rowsByOwnId)) {}
};

Found find(const Reader& reader, const std::vector<Row>& rows) {
    Found out(reader.ranks().size(), RowsByOwnId(reader, rows));
    const std::map<std::string_view, ByRank*> kinds = {
        {"artifact:inductor_collective_schedule", &out.schedules},
        {"artifact:inductor_runtime_and_tensor_meta", &out.meta},
        {"artifact:graph_execution", &out.execution},
        {"artifact:compiler_collective", &out.compilerCollectives},
        {"artifact:inductor_spmd_graph_mismatch", &out.mismatches},
        {"artifact:aot_joint_graph_sync_decision_cross_ranks", &out.decisions},
    };
    std::map<int, std::size_t> indexOf;
    for (std::size_t i = 0; i < reader.ranks().size(); ++i)
        indexOf.emplace(reader.ranks()[i], i);
    const session::RecordList& records = reader.session().records;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto kind = kinds.find(records.type(i));
        if (kind == kinds.end()) continue;
        if (const auto rank = indexOf.find(records.rank(i)); rank != indexOf.end())
            (*kind->second)[rank->second].push_back(i);
    }
    return out;
}

/// In which compiles a rank's graphs ran, but for those that resume a function which ranks broke apart in different
/// places; nothing where it cannot be read.
std::vector<std::string> executed(const RowsByOwnId& ids, const std::vector<Row>& rows, std::size_t rank,
                                  const session::Record& record) {
    simdjson::dom::parser parser;
    simdjson::dom::element document;
    const std::string text = record.payload.text();
    simdjson::dom::array order;
    std::vector<std::string> out;
    if (parser.parse(text).get(document) != simdjson::SUCCESS ||
        document["graph_execution_order"].get(order) != simdjson::SUCCESS)
        return out;
    for (const simdjson::dom::element entry : order) {
        std::string id(json::text(entry, "compile_id"));
        const std::size_t row = ids.find(rank, id);
        if (row != none && !rows[row].parts.empty() && rows[row].inner) continue;
        if (row != none) id = rows[row].shown.id;
        out.push_back(std::move(id));
    }
    return out;
}

void readExecution(const Reader& reader, const Found& found, const std::vector<Row>& rows, Report& out) {
    std::vector<std::string> keys(reader.ranks().size());
    std::map<std::string, std::vector<std::size_t>> by;
    std::map<std::string, std::vector<std::string>> orderOf;
    for (std::size_t rank = 0; rank < keys.size(); ++rank) {
        if (found.execution[rank].empty()) continue;
        std::vector<std::string> order =
            executed(found.ids, rows, rank, reader.session().records[found.execution[rank].back()]);
        if (order.empty()) continue;
        keys[rank] = joined(order, " ");
        by[keys[rank]].push_back(rank);
        orderOf.try_emplace(keys[rank], std::move(order));
    }
    out.executionOrder = groupsOf(reader.ranks(), keys);
    if (by.size() < 2) return;
    const auto most = std::ranges::max_element(by, {}, [](const auto& entry) { return entry.second.size(); });
    const bool waits = std::ranges::any_of(rows, [](const Row& row) { return !row.shown.lanes.empty(); });
    for (const auto& [key, ranks] : by) {
        if (key == most->first) continue;
        const auto &mine = orderOf.at(key), &theirs = orderOf.at(most->first);
        const auto [at, other] = std::ranges::mismatch(mine, theirs);
        Reason reason;
        reason.verdict = waits ? RanksVerdict::WillHang : RanksVerdict::MayBeWrong;
        reason.ranks = numbersOf(reader, ranks);
        reason.compile = at == mine.end() ? *other : *at;
        for (const Row& row : rows)
            if (row.shown.id == reason.compile) {
                reason.file = row.shown.at.file;
                reason.line = row.shown.at.line;
                reason.at = row.shown.compiles[ranks.front()];
            }
        reason.text = rankWords(reason.ranks) +
                      (at == mine.end() ? " " + verb(ranks.size(), "run") + " no graph more"
                                        : " " + verb(ranks.size(), "run") + " " + *at) +
                      " as graph " + std::to_string(at - mine.begin() + 1) + " of the run where " +
                      rankWords(numbersOf(reader, most->second)) + ' ' + verb(most->second.size(), "run") +
                      ' ' + (other == theirs.end() ? std::string("none") : *other);
        out.reasons.push_back(std::move(reason));
    }
}

/// One record of estimates: their sum, and the tensors as a text.
struct Meta {
    double ns = 0;
    std::string tensors;
};
Meta metaOf(const session::Record& record) {
    Meta out;
    simdjson::dom::parser parser;
    simdjson::dom::element document;
    const std::string text = record.payload.text();
    simdjson::dom::array ops;
    if (parser.parse(text).get(document) != simdjson::SUCCESS ||
        document["ops"].get(ops) != simdjson::SUCCESS)
        return out;
    for (const simdjson::dom::element op : ops) {
        out.ns += json::number(op, "estimated_runtime_ns");
        out.tensors += std::string(json::text(op, "name")) + ' ';
        simdjson::dom::element outputs;
        if (op["outputs"].get(outputs) == simdjson::SUCCESS) out.tensors += simdjson::minify(outputs);
        out.tensors += '\n';
    }
    return out;
}

void readMeta(const Reader& reader, const Found& found, Report& out) {
    std::vector<std::string> keys(reader.ranks().size());
    std::map<std::string, std::size_t> at;
    for (std::size_t rank = 0; rank < keys.size(); ++rank) {
        std::string all;
        for (const std::size_t i : found.meta[rank]) {
            const session::Record record = reader.session().records[i];
            const Meta meta = metaOf(record);
            const std::string id = found.ids.name(rank, record.compileId.toString());
            all += id + '\n' + reader.shared(meta.tensors, rank);
            const auto [runtime, isNew] = at.try_emplace(id, out.runtime.size());
            if (isNew) out.runtime.push_back({id, 0, 0, {}});
            auto& ns = out.runtime[runtime->second].ns;
            // Forward and backward write a record each.
            if (ns.empty() || ns.back().first != reader.ranks()[rank])
                ns.emplace_back(reader.ranks()[rank], 0.0);
            ns.back().second += meta.ns;
        }
        if (!all.empty()) keys[rank] = toHex(sha256(all));
    }
    out.tensorMeta = groupsOf(reader.ranks(), keys);
    for (Runtime& runtime : out.runtime) {
        const auto [least, most] =
            std::ranges::minmax_element(runtime.ns, {}, [](const auto& of) { return of.second; });
        runtime.fastest = least->first;
        // Where all are alike nobody is slowest: the same rank is named twice.
        runtime.slowest = most->second == least->second ? least->first : most->first;
    }
}

/// Without sends and receives, which are each rank's own.
std::string withoutSends(const std::string& schedule) {
    simdjson::dom::parser parser;
    simdjson::dom::array calls;
    if (parser.parse(schedule).get(calls) != simdjson::SUCCESS) return schedule;
    std::string out;
    for (const simdjson::dom::element call : calls) {
        std::string_view name;
        if (call.get(name) != simdjson::SUCCESS) return schedule;
        if (!isTransferName(name)) out.append(name).append("\n");
    }
    return out;
}

/// Inductor's schedules: collectives in the order of the generated code, without shapes.
void judgeSchedules(const Reader& reader, const Found& found, const std::vector<Row>& rows, Report& out) {
    std::map<std::pair<std::size_t, std::size_t>, std::map<std::string, std::vector<std::size_t>>>
        by; // row, n-th
    for (std::size_t rank = 0; rank < reader.ranks().size(); ++rank) {
        std::map<std::size_t, std::size_t> count;
        for (const std::size_t i : found.schedules[rank]) {
            const session::Record record = reader.session().records[i];
            const std::size_t row = found.ids.find(rank, record.compileId.toString());
            if (row == none || !rows[row].parts.empty()) continue; // the lanes say how they fit
            by[{row, count[row]++}][withoutSends(record.payload.text())].push_back(rank);
        }
    }
    for (const auto& [what, kinds] : by) {
        if (kinds.size() < 2) continue;
        const Row* row = &rows[what.first];
        const bool said = std::ranges::any_of(out.reasons, [&id = row->shown.id](const Reason& reason) {
            return reason.verdict == RanksVerdict::WillHang && reason.compile == id;
        });
        if (said) continue; // the graphs say more
        const auto most =
            std::ranges::max_element(kinds, {}, [](const auto& entry) { return entry.second.size(); });
        for (const auto& [schedule, ranks] : kinds) {
            if (schedule == most->first) continue;
            Reason reason = reasonAt(reader, *row, RanksVerdict::WillHang, ranks);
            reason.text = "Inductor scheduled the collectives of " + rankWords(reason.ranks) + " in " +
                          row->shown.id + " in another order than those of " +
                          rankWords(numbersOf(reader, most->second)) + " (inductor_collective_schedule)";
            out.reasons.push_back(std::move(reason));
        }
    }
}

void readNotices(const Reader& reader, const Found& found, const std::vector<Row>& rows, Report& out) {
    std::map<std::string, std::vector<std::size_t>> mismatches;
    std::set<std::string> decisions;
    for (std::size_t rank = 0; rank < reader.ranks().size(); ++rank) {
        for (const std::size_t i : found.mismatches[rank])
            mismatches[found.ids.name(rank, reader.session().records[i].compileId.toString())].push_back(
                rank);
        for (const std::size_t i : found.decisions[rank])
            decisions.insert(found.ids.name(rank, reader.session().records[i].compileId.toString()));
    }
    for (const auto& [id, ranks] : mismatches) {
        const session::Record record = reader.session().records[found.mismatches[ranks.front()].front()];
        Reason reason;
        if (const std::size_t row = found.ids.find(ranks.front(), record.compileId.toString()); row != none)
            reason = reasonAt(reader, rows[row], RanksVerdict::MayBeWrong, ranks);
        reason.verdict = RanksVerdict::MayBeWrong;
        reason.ranks = numbersOf(reader, ranks);
        reason.compile = id;
        reason.text =
            "PyTorch itself found that graphs differ between ranks (inductor_spmd_graph_mismatch): " +
            std::string(firstLine(trimmed(record.payload.text())));
        out.reasons.push_back(std::move(reason));
    }
    for (const std::string& id : decisions)
        out.notes.push_back(id + ": PyTorch made all ranks save the same for backward "
                                 "(aot_joint_graph_sync_decision_cross_ranks)");
    std::map<std::size_t, std::vector<std::size_t>> entered; // how often, by whom
    for (std::size_t rank = 0; rank < reader.ranks().size(); ++rank)
        entered[found.compilerCollectives[rank].size()].push_back(rank);
    if (entered.size() < 2) return;
    const auto most =
        std::ranges::max_element(entered, {}, [](const auto& entry) { return entry.second.size(); });
    for (const auto& [times, ranks] : entered) {
        if (times == most->first) continue;
        Reason reason;
        reason.verdict = RanksVerdict::WillHang;
        reason.ranks = numbersOf(reader, ranks);
        reason.text = rankWords(reason.ranks) + ' ' + verb(ranks.size(), "enter") + " compiler collectives " +
                      std::to_string(times) + " times where " + rankWords(numbersOf(reader, most->second)) +
                      ' ' + verb(most->second.size(), "enter") + " them " + std::to_string(most->first) +
                      " times";
        out.reasons.push_back(std::move(reason));
    }
}

} // namespace

bool compilerCollectives(const session::Session& session) {
    for (std::size_t i = 0; i < session.records.size(); ++i)
        if (session.records.type(i) == "artifact:compiler_collective") return true;
    for (const session::Compile& compile : session.compiles) {
        const std::string text = compile.metrics.text();
        const std::size_t at = text.find("enable_compiler_collectives");
        if (at != std::string::npos && text.substr(at, 40).find("true") != std::string::npos) return true;
    }
    return false;
}

void readRecords(const Reader& reader, const std::vector<Row>& rows, Report& out) {
    const Found found = find(reader, rows);
    readExecution(reader, found, rows, out);
    readMeta(reader, found, out);
    judgeSchedules(reader, found, rows, out);
    readNotices(reader, found, rows, out);
}

} // namespace dynascope::ranks::detail
