// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli compare A B [--from ID] [--to ID] [--json]  |  compare PATH [--json]: the ranks of one
// capture
#include "app/cli/command.h"
#include "app/cli/compare_passes_text.h"
#include "app/cli/info.h"
#include "app/cli/table.h"
#include "core/compare/explain.h"
#include "core/ranks/compared.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using compare::CompareVerdict;
using compare::Comparison;
using compare::CompileComparison;
using compare::RankComparison;
using nlohmann::ordered_json;
using session::Session;

struct CompareOptions {
    std::string a, b, from, to;
    bool json = false;
};

constexpr std::size_t mostLines = 5; ///< of a list in the text

/// "0/0", or "1:0/0" where there are several ranks; "-" for none.
std::string idOf(const Session& session, std::size_t compile) {
    if (compile == compare::none) return "-";
    return compileName(session, session.compiles[compile]);
}

std::string explanationText(const compare::Explanation& explanation) {
    std::string out = explanation.summary + '\n';
    if (!explanation.totals.empty()) out += explanation.totals + '\n';
    for (const std::string& point : explanation.points)
        out += "- " + point + '\n';
    return out;
}

std::string_view outcomeText(const std::optional<session::CacheEvent::Outcome>& outcome) {
    return outcome ? outcomeName(*outcome) : "not asked";
}

void addLines(std::string& out, const std::vector<std::string>& lines, const std::string& indent) {
    for (std::size_t i = 0; i < std::min(lines.size(), mostLines); ++i)
        out += indent + lines[i] + '\n';
    if (lines.size() > mostLines)
        out += indent + "and " + std::to_string(lines.size() - mostLines) + " more\n";
}

void addList(std::string& out, const char* what, const compare::ListComparison& list) {
    if (list.alike()) return;
    out += std::string("    ") + what + ": " + std::to_string(list.same) + " same\n";
    for (const auto& [side, lines] : {std::pair("A", &list.onlyA), std::pair("B", &list.onlyB)}) {
        if (lines->empty()) continue;
        out += "      only in " + std::string(side) + ": " + std::to_string(lines->size()) + '\n';
        addLines(out, *lines, "        ");
    }
}

/// All that is known of a pair that is not the same.
std::string detailText(const CompileComparison& pair) {
    std::string out;
    Table stages({Table::Align::Left, Table::Align::Left, Table::Align::Left});
    for (const compare::StageComparison& stage : pair.stages)
        stages.add({(stage.a ? stage.a : stage.b)->label(), std::string(compare::verdictName(stage.verdict)),
                    stage.verdict == CompareVerdict::Differs || stage.verdict == CompareVerdict::Unreadable
                        ? stage.difference
                    : stage.cached ? "from a cache on the other side"
                                   : ""});
    if (!stages.empty()) out += stages.toString("    ");
    addList(out, "symbols", pair.symbols);
    addList(out, "guards", pair.guards);
    if (pair.passes) out += passesReport(*pair.passes);
    return out;
}

std::string comparisonText(const Session& a, const Session& b, const Comparison& result) {
    std::string out = "A  " + a.title + "\nB  " + b.title + "\n\n";
    out += explanationText(compare::explain(a, b, result)) + '\n';
    out += count(result.same, "compile") + " the same, " + std::to_string(result.differing) + " different, " +
           std::to_string(result.onlyInA) + " only in A, " + std::to_string(result.onlyInB) + " only in B\n";
    if (!result.compiles.empty()) out += "\nCompiles\n";
    Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left, Table::Align::Left,
                 Table::Align::Right, Table::Align::Right});
    for (const CompileComparison& pair : result.compiles)
        table.add({idOf(a, pair.a), idOf(b, pair.b), std::string(compare::verdictName(pair.verdict)),
                   compare::placeOf(pair.a != compare::none ? a.compiles[pair.a] : b.compiles[pair.b]),
                   formatSeconds(pair.secondsA), formatSeconds(pair.secondsB)});
    if (!table.empty()) out += table.toString("  ");
    for (const CompileComparison& pair : result.compiles) {
        if (pair.verdict != CompareVerdict::Differs) continue;
        out += "\n" + idOf(a, pair.a) + " and " + idOf(b, pair.b) + ", matched by " +
               std::string(compare::matchName(pair.match)) + ": " + pair.difference + '\n' + detailText(pair);
    }
    std::string caches;
    for (const CompileComparison& pair : result.compiles)
        for (const compare::CacheComparison& cache : pair.caches) {
            if (cache.alike()) continue;
            caches += "  " + idOf(a, pair.a) + "  " + cache.cache + "  " + std::string(outcomeText(cache.a)) +
                      " / " + std::string(outcomeText(cache.b)) +
                      (cache.keyA == cache.keyB ? "  same key\n" : "  other key\n");
            addLines(caches, cache.differences, "    ");
        }
    if (!caches.empty()) out += "\nCaches\n" + caches;
    Table timings({Table::Align::Left, Table::Align::Right, Table::Align::Right});
    for (std::size_t i = 0; i < std::min<std::size_t>(result.timings.size(), 8); ++i) {
        const compare::TimingComparison& t = result.timings[i];
        timings.add({t.name, formatSeconds(t.secondsA), formatSeconds(t.secondsB)});
    }
    if (!timings.empty()) out += "\nTimings that are furthest apart\n" + timings.toString("  ");
    return out;
}

ordered_json compileJson(const Session& session, std::size_t index) {
    if (index == compare::none) return nullptr;
    const session::Compile& c = session.compiles[index];
    const ir::SourceLocation* at = c.location();
    return {{"rank", c.rank},
            {"compile_id", c.id.toString()},
            {"function", c.function},
            {"file", at != nullptr ? at->file : ""},
            {"line", at != nullptr ? at->line : 0},
            {"status", session::statusName(c.status)}};
}

ordered_json explanationJson(const compare::Explanation& explanation) {
    return {{"summary", explanation.summary}, {"totals", explanation.totals}, {"points", explanation.points}};
}

ordered_json valuesJson(const std::vector<compare::ValueComparison>& values) {
    ordered_json out = ordered_json::array();
    for (const compare::ValueComparison& value : values)
        out.push_back({{"name", value.name}, {"a", value.a}, {"b", value.b}});
    return out;
}

ordered_json listJson(const compare::ListComparison& list) {
    return {{"same", list.same}, {"only_a", list.onlyA}, {"only_b", list.onlyB}};
}

ordered_json pairJson(const Session& a, const Session& b, const CompileComparison& pair) {
    ordered_json stages = ordered_json::array(), caches = ordered_json::array();
    for (const compare::StageComparison& stage : pair.stages)
        stages.push_back({{"name", (stage.a ? stage.a : stage.b)->name},
                          {"k", (stage.a ? stage.a : stage.b)->k},
                          {"verdict", compare::verdictName(stage.verdict)},
                          {"difference", stage.difference},
                          {"cached", stage.cached},
                          {"node_a", stage.nodeA},
                          {"node_b", stage.nodeB},
                          {"added", stage.added},
                          {"removed", stage.removed},
                          {"changed", stage.changed},
                          {"moved", stage.moved}});
    for (const compare::CacheComparison& cache : pair.caches)
        caches.push_back({{"cache", cache.cache},
                          {"a", {{"outcome", outcomeText(cache.a)}, {"key", cache.keyA}}},
                          {"b", {{"outcome", outcomeText(cache.b)}, {"key", cache.keyB}}},
                          {"differences", cache.differences}});
    ordered_json out = {{"a", compileJson(a, pair.a)},
                        {"b", compileJson(b, pair.b)},
                        {"matched_by", compare::matchName(pair.match)},
                        {"verdict", compare::verdictName(pair.verdict)},
                        {"difference", pair.difference},
                        {"stages", std::move(stages)},
                        {"inputs", valuesJson(pair.inputs)},
                        {"symbols", listJson(pair.symbols)},
                        {"guards", listJson(pair.guards)},
                        {"caches", std::move(caches)},
                        {"seconds", {{"a", pair.secondsA}, {"b", pair.secondsB}}}};
    if (pair.passes) out["passes"] = passesDocument(*pair.passes);
    return out;
}

std::string dump(const ordered_json& document) {
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string comparisonJson(const Session& a, const Session& b, const Comparison& result) {
    ordered_json compiles = ordered_json::array(), timings = ordered_json::array();
    for (const CompileComparison& pair : result.compiles)
        compiles.push_back(pairJson(a, b, pair));
    for (const compare::TimingComparison& t : result.timings)
        timings.push_back({{"name", t.name},
                           {"seconds_a", t.secondsA},
                           {"seconds_b", t.secondsB},
                           {"count_a", t.countA},
                           {"count_b", t.countB}});
    return dump({{"a", a.path},
                 {"b", b.path},
                 {"verdict", result.alike() ? "same" : "differs"},
                 {"explanation", explanationJson(compare::explain(a, b, result))},
                 {"settings", valuesJson(result.settings)},
                 {"same", result.same},
                 {"differ", result.differing},
                 {"only_a", result.onlyInA},
                 {"only_b", result.onlyInB},
                 {"compiles", std::move(compiles)},
                 {"timings", std::move(timings)}});
}

std::string ranksText(const Session& session, const RankComparison& result) {
    std::string out = session.title + ", " + count(result.ranks.size(), "rank") + "\n\n" +
                      explanationText(compare::explainRanks(result)) + '\n';
    if (result.firstDiffering == compare::none) return out;
    const compare::RankRow& first = result.rows[result.firstDiffering];
    out += "first difference: " + first.compileId + ", rank " +
           std::to_string(result.ranks[static_cast<std::size_t>(first.differing)]) + ": " + first.difference +
           "\n\nRanks that compiled the same have the same letter\n";
    std::vector<Table::Align> columns(result.ranks.size() + 1, Table::Align::Left);
    columns.push_back(Table::Align::Left);
    Table table(columns);
    std::vector<std::string> head{"rank"};
    for (const int rank : result.ranks)
        head.push_back(std::to_string(rank));
    table.add(std::move(head));
    for (const compare::RankRow& row : result.rows) {
        std::vector<std::string> cells{row.compileId};
        for (const int group : row.group)
            cells.push_back(group < 0    ? "-"
                            : group < 26 ? std::string(1, static_cast<char>('a' + group))
                                         : std::to_string(group));
        cells.push_back(row.difference);
        table.add(std::move(cells));
    }
    return out + table.toString("  ");
}

std::string ranksJson(const Session& session, const RankComparison& result) {
    ordered_json rows = ordered_json::array();
    for (const compare::RankRow& row : result.rows)
        rows.push_back({{"compile_id", row.compileId},
                        {"groups", row.group},
                        {"verdict", row.alike() ? "same" : "differs"},
                        {"first_rank", row.alike() ? ordered_json()
                                                   : ordered_json(result.ranks[std::size_t(row.differing)])},
                        {"difference", row.difference}});
    const bool alike = result.firstDiffering == compare::none;
    return dump(
        {{"path", session.path},
         {"verdict", alike ? "same" : "differs"},
         {"explanation", explanationJson(compare::explainRanks(result))},
         {"ranks", result.ranks},
         {"first", alike ? ordered_json() : ordered_json(result.rows[result.firstDiffering].compileId)},
         {"compiles", std::move(rows)}});
}

int runRanks(const Session& session, bool json) {
    if (session.ranks.size() < 2)
        return fail("has one rank; compare takes two captures, or one with several ranks", session.path);
    const auto result = ranks::compareRanks(session);
    if (!result) return fail(result.error());
    print(json ? ranksJson(session, *result) : ranksText(session, *result));
    return result->firstDiffering == compare::none ? exitOk : exitFailure;
}

/// The compile "0/0" or "RANK:0/0".
Result<std::size_t> compileOf(const Session& session, const std::string& name) {
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const session::Compile& compile = session.compiles[i];
        const std::string id = compile.id.toString();
        if (name == id || name == std::to_string(compile.rank) + ':' + id) return i;
    }
    return failure("has no compile " + name, session.path);
}

Result<compare::Comparison> compareTwo(const CompareOptions& options, const Session& a, const Session& b) {
    if (options.from.empty()) return compare::compareSessions(a, b);
    const auto from = compileOf(a, options.from);
    if (!from) return tl::unexpected(from.error());
    const auto to = compileOf(b, options.to.empty() ? options.from : options.to);
    if (!to) return tl::unexpected(to.error());
    return compare::compareCompiles(a, *from, b, *to);
}

int run(const CompareOptions& options) {
    if (options.from.empty() && !options.to.empty()) return fail("compare --to takes --from as well");
    const auto a = openInput(options.a);
    if (!a) return fail(a.error());
    if (options.b.empty() && options.from.empty()) return runRanks(**a, options.json);
    const auto b = options.b.empty() ? a : openInput(options.b);
    if (!b) return fail(b.error());
    const auto result = compareTwo(options, **a, **b);
    if (!result) return fail(result.error());
    print(options.json ? comparisonJson(**a, **b, *result) : comparisonText(**a, **b, *result));
    return result->alike() ? exitOk : exitFailure;
}

} // namespace

void addCompare(Parser& parser) {
    auto options = std::make_shared<CompareOptions>();
    Command command = parser.command(
        "compare", "Compare two captures, or the ranks of one; exit status 1 when they differ");
    command.add("a", options->a, "Capture, or one with several ranks; - for standard input").required();
    command.add("b", options->b, "The other capture");
    command.add("--from", options->from, "Only this compile of A, such as 0/0, or RANK:0/0");
    command.add("--to", options->to,
                "The compile of B, or of A where that is the only capture; the same id if left out");
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
