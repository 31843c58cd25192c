// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/replay_torchrun.h"

#include "app/cli/capture_setup.h"
#include "app/cli/child_program.h"
#include "app/cli/command.h"
#include "app/cli/replay_ranks.h"
#include "app/cli/table.h"
#include "core/base/own_program.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/engine/wire/ranks_document.h"
#include "core/ranks/collectives.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

namespace dynascope::cli {

namespace {

using engine::RanksWorkload;
using nlohmann::json;
namespace fs = std::filesystem;

/// A folder that is removed with all that is in it.
class ScratchFolder {
public:
    ScratchFolder()
        : m_path((fs::temp_directory_path() / "dynascope-ranks-XXXXXX").string()) {
        if (::mkdtemp(m_path.data()) == nullptr) m_path.clear();
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code status;
        if (!m_path.empty()) fs::remove_all(m_path, status);
    }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

/// One that nobody uses now.
int freePort() {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    int port = 0;
    if (probe >= 0 && ::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
        ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0)
        port = ntohs(address.sin_port);
    if (probe >= 0) ::close(probe);
    return port;
}

Result<std::string> ranksLibrary() {
    const fs::path library = ownFolder() / "dynascope-ranks.so";
    std::error_code status;
    if (!fs::exists(library, status))
        return failure("is missing: it comes with the engine", library.string());
    return library.string();
}

std::string contentOf(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string resultFile(const std::string& folder, std::size_t rank) {
    return folder + "/rank_" + std::to_string(rank) + ".json";
}

Result<TorchrunResults> resultsIn(const std::string& folder, std::size_t ranks) {
    TorchrunResults out;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::string file = resultFile(folder, rank);
        auto result = wire::readRankResult(contentOf(file));
        if (!result) return failure(result.error().message, file);
        out.push_back(std::move(*result));
    }
    return out;
}

Result<void> writeRequest(const wire::RanksRequest& request, const std::string& file) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << wire::writeRanksRequest(request);
    out.close();
    if (!out) return failure("cannot be written", file);
    return {};
}

/// What the ranks printed, for who has to find out why they failed: what our own part said, behind which torchrun prints
/// where in Python it happened; else the end.
std::string lastLines(const std::string& text) {
    std::string own;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if ((line.starts_with("dynascope_capture.ranks: ") || line.starts_with("dynascope-ranks: ")) &&
            own.find(line) == std::string::npos)
            own += (own.empty() ? "" : "\n") + line;
    if (!own.empty()) return own;
    constexpr std::size_t most = 1500;
    return text.size() <= most ? text : "...\n" + text.substr(text.size() - most);
}

/// Median microseconds of the node of that name in one rank's run.
std::optional<double> nodeTime(const wire::RankResult& result, std::size_t graph, const std::string& node) {
    if (!result.run || graph >= result.run->graphs.size() || graph >= result.recordings.size())
        return std::nullopt;
    const auto& nodes = result.recordings[graph].nodes;
    for (const replay::NodeTime& time : result.run->graphs[graph].nodes)
        if (time.node < nodes.size() && nodes[time.node].name == node) return time.us.median;
    return std::nullopt;
}

/// One call of a graph, over the ranks that have that graph.
struct CallTimes {
    std::string graph;
    ranks::Collective call;
    std::optional<double> fastest, slowest; ///< us of the call, which waits, by rank
    int slowestRank = 0;

    /// Bytes that a rank gives by the time of the slowest.
    [[nodiscard]] std::optional<double> megabytesASecond() const {
        if (!call.bytes || !slowest || *slowest <= 0) return std::nullopt;
        return static_cast<double>(*call.bytes) / *slowest;
    }
};

std::vector<CallTimes> callTimes(const RanksWorkload& workload, const TorchrunResults& done) {
    std::vector<CallTimes> out;
    for (std::size_t rank = 0; rank < done.size(); ++rank)
        for (std::size_t i = 0; i < workload.graphs[rank].size(); ++i) {
            const std::string& name = workload.request.ranks[rank].graphs[i].name;
            for (const ranks::Collective& call : ranks::collectivesOf(*workload.graphs[rank][i])) {
                auto row = std::ranges::find_if(out, [&](const CallTimes& known) {
                    return known.graph == name && known.call.node == call.node &&
                           known.call.within == call.within;
                });
                if (row == out.end()) row = out.insert(out.end(), {name, call, {}, {}, 0});
                if (!done[rank]) continue;
                const std::optional<double> us = nodeTime(*done[rank], i, call.node);
                if (!us) continue;
                row->fastest = std::min(row->fastest.value_or(*us), *us);
                if (*us > row->slowest.value_or(-1)) {
                    row->slowest = *us;
                    row->slowestRank = workload.ranks[rank];
                }
            }
        }
    return out;
}

std::string callTable(const RanksWorkload& workload, const TorchrunResults& done) {
    using Align = Table::Align;
    Table table({Align::Left, Align::Left, Align::Left, Align::Right, Align::Right, Align::Right,
                 Align::Right, Align::Left});
    table.add({"graph", "node", "call", "bytes", "fastest us", "slowest us", "MB/s", "slowest rank"});
    for (const CallTimes& row : callTimes(workload, done)) {
        char rate[16] = "";
        if (const auto speed = row.megabytesASecond()) std::snprintf(rate, sizeof rate, "%.1f", *speed);
        table.add({row.graph, row.call.within.empty() ? row.call.node : row.call.within, row.call.call(),
                   row.call.bytes ? std::to_string(*row.call.bytes) : std::string(),
                   row.fastest ? micros(*row.fastest) : std::string(),
                   row.slowest ? micros(*row.slowest) : std::string(), rate,
                   row.slowest ? std::to_string(row.slowestRank) : std::string()});
    }
    return table.toString("  ");
}

std::string rankTable(const RanksWorkload& workload, const TorchrunResults& done) {
    using Align = Table::Align;
    Table table({Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right});
    table.add({"rank", "replay us", "eager us", "arena bytes", "verified", "different"});
    for (std::size_t rank = 0; rank < done.size(); ++rank) {
        std::uint64_t arena = 0;
        if (!done[rank]) continue;
        for (const replay::ReplayRecording& recording : done[rank]->recordings)
            arena += recording.arenaBytes;
        const auto& run = done[rank]->run;
        table.add({std::to_string(workload.ranks[rank]), run ? micros(run->replay.us.median) : std::string(),
                   run ? micros(run->eager.us.median) : std::string(), std::to_string(arena),
                   run ? std::to_string(run->verified) : std::string(),
                   run ? std::to_string(run->different) : std::string()});
    }
    return table.toString("  ");
}

std::string failuresText(const RanksWorkload& workload, const TorchrunResults& done) {
    std::string out;
    for (std::size_t rank = 0; rank < done.size(); ++rank) {
        const std::string name = "rank " + std::to_string(workload.ranks[rank]);
        if (!done[rank]) {
            out += name + " left no result: it died, or was ended when another failed\n";
        } else if (const auto& error = done[rank]->error) {
            const auto& graphs = workload.request.ranks[rank].graphs;
            out += name + " ended in " +
                   (error->graph < graphs.size() ? graphs[error->graph].name : std::string()) +
                   (error->node.empty() ? "" : ", node " + error->node) + ": " +
                   std::string(firstLine(error->message)) + '\n';
        }
    }
    return out;
}

/// None of what is no tensor.
std::vector<double> numbersOf(const std::optional<wire::RunTensor>& result) {
    return result && result->data ? result->data->numbers(comparedElements) : std::vector<double>();
}

std::string differenceText(const TorchrunDifference& difference) {
    if (difference.compared == 0) return {};
    std::string out = count(difference.compared, "result") + " (" + std::to_string(comparedElements) +
                      " elements of each at most) compared with the simulation in one process: ";
    if (difference.different == 0) return out + "the same bit by bit\n";
    char largest[32];
    std::snprintf(largest, sizeof largest, "%.3g", difference.largest);
    return out + std::to_string(difference.different) + " differ, by " + largest + " at most, first " +
           difference.first +
           (difference.onGpus ? "; a GPU's kernels add in another order than a CPU's\n"
                              : "; sums of more than two ranks depend on the order that a backend adds in\n");
}

} // namespace

std::string processGroups(const wire::RanksRequest& request, const TorchrunOptions& options) {
    if (!options.backend.empty()) return options.backend;
    return request.backend == "cuda" ? "nccl" : "gloo";
}

Result<TorchrunResults> runUnderTorchrun(const wire::RanksRequest& request, const TorchrunOptions& options) {
    const Result<std::string> library = ranksLibrary(), recorder = recorderFolder();
    if (!library) return tl::unexpected(library.error());
    if (!recorder) return tl::unexpected(recorder.error());
    const ScratchFolder folder;
    if (folder.path().empty())
        return failure("no temporary folder can be made", fs::temp_directory_path().string());
    const std::string file = folder.path() + "/request.json", output = folder.path() + "/output";
    if (const auto written = writeRequest(request, file); !written) return tl::unexpected(written.error());

    std::string path = *recorder;
    if (const std::string before = environmentVariable("PYTHONPATH"); !before.empty()) path += ':' + before;
    Variables variables{{"PYTHONPATH", path}, {"OMP_NUM_THREADS", "1"}};
    // On one machine, which may not know its own name.
    const std::string groups = processGroups(request, options);
    if (groups == "gloo" && environmentVariable("GLOO_SOCKET_IFNAME").empty())
        variables.emplace_back("GLOO_SOCKET_IFNAME", "lo");
    const std::vector<std::string> words{options.python,
                                         "-m",
                                         "torch.distributed.run",
                                         "--master_addr=127.0.0.1",
                                         "--local_addr=127.0.0.1",
                                         "--master_port=" + std::to_string(freePort()),
                                         "--nproc_per_node=" + std::to_string(request.ranks.size()),
                                         "-m",
                                         "dynascope_capture.ranks",
                                         file,
                                         "--library=" + *library,
                                         "--out=" + folder.path(),
                                         "--backend=" + groups,
                                         "--timeout=" + std::to_string(options.timeout)};
    const Result<int> status = runInto(words, variables, output);
    if (!status) return tl::unexpected(status.error());
    Result<TorchrunResults> out = resultsIn(folder.path(), request.ranks.size());
    if (out && std::ranges::none_of(*out, [](const auto& rank) { return rank.has_value(); }))
        return failure("torchrun ended with status " + std::to_string(*status) + ":\n" +
                           lastLines(contentOf(output)),
                       options.python);
    return out;
}

Result<std::string> prepareRanks(const wire::RanksRequest& request, const std::string& folder,
                                 const TorchrunOptions& options) {
    const Result<std::string> library = ranksLibrary();
    if (!library) return tl::unexpected(library.error());
    std::error_code status;
    fs::create_directories(folder, status);
    const std::string file = folder + "/request.json";
    // A rank that does not run again would pass for one that did.
    for (std::size_t rank = 0; rank < request.ranks.size(); ++rank)
        fs::remove(resultFile(folder, rank), status);
    if (const auto written = writeRequest(request, file); !written) return tl::unexpected(written.error());
    return "-m dynascope_capture.ranks " + file + " --library " + *library + " --out " + folder +
           " --backend " + processGroups(request, options) + " --timeout " + std::to_string(options.timeout);
}

Result<CollectedRanks> collectRanks(const std::string& folder) {
    const std::string file = folder + "/request.json";
    std::error_code status;
    if (!fs::exists(file, status)) return failure("is missing: --prepare writes it", file);
    auto request = wire::readRanksRequest(contentOf(file));
    if (!request) return failure(request.error().message, file);
    Result<TorchrunResults> results = resultsIn(folder, request->ranks.size());
    if (!results) return tl::unexpected(results.error());
    if (std::ranges::none_of(*results, [](const auto& rank) { return rank.has_value(); }))
        return failure("no rank has left a result", folder);
    return CollectedRanks{std::move(*request), std::move(*results)};
}

TorchrunDifference compareRuns(const RanksWorkload& workload, const TorchrunResults& real,
                               const wire::RanksReply& simulated) {
    TorchrunDifference out;
    for (std::size_t rank = 0; rank < real.size() && rank < simulated.ranks.size(); ++rank) {
        if (!real[rank] || !real[rank]->outputs || !simulated.ranks[rank].outputs) continue;
        const auto& ours = *simulated.ranks[rank].outputs;
        const auto& theirs = *real[rank]->outputs;
        for (std::size_t graph = 0; graph < std::min(ours.size(), theirs.size()); ++graph)
            for (std::size_t i = 0; i < std::min(ours[graph].size(), theirs[graph].size()); ++i) {
                if (!ours[graph][i]) continue;
                ++out.compared;
                if (ours[graph][i] == theirs[graph][i]) continue;
                ++out.different;
                if (out.first.empty())
                    out.first = "rank " + std::to_string(workload.ranks[rank]) + ", " +
                                workload.request.ranks[rank].graphs[graph].name + ", result " +
                                std::to_string(i);
                const auto a = numbersOf(ours[graph][i]), b = numbersOf(theirs[graph][i]);
                for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
                    if (const double apart = std::abs(a[k] - b[k]); apart > out.largest) out.largest = apart;
            }
    }
    return out;
}

bool torchrunAgrees(const TorchrunResults& done) {
    return std::ranges::all_of(done, [](const std::optional<wire::RankResult>& rank) {
        return rank && !rank->error && rank->run && rank->run->different == 0;
    });
}

std::string torchrunText(const RanksWorkload& workload, const TorchrunResults& done, const std::string& where,
                         const TorchrunDifference& difference) {
    std::string out = count(done.size(), "rank") + ' ' + where +
                      "; each call is waited for where it is made, so that nothing overlaps\n" +
                      callTable(workload, done) + rankTable(workload, done);
    for (const std::string& line : workload.left)
        out += "left out: " + line + '\n';
    for (const auto& rank : done)
        if (rank && rank->run && !rank->run->difference.empty())
            out += "different: " + rank->run->difference + '\n';
    return out + failuresText(workload, done) + differenceText(difference);
}

json torchrunJson(const RanksWorkload& workload, const TorchrunResults& done,
                  const TorchrunDifference& difference) {
    json ranks = json::array(), calls = json::array();
    for (std::size_t rank = 0; rank < done.size(); ++rank) {
        json& row = ranks.emplace_back(json{{"rank", workload.ranks[rank]}});
        if (!done[rank]) continue;
        const wire::RankResult& result = *done[rank];
        if (result.run)
            row.update({{"median_us", result.run->replay.us.median},
                        {"eager_median_us", result.run->eager.us.median},
                        {"verified", result.run->verified},
                        {"different", result.run->different}});
        if (result.error) row["error"] = {{"node", result.error->node}, {"message", result.error->message}};
    }
    const auto orNull = [](const auto& value) { return value ? json(*value) : json(); };
    for (const CallTimes& row : callTimes(workload, done))
        calls.push_back({{"graph", row.graph},
                         {"node", row.call.node},
                         {"call", row.call.call()},
                         {"group", row.call.group},
                         {"bytes", orNull(row.call.bytes)},
                         {"fastest_us", orNull(row.fastest)},
                         {"slowest_us", orNull(row.slowest)},
                         {"slowest_rank", row.slowest ? json(row.slowestRank) : json()},
                         {"megabytes_per_second", orNull(row.megabytesASecond())}});
    return {{"ranks", std::move(ranks)},
            {"collectives", std::move(calls)},
            {"left_out", workload.left},
            {"simulated", false},
            {"against_simulation",
             {{"compared", difference.compared},
              {"different", difference.different},
              {"largest", difference.largest}}}};
}

} // namespace dynascope::cli
