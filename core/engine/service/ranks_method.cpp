// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/ranks_method.h"

#include "core/engine/collectives/lock_step.h"
#include "core/engine/exec/thread_count.h"
#include "core/engine/service/execute.h"
#include "core/engine/service/rank_run.h"

#include <algorithm>

namespace dynascope::engine {

namespace {

constexpr std::size_t mostRanks = 256; ///< threads, each with its graphs' memory
constexpr std::uint64_t mostIterations = 100'000;

class RanksCall {
public:
    RanksCall(const wire::RanksRequest& said, const TaskContext& task)
        : m_said(said)
        , m_task(task) {
        m_reply.ranks.resize(said.ranks.size());
    }

    tl::expected<wire::RanksReply, Failure> run() {
        if (m_said.backend != "cpu") return invalid("ranks that take turns in one process run on its CPU");
        auto groups = members();
        if (!groups) return tl::unexpected(std::move(groups.error()));
        ProgramsByText known;
        for (std::size_t rank = 0; rank < m_said.ranks.size(); ++rank) {
            auto prepared = RankRun::prepare(m_said.ranks[rank], known);
            if (!prepared) {
                prepared.error().message = "rank " + std::to_string(rank) + ", " + prepared.error().message;
                return tl::unexpected(std::move(prepared.error()));
            }
            m_runs.push_back(std::move(*prepared));
        }
        RankRun::How how{m_said.iterations,     m_said.nodeIterations,
                         m_said.verifyEvery,    false,
                         m_said.outputElements, nullptr};
        const OneThread threads;
        LockStep together(m_said.ranks.size(), std::move(*groups), m_task);
        together.run([&](std::size_t rank) { m_reply.ranks[rank] = m_runs[rank].run(how, m_task); });
        if (m_task.cancelled()) return tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}});
        m_reply.meetings = together.meetings();
        if (together.failure()) m_reply.failure = failureOf(*together.failure());
        return std::move(m_reply);
    }

private:
    [[nodiscard]] tl::expected<std::vector<GroupMembers>, Failure> members() const {
        if (m_said.ranks.empty() || m_said.ranks.size() > mostRanks)
            return invalid("1 to " + std::to_string(mostRanks) + " ranks can run here, not " +
                           std::to_string(m_said.ranks.size()));
        if (m_said.iterations > mostIterations || m_said.nodeIterations > mostIterations)
            return invalid("more than " + std::to_string(mostIterations) + " iterations");
        std::vector<GroupMembers> out;
        for (const wire::RankGroup& group : m_said.groups) {
            GroupMembers& members = out.emplace_back(GroupMembers{group.name, {}});
            for (const std::uint64_t rank : group.ranks) {
                if (rank >= m_said.ranks.size() ||
                    std::ranges::find(members.ranks, rank) != members.ranks.end())
                    return invalid("group '" + group.name + "' has a rank that is not there, or one twice");
                members.ranks.push_back(rank);
            }
            if (members.ranks.empty()) return invalid("group '" + group.name + "' has no ranks");
            if (std::ranges::count(out, group.name, &GroupMembers::name) > 1)
                return invalid("two groups have the name '" + group.name + '\'');
        }
        return out;
    }

    [[nodiscard]] wire::RanksFailure failureOf(const LockStepFailure& failure) const {
        wire::RanksFailure out;
        out.kind = failure.kind == LockStepFailure::Kind::Hang ? "hang" : "mismatch";
        out.text = failure.text;
        out.ended = {failure.ended.begin(), failure.ended.end()};
        out.never = {failure.never.begin(), failure.never.end()};
        for (const LockStepFailure::Waiting& waiting : failure.waiting) {
            const std::optional<wire::RankError>& error = m_reply.ranks[waiting.rank].error;
            out.waiting.push_back({waiting.rank, waiting.call, m_runs[waiting.rank].failedGraph(),
                                   error ? error->node : std::string()});
        }
        return out;
    }

    const wire::RanksRequest& m_said;
    const TaskContext& m_task;
    std::vector<RankRun> m_runs; ///< by rank
    wire::RanksReply m_reply;
};

} // namespace

tl::expected<wire::RanksReply, Failure> ranksMethod(const wire::RanksRequest& said, const TaskContext& task) {
    return RanksCall(said, task).run();
}

} // namespace dynascope::engine
