// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/passes_verify.h"

#include "app/cli/table.h"
#include "core/rederive/verify_passes.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace dynascope::cli {

namespace {

using Kind = engine::PassVerdict::Kind;
using nlohmann::ordered_json;

ordered_json verdictJson(const RecordedCompile& compile, const engine::PassVerdict& verdict) {
    const inductor::PassRow& row = compile.passes.rows[verdict.row];
    return {{"compile", compile.name},  {"graph", row.phase->graph},
            {"phase", row.phase->name}, {"index", row.pass ? ordered_json(row.pass->index) : ordered_json()},
            {"name", row.name()},       {"verdict", engine::passKindName(verdict.kind)},
            {"reason", verdict.reason}, {"differences", verdict.differences},
            {"node", verdict.node},     {"node_before", verdict.nodeBefore}};
}

std::string text(const RecordedCompile& compile, const std::vector<engine::PassVerdict>& verdicts) {
    Table table({Table::Align::Right, Table::Align::Left, Table::Align::Left, Table::Align::Left,
                 Table::Align::Left});
    for (const engine::PassVerdict& verdict : verdicts) {
        const inductor::PassRow& row = compile.passes.rows[verdict.row];
        std::string why = verdict.reason;
        if (verdict.kind == Kind::Different && !verdict.node.empty())
            why += "; first at '" + verdict.node + '\'' +
                   (verdict.nodeBefore.empty() || verdict.nodeBefore == verdict.node
                        ? std::string()
                        : ", before the pass '" + verdict.nodeBefore + '\'');
        table.add({row.pass ? std::to_string(row.pass->index) : "-", row.name(), phaseName(*row.phase),
                   std::string(engine::passKindName(verdict.kind)), std::move(why)});
    }
    if (table.empty()) return compile.title + "    no pass changed a graph\n";
    return compile.title + table.toString("    ");
}

/// "14 changes: 12 equal, 1 different, 1 declined".
std::string summary(const std::vector<engine::PassVerdict>& all) {
    std::string out;
    for (const Kind kind :
         {Kind::Equal, Kind::Layout, Kind::Different, Kind::OrderDependent, Kind::Random, Kind::Declined}) {
        const auto n = std::ranges::count(all, kind, &engine::PassVerdict::kind);
        if (n > 0)
            out += (out.empty() ? ": " : ", ") + std::to_string(n) + ' ' +
                   std::string(engine::passKindName(kind));
    }
    return count(all.size(), "change") + out + '\n';
}

} // namespace

int verifyRecorded(const std::vector<RecordedCompile>& compiles, const VerifyPassesOptions& options) {
    const Result<ir::SymbolValues> symbols = symbolValues(options.symbols);
    if (!symbols) return fail(symbols.error());
    engine::Client client = makeClient(options.engine);
    engine::CallOptions call;
    call.timeout = std::chrono::seconds(options.timeout);
    std::vector<engine::PassVerdict> all;
    ordered_json document = ordered_json::array();
    std::string out;
    for (const RecordedCompile& compile : compiles) {
        ir::SymbolValues hints = compile.hints;
        for (const auto& [symbol, value] : *symbols)
            hints[symbol] = value;
        const auto verdicts = engine::verifyPasses(client, compile.passes, hints, call);
        if (!verdicts) return fail(verdicts.error(), options.path);
        for (const engine::PassVerdict& verdict : *verdicts)
            document.push_back(verdictJson(compile, verdict));
        out += text(compile, *verdicts);
        all.insert(all.end(), verdicts->begin(), verdicts->end());
    }
    print(options.json ? document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n'
                       : out + summary(all));
    return std::ranges::any_of(all, [](const engine::PassVerdict& v) { return v.kind == Kind::Different; })
               ? exitFailure
               : exitOk;
}

} // namespace dynascope::cli
