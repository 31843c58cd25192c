// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/ranks_workload.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/engine/wire/methods.h"
#include "core/ranks/collectives.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace dynascope::engine {

namespace {

std::string listed(const std::set<int>& ranks) {
    std::vector<std::string> names;
    for (const int rank : ranks)
        names.push_back(std::to_string(rank));
    return (ranks.size() == 1 ? "rank " : "ranks ") + joined(names, ", ");
}

/// The same graph on every rank: compile, attempt, stage, and which one of several.
using Key = std::tuple<std::string, int, std::string, int, std::size_t>;

class RanksBuilder {
public:
    RanksBuilder(Client& client, const session::Session& session, const ir::SymbolValues& symbols,
                 const TaskContext& task)
        : m_client(client)
        , m_session(session)
        , m_workload(workloadOf(session, symbols, true)) {
        m_call.task = task;
        m_out.left = m_workload.left;
    }

    tl::expected<RanksWorkload, CallError> run() {
        nameAll();
        if (auto asked = leaveUnsupported(); !asked) return tl::unexpected(std::move(asked.error()));
        leaveWithoutPartners();
        spread();
        if (auto made = makeGroups(); !made) return tl::unexpected(std::move(made.error()));
        fillIn();
        if (m_out.ranks.empty())
            return tl::unexpected(
                cannotRun(m_out.left.empty() ? "no graph can be replayed" : m_out.left.front()));
        return std::move(m_out);
    }

private:
    [[nodiscard]] const WorkloadGraph& graph(std::size_t i) const { return m_workload.graphs[i]; }
    [[nodiscard]] int rankOf(std::size_t i) const { return graph(i).address.rank; }

    /// The name without the rank that compileName() puts before it.
    [[nodiscard]] std::string plainName(std::size_t i) const {
        const std::string& name = graph(i).name;
        const std::string rank = std::to_string(rankOf(i)) + ':';
        return m_session.ranks.size() > 1 && name.starts_with(rank) ? name.substr(rank.size()) : name;
    }

    static Key keyOf(const ir::Address& at, std::map<std::pair<int, Key>, std::size_t>& seen) {
        Key key{at.compileId, at.attempt, at.stage, at.k, 0};
        std::get<4>(key) = seen[{at.rank, key}]++;
        return key;
    }

    void nameAll() {
        std::map<std::pair<int, Key>, std::size_t> seen;
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i) {
            m_keys.push_back(keyOf(graph(i).address, seen));
            m_who[m_keys[i]].insert(rankOf(i));
            for (const ranks::GroupUse& use : ranks::groupsOf(*graph(i).graph))
                m_callers[use.name].insert(rankOf(i));
        }
        for (const ir::Address& at : m_workload.leftStages)
            m_leftKeys.insert(keyOf(at, seen));
    }

    void leave(std::size_t i, const std::string& why) {
        if (m_leftKeys.insert(m_keys[i]).second) m_out.left.push_back(plainName(i) + ": " + why);
    }

    tl::expected<void, CallError> leaveUnsupported() {
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i) {
            auto reply = m_client.coverage(textOf(graph(i)), m_call);
            if (!reply) return tl::unexpected(std::move(reply.error()));
            if (reply->unsupported.empty()) continue;
            const wire::UnsupportedNode& first = reply->unsupported.front();
            leave(i, "rank " + std::to_string(rankOf(i)) + " calls " + first.target + " in '" + first.node +
                         "', which " + first.reason);
        }
        return {};
    }

    void leaveWithoutPartners() {
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i)
            for (const ranks::GroupUse& use : ranks::groupsOf(*graph(i).graph)) {
                std::set<int> lacks;
                for (const int rank : m_callers[use.name])
                    if (!m_who[m_keys[i]].contains(rank)) lacks.insert(rank);
                if (!lacks.empty())
                    leave(i,
                          "calls group '" + use.name + "', and " + listed(lacks) + " compiled no such graph");
            }
    }

    /// What reads a result of a graph that is left out is left out as well.
    void spread() {
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i)
            for (const WorkloadGraph::Wire& wire : graph(i).wires)
                if (m_leftKeys.contains(m_keys[wire.graph]))
                    leave(i, "reads results of " + plainName(wire.graph) + ", which was left out");
    }

    tl::expected<void, CallError> makeGroups() {
        std::map<std::string, std::pair<std::set<int>, std::optional<std::int64_t>>> groups;
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i) {
            if (m_leftKeys.contains(m_keys[i])) continue;
            m_ranks.insert(rankOf(i));
            for (const ranks::GroupUse& use : ranks::groupsOf(*graph(i).graph)) {
                auto& [callers, size] = groups[use.name];
                callers.insert(rankOf(i));
                if (use.size) size = std::max(size.value_or(0), *use.size);
            }
        }
        const std::vector<int> numbers(m_ranks.begin(), m_ranks.end());
        for (const auto& [name, use] : groups) {
            const auto& [callers, size] = use;
            if (size && static_cast<std::size_t>(*size) != callers.size())
                return tl::unexpected(cannotRun(
                    "group '" + name + "' has " + count(static_cast<std::size_t>(*size), "rank") + ", and " +
                    listed(callers) + " of the capture " + (callers.size() == 1 ? "calls" : "call") +
                    " it: which belong together it does not say"));
            wire::RankGroup& group = m_out.request.groups.emplace_back();
            group.name = name;
            for (const int rank : callers)
                group.ranks.push_back(
                    static_cast<std::uint64_t>(std::ranges::lower_bound(numbers, rank) - numbers.begin()));
        }
        return {};
    }

    void fillIn() {
        m_out.ranks.assign(m_ranks.begin(), m_ranks.end());
        m_out.request.ranks.resize(m_out.ranks.size());
        m_out.stages.resize(m_out.ranks.size());
        m_out.graphs.resize(m_out.ranks.size());
        std::map<std::size_t, std::uint64_t> places; // of graphs of the workload among those of their rank
        for (std::size_t i = 0; i < m_workload.graphs.size(); ++i) {
            if (m_leftKeys.contains(m_keys[i])) continue;
            const WorkloadGraph& from = graph(i);
            const auto rank = static_cast<std::size_t>(std::ranges::lower_bound(m_out.ranks, rankOf(i)) -
                                                       m_out.ranks.begin());
            std::vector<wire::RankGraph>& graphs = m_out.request.ranks[rank].graphs;
            places[i] = graphs.size();
            wire::RankGraph& to = graphs.emplace_back();
            to.name = plainName(i);
            to.text = textOf(from);
            to.on.inputs = from.inputs;
            to.on.attributes = from.attributes;
            to.kept = {from.kept.begin(), from.kept.end()};
            for (const WorkloadGraph::Wire& row : from.wires) {
                wire::RankWire& wire = to.wires.emplace_back();
                wire.input = row.input;
                wire.graph = places.at(row.graph);
                (row.ofInputs ? wire.source : wire.output) = row.item;
            }
            m_out.stages[rank].push_back(from.address);
            m_out.graphs[rank].push_back(from.graph);
        }
    }

    Client& m_client;
    const session::Session& m_session;
    Workload m_workload;
    CallOptions m_call;
    std::vector<Key> m_keys;                        ///< by graph of the workload
    std::map<Key, std::set<int>> m_who;             ///< ranks that have it
    std::map<std::string, std::set<int>> m_callers; ///< by process group
    std::set<Key> m_leftKeys;
    std::set<int> m_ranks; ///< that have something left to run
    RanksWorkload m_out;
};

} // namespace

tl::expected<RanksWorkload, CallError> ranksWorkloadOf(Client& client, const session::Session& session,
                                                       const ir::SymbolValues& symbols,
                                                       const TaskContext& task) {
    return RanksBuilder(client, session, symbols, task).run();
}

} // namespace dynascope::engine
