// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli find PATH FILTER [--kind KIND]... [--limit N] [--json]
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "core/find/index.h"
#include "core/session/utf8.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace dynascope::cli {

namespace {

using find::Entry;
using nlohmann::json;

constexpr std::size_t widestText = 72;

struct FindOptions {
    std::string path, filter;
    std::vector<std::string> kinds;
    std::size_t limit = 200;
    bool json = false;
};

/// What is printed of the rows, of which there may be millions.
class Output {
public:
    Output(const FindOptions& options, std::set<find::Kind> kinds)
        : m_options(options)
        , m_kinds(std::move(kinds)) {}

    void add(const find::FoundIn& in) {
        const std::size_t before = m_found;
        Table table(std::vector<Table::Align>(7, Table::Align::Left));
        for (const std::size_t i : in.rows) {
            const Entry& row = in.entries.rows[i];
            if (!m_kinds.empty() && !m_kinds.contains(row.kind)) continue;
            ++m_found;
            if (m_options.limit > 0 && m_found > m_options.limit) continue;
            if (m_options.json)
                m_rows.push_back(document(in, row));
            else
                table.add(cells(in.entries, row));
        }
        if (m_found > before) ++m_captures;
        if (!table.empty()) print(in.title + " (" + in.path + ")\n" + table.toString("  "));
    }

    int finish(const find::Searched& searched) {
        const std::size_t left =
            m_options.limit > 0 && m_found > m_options.limit ? m_found - m_options.limit : 0;
        if (m_options.json) {
            json problems = json::array();
            for (const Error& problem : searched.problems)
                problems.push_back({{"path", valid(problem.file)}, {"problem", valid(problem.message)}});
            print(json{{"filter", valid(m_options.filter)},
                       {"captures", searched.captures},
                       {"captures_read", searched.read},
                       {"captures_found_in", m_captures},
                       {"found", m_found},
                       {"left_out", left},
                       {"graphs_unread", searched.unread},
                       {"problems", std::move(problems)},
                       {"rows", std::move(m_rows)}}
                      .dump(2) +
                  '\n');
        } else {
            if (left > 0) print("... and " + std::to_string(left) + " more: --limit 0 prints all\n");
            print(std::to_string(m_found) + " found in " + std::to_string(m_captures) + " of " +
                  count(searched.captures, "capture") + '\n');
            if (searched.unread > 0)
                print(count(searched.unread, "graph") + " cannot be read, and was not searched\n");
        }
        return m_found > 0 ? exitOk : exitFailure;
    }

private:
    static std::string valid(std::string_view text) { return session::toValidUtf8(text); }

    static std::string placeOf(const find::Entries& entries, const Entry& row) {
        const ir::StackTrace places = find::unpackPlaces(entries.of(row.places));
        return places.empty() ? std::string() : cli::placeText(places.back());
    }

    static std::vector<std::string> cells(const find::Entries& entries, const Entry& row) {
        const std::string& name = entries.of(row.name);
        std::string what = row.target == 0 ? entries.of(row.text) : ir::shortTarget(entries.of(row.target));
        std::replace(what.begin(), what.end(), '\n', ' ');
        return {entries.compiles[row.compile].name,
                std::string(kindName(row.kind)),
                row.kind == find::Kind::Stage ? std::string() : entries.of(row.stage),
                row.kind == find::Kind::Break || row.kind == find::Kind::Recompile ? std::string()
                                                                                   : entries.of(row.status),
                elide(name, widestText),
                elide(entries.of(row.meta).empty() ? what : what + "  " + entries.of(row.meta), widestText),
                placeOf(entries, row)};
    }

    static json document(const find::FoundIn& in, const Entry& row) {
        const find::EntryCompile& compile = in.entries.compiles[row.compile];
        json out{{"capture", valid(in.title)},
                 {"path", valid(in.path)},
                 {"compile", valid(compile.name)},
                 {"rank", compile.rank},
                 {"kind", std::string(kindName(row.kind))}};
        const auto add = [&](const char* key, find::TextId id) {
            if (id != 0) out[key] = valid(in.entries.of(id));
        };
        add("stage", row.stage);
        add("status", row.status);
        add("name", row.name);
        add("op", row.op);
        add("target", row.target);
        add("value", row.meta);
        add("module", row.module);
        add("text", row.text);
        if (const ir::StackTrace places = find::unpackPlaces(in.entries.of(row.places)); !places.empty()) {
            const ir::SourceLocation& at = places.back();
            out["file"] = valid(at.file);
            out["line"] = at.line;
            out["function"] = valid(at.function);
            out["code"] = valid(at.code);
        }
        return out;
    }

    const FindOptions& m_options;
    std::set<find::Kind> m_kinds;
    std::size_t m_found = 0, m_captures = 0;
    json m_rows = json::array();
};

int run(const FindOptions& options) {
    const Result<session::Filter> filter = session::Filter::parse(options.filter);
    if (!filter)
        return fail("filter, column " + std::to_string(filter.error().column) + ": " +
                    filter.error().message);
    if (filter->isEmpty())
        return fail("an empty filter finds everything: say what to find, as in \"op:aten.copy_\"");
    std::set<find::Kind> kinds;
    for (const std::string& name : options.kinds) {
        const auto at = std::find_if(find::kinds.begin(), find::kinds.end(),
                                     [&](find::Kind kind) { return kindName(kind) == name; });
        if (at == find::kinds.end())
            return fail("there is no kind " + name +
                        ": compile, break, recompile, guard, stage, node or kernel");
        kinds.insert(*at);
    }
    Output output(options, std::move(kinds));
    const Result<find::Searched> searched =
        find::search(options.path, *filter, [&output](const find::FoundIn& in) { output.add(in); });
    if (!searched) return fail(searched.error());
    for (const Error& problem : searched->problems)
        fail(problem);
    if (!searched->notKept.empty()) fail("the index is not kept: " + searched->notKept);
    const int status = output.finish(*searched);
    return searched->captures == 0 ? exitUsage : status;
}

} // namespace

void addFind(Parser& parser) {
    auto options = std::make_shared<FindOptions>();
    Command command =
        parser.command("find", "Find nodes, graph breaks, guards and kernels in many captures at once");
    command
        .add("path", options->path,
             "A capture, or a folder of captures: *.log, packed or not, *.pt2, *.dynascope")
        .required();
    command.add("filter", options->filter, "What to find, in the language of the window's filters")
        .required();
    command.add("--kind", options->kinds,
                "Only compile, break, recompile, guard, stage, node or kernel; may be given several times");
    command.add("--limit", options->limit, "Most rows that are printed; 0 for all (200)");
    command.flag("--json", options->json, "One JSON document on stdout");
    command.note(
        "  op:aten.copy_ file:train.py status:added    nodes that a stage has and the one before it has not\n"
        "  status:break file:train.py                  graph breaks, and compiles that ended with one\n"
        "  module:layers.12 dtype:f64                  values of a module\n"
        "  kernel:triton_poi                           generated kernels\n"
        "  \"size mismatch\"                             words, in whatever a row says\n"
        "Of a node, status: is added, changed, moved, removed or same, against the stage that its graph was "
        "made from.\n"
        "A folder keeps an index, .dynascope-find.sqlite, and reads again only what changed. Exit status: 0 "
        "found, 1\n"
        "nothing found, 2 unreadable.");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
