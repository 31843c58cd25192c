// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli replay PATH [--frame F] [--stage S] [--backend cpu|cuda] [--iterations N] [--verify N]
//                      [--threads N] [--times nodes|launch|both] [--rerecord N] [--json]
//                      [--trace OUT.json] [--csv OUT.csv] [--keep SESSION.dynascope]
//                      [--trees N] [--move-parameters N] [--hold N] [--rerecord-limit N] [--ranks simulated|N]
#include "app/cli/engine_command.h"
#include "app/cli/replay_all_ranks.h"
#include "app/cli/replay_trees.h"
#include "app/cli/table.h"
#include "core/base/text.h"
#include "core/capture/open.h"
#include "core/ranks/collectives.h"
#include "core/rederive/workload.h"
#include "core/replay/replay_export.h"
#include "core/store/session_file.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

namespace dynascope::cli {

namespace {

using engine::Workload;
using engine::WorkloadRun;
using nlohmann::json;

struct ReplayOptions {
    GraphOptions graph;
    EngineOptions engine;
    InputOptions inputs;
    std::size_t iterations = 100, nodeIterations = 100, verify = 25, top = 15;
    unsigned threads = 0;
    std::size_t rerecords = 0, trees = 0;
    engine::TreeWorkloadOptions tree;
    std::string trace, csv, keep, backend = "cpu", times = "nodes";
    RanksOptions ranks;
    bool json = false, noOneDnn = false;
};

/// What is replayed, and whether it is a whole capture.
struct Chosen {
    session::SessionPtr session;
    Workload workload;
    bool whole = false;
};

std::string kib(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f KiB", static_cast<double>(bytes) / 1024);
    return text;
}

std::string ratio(double of, double to) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", to > 0 ? of / to : 0);
    return text;
}

Result<Chosen> choose(const ReplayOptions& options) {
    const bool one = !options.graph.frame.empty() || !options.graph.stage.empty() ||
                     !options.inputs.file.empty() || options.graph.path == "-";
    if (!one) {
        const Result<session::SessionPtr> session = openInput(options.graph.path);
        if (!session) return tl::unexpected(session.error());
        const Result<ir::SymbolValues> symbols = symbolValues(options.inputs.symbols);
        if (!symbols) return tl::unexpected(symbols.error());
        Chosen out{*session, engine::workloadOf(**session, *symbols), true};
        if (!out.workload.graphs.empty() || !out.workload.left.empty()) return out;
    }
    const Result<ChosenGraph> chosen = chosenGraph(options.graph);
    if (!chosen) return tl::unexpected(chosen.error());
    Result<wire::RunOn> on = chosenInputs(options.inputs, *chosen);
    if (!on) return tl::unexpected(on.error());
    engine::WorkloadGraph graph;
    graph.name = "graph";
    graph.graph = chosen->graph;
    graph.inputs = std::move(on->inputs);
    graph.attributes = std::move(on->attributes);
    if (const auto choice = chooseStage(*chosen->session, options.graph.frame, options.graph.stage)) {
        const session::Stage& stage = *choice->stage;
        graph.name = chosen->compile ? chosen->compile->id.toString() + ' ' + stage.label() : stage.label();
        graph.address = {chosen->compile ? chosen->compile->rank : 0,
                         chosen->compile ? chosen->compile->id.toString() : "-",
                         stage.attempt,
                         stage.name,
                         stage.k,
                         {}};
    }
    Chosen out{chosen->session, {}, false};
    out.workload.graphs.push_back(std::move(graph));
    return out;
}

std::string nodeTable(const WorkloadRun& done, std::size_t top) {
    struct Row {
        std::size_t graph;
        const replay::NodeTime* time;
    };
    std::vector<Row> rows;
    double sum = 0;
    for (std::size_t i = 0; i < done.run.graphs.size(); ++i)
        for (const replay::NodeTime& time : done.run.graphs[i].nodes) {
            rows.push_back({i, &time});
            sum += time.us.median;
        }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.time->us.median > b.time->us.median; });
    using Align = Table::Align;
    Table table({Align::Right, Align::Right, Align::Right, Align::Right, Align::Left, Align::Left,
                 Align::Left, Align::Left});
    table.add({"median us", "min", "p99", "%", "node", "target", "mode", ""});
    for (std::size_t i = 0; i < std::min(rows.size(), top); ++i) {
        const replay::Spread& us = rows[i].time->us;
        const replay::RecordedNode& node = done.recordings[rows[i].graph].nodes[rows[i].time->node];
        char share[16];
        std::snprintf(share, sizeof share, "%.1f", sum > 0 ? 100 * us.median / sum : 0);
        table.add({micros(us.median), micros(us.min), micros(us.p99), share, node.name, node.target,
                   std::string(replay::nodeModeName(node.mode)),
                   done.run.graphs.size() > 1 ? done.run.graphs[rows[i].graph].plan : std::string()});
    }
    return rows.empty() ? std::string() : table.toString("  ");
}

/// What the device itself took, and how much of that its nodes explain.
std::string launchLine(const replay::GraphRun& graph) {
    if (!graph.launchUs) return {};
    std::string out = "  on the device: " + micros(graph.launchUs->median) + " us a launch (min " +
                      micros(graph.launchUs->min) + ", p99 " + micros(graph.launchUs->p99) + ")";
    double nodes = 0;
    for (const replay::NodeTime& node : graph.nodes)
        nodes += node.us.median;
    if (nodes > 0)
        out += ", its nodes " + micros(nodes) + " us (" + ratio(nodes, graph.launchUs->median) + ")";
    return out + '\n';
}

std::string rerecordLine(const std::vector<WorkloadRun::Rerecorded>& rows,
                         const replay::ReplayRecording& recording) {
    std::string out;
    for (const WorkloadRun::Rerecorded& row : rows)
        out += "  re-recorded in " + micros(row.us) + " us" +
               (row.how.updated         ? ": the executable graph was updated"
                : recording.rerecording ? ": instantiated again, " + row.how.why
                                        : std::string()) +
               '\n';
    return out;
}

std::string graphLine(const replay::GraphRun& graph, const replay::ReplayRecording& recording) {
    std::string out =
        graph.plan + ": " + micros(graph.replay.us.median) + " us, eager " + micros(graph.eager.us.median) +
        " us (" + ratio(graph.replay.us.median, graph.eager.us.median) + "); arena " +
        kib(recording.arenaBytes) + ", " +
        (recording.peakBytes > 0
             ? ratio(double(recording.arenaBytes), double(recording.peakBytes)) + " of peak live, "
             : std::string()) +
        kib(recording.keepAllBytes) + " if nothing were given back; " + count(recording.threads, "thread") +
        "; nodes:";
    using replay::NodeMode;
    for (const NodeMode mode : {NodeMode::Prebuilt, NodeMode::Planned, NodeMode::Called, NodeMode::Eager})
        if (const std::size_t nodes = recording.count(mode); nodes > 0)
            out += ' ' + std::to_string(nodes) + ' ' + std::string(replay::nodeModeName(mode));
    out += '\n';
    for (const replay::Divergence& row : graph.divergences)
        out += "  diverged in replay " + std::to_string(row.iteration) + ": " +
               recording.nodes[row.node].name + ": " + row.why + "; it runs eagerly since\n";
    return out;
}

std::string report(const WorkloadRun& done, const std::vector<std::string>& left,
                   const std::vector<replay::RunChange>& changes, std::size_t top) {
    const replay::ReplayRun& run = done.run;
    std::string out = nodeTable(done, top);
    for (std::size_t i = 0; i < run.graphs.size(); ++i)
        out += graphLine(run.graphs[i], done.recordings[i]) + launchLine(run.graphs[i]) +
               rerecordLine(done.rerecordings[i], done.recordings[i]);
    for (const std::string& line : left)
        out += "left out: " + line + '\n';
    out += count(run.iterations, "replay") + ": median " + micros(run.replay.us.median) + " us (min " +
           micros(run.replay.us.min) + ", p99 " + micros(run.replay.us.p99) + "), eager " +
           micros(run.eager.us.median) + " us, ratio " + ratio(run.replay.us.median, run.eager.us.median) +
           "; " + count(run.allocatorCalls, "allocator call") + "; " + count(run.verified, "result") +
           " verified, " + std::to_string(run.different) + " different\n";
    if (!run.difference.empty()) out += "different: " + run.difference + '\n';
    if (run.undecided > 0) out += count(run.undecided, "result") + " not decided: " + run.undecidedWhy + '\n';
    for (const replay::RunChange& change : changes) {
        const char* const verdict = change.pace == replay::RunChange::Pace::Slower   ? "slower: "
                                    : change.pace == replay::RunChange::Pace::Faster ? "faster: "
                                                                                     : "as before: ";
        out += verdict + change.what + ", " + micros(change.nowUs) + " us after " + micros(change.beforeUs) +
               " us, noise " + micros(change.noiseUs) + " us\n";
    }
    return out;
}

/// What the graphs that were replayed say of ranks that are not here.
std::set<std::string> takenForGranted(const WorkloadRun& done, const Workload& workload) {
    std::set<std::string> out;
    for (const std::size_t graph : done.graphs)
        if (std::string alone = ranks::aloneText(*workload.graphs[graph].graph); !alone.empty())
            out.insert(std::move(alone));
    return out;
}

json document(const WorkloadRun& done, const std::vector<std::string>& left,
              const std::vector<replay::RunChange>& changes, const std::set<std::string>& alone) {
    const replay::KeptRun kept = replay::keptRun(done.recordings, done.run);
    std::size_t nodes = 0;
    json recordings = json::array();
    for (const replay::ReplayRecording& recording : done.recordings) {
        nodes += recording.nodes.size();
        recordings.push_back(replay::toJson(recording));
    }
    json compared = json::array();
    for (const replay::RunChange& change : changes)
        compared.push_back({{"what", change.what},
                            {"before_us", change.beforeUs},
                            {"now_us", change.nowUs},
                            {"noise_us", change.noiseUs},
                            {"slower", change.pace == replay::RunChange::Pace::Slower}});
    return {{"backend", done.recordings.front().backend},
            {"nodes", nodes},
            {"iterations", done.run.iterations},
            {"median_us", done.run.replay.us.median},
            {"eager_median_us", done.run.eager.us.median},
            {"arena_bytes", kept.arenaBytes},
            {"peak_live_bytes", kept.peakBytes},
            {"allocator_calls", done.run.allocatorCalls},
            {"verified", done.run.verified},
            {"different", done.run.different},
            {"undecided", done.run.undecided},
            {"left_out", left},
            {"alone", alone},
            {"changes", std::move(compared)},
            {"run", replay::toJson(done.run)},
            {"recordings", std::move(recordings)}};
}

Result<void> writeFile(const std::string& path, const std::string& text) {
    if (path.empty()) return {};
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) return failure("cannot be written", path);
    return {};
}

/// Adds the run to the session file, which is made of the capture where there is none yet; gives what changed
/// since the last run of the same there.
Result<std::vector<replay::RunChange>> keepRun(const ReplayOptions& options, const Chosen& chosen,
                                               const replay::KeptRun& kept) {
    store::SessionContents contents;
    std::error_code status;
    if (std::filesystem::exists(options.keep, status)) {
        const Result<capture::Opened> opened = capture::openSaved(options.keep);
        if (!opened) return tl::unexpected(opened.error());
        if (!opened->saved) return failure("is no session file", options.keep);
        contents = *opened->saved;
        contents.inputs = opened->session->inputs;
    } else {
        contents.inputs = chosen.session->inputs;
    }
    ir::Address root;
    if (!chosen.whole) root = chosen.workload.graphs.front().address;
    std::vector<replay::RunChange> changes;
    for (auto row = contents.replays.rbegin(); row != contents.replays.rend() && changes.empty(); ++row) {
        if (row->root != root || row->backend != options.backend) continue;
        const auto before = replay::readKeptRun(row->result);
        if (before) changes = replay::compareRuns(*before, kept);
    }
    contents.replays.push_back({root, options.backend, replay::toJson(kept).dump()});
    if (const auto saved = store::saveSession(options.keep, contents); !saved)
        return tl::unexpected(saved.error());
    return changes;
}

/// What one graph or one rank can be asked for, and all ranks together cannot.
std::string notForRanks(const ReplayOptions& options) {
    const std::pair<bool, const char*> asked[]{{!options.graph.frame.empty(), "--frame"},
                                               {!options.graph.stage.empty(), "--stage"},
                                               {!options.inputs.file.empty(), "--inputs"},
                                               {options.backend.starts_with("cuda:"), "--backend cuda:N"},
                                               {options.trees > 0, "--trees"},
                                               {options.rerecords > 0, "--rerecord"},
                                               {!options.trace.empty(), "--trace"},
                                               {!options.csv.empty(), "--csv"},
                                               {!options.keep.empty(), "--keep"},
                                               {options.graph.path == "-", "-"}};
    for (const auto& [given, name] : asked)
        if (given) return name;
    return {};
}

int run(const ReplayOptions& options) {
    if (!options.ranks.ranks.empty()) {
        if (const std::string other = notForRanks(options); !other.empty())
            return fail(Error{"--ranks runs all graphs of a capture; " + other + " is not for it"});
        RanksOptions ranks = options.ranks;
        ranks.cuda = options.backend == "cuda";
        return replayAllRanks(options.graph.path, options.engine, options.inputs, ranks,
                              {options.iterations, options.nodeIterations, options.verify}, options.json);
    }
    const Result<Chosen> chosen = choose(options);
    if (!chosen) return fail(chosen.error());
    engine::Client client = makeClient(options.engine);
    const auto info = client.start();
    if (!info) return fail(info.error(), options.graph.path);
    if (options.trees > 0) {
        engine::TreeWorkloadOptions tree = options.tree;
        tree.iterations = options.trees;
        tree.backend = options.backend;
        const auto done = engine::runTree(client, chosen->workload, tree);
        if (!done) return fail(done.error(), options.graph.path);
        print(options.json ? replay::toJson(*done).dump(-1, ' ', false, json::error_handler_t::replace) + '\n'
                           : treeText(*done, chosen->workload.left));
        return done->different > 0 ? exitFailure : exitOk;
    }
    const engine::WorkloadOptions how{std::max<std::size_t>(options.iterations, 1),
                                      options.nodeIterations,
                                      options.verify,
                                      static_cast<int>(options.threads),
                                      options.backend,
                                      !options.noOneDnn,
                                      options.times,
                                      options.rerecords};
    const auto done = engine::runWorkload(client, chosen->workload, how);
    if (!done) return fail(done.error(), options.graph.path);
    std::vector<std::string> left = chosen->workload.left;
    left.insert(left.end(), done->left.begin(), done->left.end());
    const std::set<std::string> alone = takenForGranted(*done, chosen->workload);

    for (const auto& written : {writeFile(options.trace, replay::toChromeTrace(done->recordings, done->run)),
                                writeFile(options.csv, replay::toCsv(done->recordings, done->run))})
        if (!written) return fail(written.error());
    std::vector<replay::RunChange> changes;
    if (!options.keep.empty()) {
        replay::KeptRun kept = replay::keptRun(done->recordings, done->run);
        kept.engine = info->engine;
        kept.torch = info->torch;
        kept.seconds = std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
        auto compared = keepRun(options, *chosen, kept);
        if (!compared) return fail(compared.error());
        changes = std::move(*compared);
    }
    print(options.json
              ? document(*done, left, changes, alone).dump(-1, ' ', false, json::error_handler_t::replace) +
                    '\n'
              : report(*done, left, changes, options.top) +
                    (alone.empty() ? "" : joined(alone, "\n") + '\n'));
    const bool slower = std::any_of(changes.begin(), changes.end(), [](const replay::RunChange& change) {
        return change.pace == replay::RunChange::Pace::Slower;
    });
    return done->run.different > 0 || slower ? exitFailure : exitOk;
}

} // namespace

void addReplay(Parser& parser) {
    auto options = std::make_shared<ReplayOptions>();
    Command command = parser.command(
        "replay", "Record graphs once and replay them at planned addresses, measured beside eager runs; exit "
                  "status 1 if a result differs or is slower than before. Without --frame, --stage and "
                  "--inputs all compiled graphs: frames in order, then their backwards");
    addGraphOptions(command, options->graph);
    addInputOptions(command, options->inputs);
    command.add("--iterations", options->iterations, "Replays to measure").showDefault();
    command.add("--node-iterations", options->nodeIterations, "More replays, to measure every node")
        .showDefault();
    command
        .add("--verify", options->verify,
             "Every how many replays to compare with eager, bit by bit; 0: never")
        .showDefault();
    command.add("--backend", options->backend, "cpu: planned addresses; cuda: CUDA graphs").showDefault();
    command
        .add(
            "--times", options->times,
            "What the node iterations measure: nodes, launch (the whole, as the GPU itself tells it) or both")
        .showDefault();
    command
        .add("--rerecord", options->rerecords,
             "How often to re-record every graph on copies of its inputs before it is replayed; a GPU "
             "updates "
             "its executable graph where the driver can")
        .showDefault();
    command.add("--trees", options->trees,
                "Run the graphs under CUDA-graph trees instead, so many iterations, and say of every call "
                "whether it was warmed up, recorded or replayed, and why");
    command.add("--move-parameters", options->tree.moveParameters,
                "With --trees: every how many iterations the parameters lie somewhere else");
    command.add("--hold", options->tree.hold,
                "With --trees: how many more iterations the program holds what graphs return");
    command
        .add("--rerecord-limit", options->tree.rerecordLimit,
             "With --trees: after how many unexpected recordings a function runs eagerly")
        .showDefault();
    addRanksOptions(command, options->ranks);
    command.add("--threads", options->threads, "Threads of an op; 0: the engine chooses").showDefault();
    command.flag("--no-onednn", options->noOneDnn, "Keep the CPU's ops from using oneDNN");
    command.add("--top", options->top, "How many nodes to list").showDefault();
    command.add("--trace", options->trace, "Write a trace for Chrome or Perfetto to this file");
    command.add("--csv", options->csv, "Write the times of all nodes to this file");
    command.add("--keep", options->keep,
                "Keep the run in this session file, made where it does not exist, and compare it with the "
                "last one there");
    command.flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(command, options->engine);
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
