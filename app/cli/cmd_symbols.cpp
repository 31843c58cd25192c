// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli symbols PATH [OTHER] [--json]
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "core/compare/compare.h"
#include "core/dynamo/symbol_report.h"
#include "core/session/symbol_hints.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using dynamo::SymbolNote;
using dynamo::SymbolPair;
using nlohmann::json;

struct SymbolsOptions {
    std::string path, other;
    bool json = false;
};

std::string_view kindName(SymbolPair::Kind kind) {
    switch (kind) {
    case SymbolPair::Kind::Same:
        return "same";
    case SymbolPair::Kind::Renamed:
        return "renamed";
    case SymbolPair::Kind::Specialised:
        return "specialised";
    case SymbolPair::Kind::Missing:
        return "missing";
    }
    return {};
}

void printJson(const json& document) {
    print(document.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

int explain(const session::Session& session, bool asJson) {
    json document = json::array();
    std::string out;
    for (const session::Compile& compile : session.compiles) {
        if (compile.symbols.empty()) continue;
        Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left, Table::Align::Left,
                     Table::Align::Left});
        for (const SymbolNote& note : dynamo::explainSymbols(compile)) {
            const session::SymbolInfo& symbol = *note.symbol;
            const std::string became = session::specialisation(symbol);
            table.add({symbol.symbol, symbol.value, symbol.range, symbol.source,
                       (became.empty() ? "" : became + "; ") + note.sentence()});
            document.push_back({{"compile_id", session::compileName(session, compile)},
                                {"symbol", symbol.symbol},
                                {"value", symbol.value},
                                {"range", symbol.range},
                                {"source", symbol.source},
                                {"became", symbol.became},
                                {"why", note.sentence()}});
        }
        out += session::compileName(session, compile) + "  " + compile.function + '\n' + table.toString("  ");
    }
    if (asJson)
        printJson(document);
    else
        print(out.empty() ? "no symbols: every size is a constant, or the capture does not record them\n"
                          : out);
    return exitOk;
}

int compare(const session::Session& a, const session::Session& b, bool asJson) {
    const Result<compare::Comparison> comparison = compare::compareSessions(a, b);
    if (!comparison) return fail(comparison.error());
    json document = json::array();
    std::string out;
    bool alike = true;
    for (const compare::CompileComparison& matched : comparison->compiles) {
        if (matched.a == compare::none || matched.b == compare::none) continue;
        const session::Compile& left = a.compiles[matched.a];
        const session::Compile& right = b.compiles[matched.b];
        Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left, Table::Align::Left,
                     Table::Align::Left});
        for (const SymbolPair& pair : dynamo::compareSymbols(left, right)) {
            alike = alike && pair.kind == SymbolPair::Kind::Same;
            table.add({pair.source, pair.a, pair.b, std::string(kindName(pair.kind)), pair.sentence});
            document.push_back({{"a", session::compileName(a, left)},
                                {"b", session::compileName(b, right)},
                                {"source", pair.source},
                                {"symbol_a", pair.a},
                                {"symbol_b", pair.b},
                                {"verdict", kindName(pair.kind)},
                                {"why", pair.sentence}});
        }
        if (!table.empty())
            out += session::compileName(a, left) + " and " + session::compileName(b, right) + "  " +
                   left.function + '\n' + table.toString("  ");
    }
    if (asJson)
        printJson(document);
    else
        print(out.empty() ? "no symbols in compiles that belong together\n" : out);
    return alike ? exitOk : exitFailure;
}

int run(const SymbolsOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    if (options.other.empty()) return explain(**session, options.json);
    const auto other = openInput(options.other);
    if (!other) return fail(other.error());
    return compare(**session, **other, options.json);
}

} // namespace

void addSymbols(Parser& parser) {
    auto options = std::make_shared<SymbolsOptions>();
    Command command = parser.command(
        "symbols",
        "Say why symbolic sizes have their names; with two captures, exit status 1 if a name differs");
    command.add("path", options->path, "Capture; - for standard input").required();
    command.add("other", options->other, "Capture of another run of the program, to compare with the first");
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
