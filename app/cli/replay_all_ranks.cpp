// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/replay_all_ranks.h"

#include "app/cli/child_program.h"
#include "app/cli/replay_ranks.h"
#include "core/rederive/ranks_workload.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace dynascope::cli {

namespace {

using nlohmann::json;

/// The number of ranks that `--ranks N` asks for; nothing for "simulated".
Result<std::optional<std::size_t>> askedRanks(const std::string& text) {
    if (text == "simulated") return std::optional<std::size_t>();
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size() || number == 0)
        return failure("--ranks is 'simulated', all ranks in one process, or their number, not '" + text +
                       '\'');
    return std::optional(number);
}

bool sameGraphs(const wire::RanksRequest& a, const wire::RanksRequest& b) {
    return std::ranges::equal(a.ranks, b.ranks, [](const auto& x, const auto& y) {
        return std::ranges::equal(x.graphs, y.graphs,
                                  [](const auto& g, const auto& h) { return g.text == h.text; });
    });
}

} // namespace

void addRanksOptions(Command& command, RanksOptions& options) {
    command.add("--ranks", options.ranks,
                "simulated: run the graphs of all ranks of a capture in one process, taking turns, "
                "collectives as copies "
                "between them; a number: as so many processes of torchrun on this machine, not confined. "
                "Exit status 1 "
                "if a result differs or ranks wait for each other for ever");
    options.torchrun.python = defaultPython();
    command.add("--python", options.torchrun.python, "With --ranks N: a Python with the engine's PyTorch")
        .showDefault();
    command.add(
        "--prepare", options.prepare,
        "With --ranks N: only write this folder's request.json, for ranks that another launcher starts");
    command.add("--collect", options.collect, "With --ranks N: what those ranks left in this folder");
    command.add("--process-groups", options.torchrun.backend,
                "With --ranks N: backend of the process groups; gloo if left out, nccl with --backend cuda");
    command
        .add("--timeout", options.torchrun.timeout,
             "With --ranks N: seconds that a rank waits in a collective")
        .showDefault();
}

int replayAllRanks(const std::string& path, const EngineOptions& which, const InputOptions& inputs,
                   const RanksOptions& options, const ReplayCounts& counts, bool asJson) {
    const Result<std::optional<std::size_t>> asked = askedRanks(options.ranks);
    if (!asked) return fail(asked.error());
    if (options.cuda && !*asked)
        return fail(
            Error{"ranks that take turns in one process run on its CPU; --backend cuda takes --ranks N"});
    const Result<session::SessionPtr> session = openInput(path);
    if (!session) return fail(session.error());
    const Result<ir::SymbolValues> symbols = symbolValues(inputs.symbols);
    if (!symbols) return fail(symbols.error());
    engine::Client client = makeClient(which);
    auto workload = engine::ranksWorkloadOf(client, **session, *symbols);
    if (!workload) return fail(workload.error(), path);
    const std::size_t here = workload->ranks.size();
    if (*asked && **asked != here)
        return fail(
            Error{"the graphs were compiled for " + count(here, "rank") + ", and have no others to meet"});
    workload->request.iterations = std::max<std::size_t>(counts.iterations, 1);
    workload->request.nodeIterations = counts.nodeIterations;
    workload->request.verifyEvery = counts.verify;
    if (*asked) workload->request.outputElements = comparedElements;
    if (options.cuda) workload->request.backend = "cuda";
    if (*asked && !options.prepare.empty()) {
        const Result<std::string> words = prepareRanks(workload->request, options.prepare, options.torchrun);
        if (!words) return fail(words.error());
        print("start " + count(here, "rank") +
              " with torchrun's variables, for instance\n    torchrun --nproc-per-node " +
              std::to_string(here) + ' ' + *words + "\nthen dynascope-cli replay " + path + " --ranks " +
              std::to_string(here) + " --collect " + options.prepare + '\n');
        return exitOk;
    }
    TorchrunResults real;
    if (*asked && !options.collect.empty()) {
        Result<CollectedRanks> collected = collectRanks(options.collect);
        if (!collected) return fail(collected.error());
        if (!sameGraphs(workload->request, collected->request))
            return fail(Error{"the request is of other graphs than this capture's", options.collect});
        workload->request = std::move(collected->request);
        real = std::move(collected->results);
    }
    engine::CallOptions call;
    call.timeout = std::chrono::hours(24);
    const bool onGpus = workload->request.backend == "cuda";
    wire::RanksRequest turns = workload->request;
    turns.backend = "cpu";
    const auto simulated = client.ranks(turns, call);
    if (!simulated) return fail(simulated.error(), path);
    const auto shown = [](const json& document) {
        return document.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
    };
    if (!*asked) {
        print(asJson ? shown(ranksJson(*workload, *simulated)) : ranksText(*workload, *simulated));
        return ranksAgree(*simulated) ? exitOk : exitFailure;
    }
    std::string where = "started elsewhere";
    if (options.collect.empty()) {
        Result<TorchrunResults> done = runUnderTorchrun(workload->request, options.torchrun);
        if (!done) return fail(done.error());
        real = std::move(*done);
        where = "as processes of torchrun on this machine, process groups by " +
                processGroups(workload->request, options.torchrun);
    }
    TorchrunDifference difference = compareRuns(*workload, real, *simulated);
    difference.onGpus = onGpus;
    print(asJson
              ? shown(torchrunJson(*workload, real, difference))
              : torchrunText(*workload, real, where, difference) +
                    (simulated->failure ? "in one process " + ranksFailureText(*workload, *simulated->failure)
                                        : std::string()));
    return torchrunAgrees(real) ? exitOk : exitFailure;
}

} // namespace dynascope::cli
