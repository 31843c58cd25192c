// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a distributed program as threads of this process that take turns: one runs until it waits for others in
// a collective, then the next one does. Which rank runs when depends on the program alone, so that two runs of it do
// the same; that nobody can go on is seen at once, without a time limit. What ranks share in one process and have of
// their own in many, the state of random numbers, is changed with each turn.
#pragma once

#include "core/base/task.h"
#include "core/engine/collectives/peers.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// A process group of the program.
struct GroupMembers {
    std::string name;
    std::vector<std::size_t> ranks; ///< by rank in the group
};

/// Why ranks could not go on together.
struct LockStepFailure {
    enum class Kind : std::uint8_t {
        Hang,     ///< nobody can run: each rank waits or has ended
        Mismatch, ///< ranks that met do not do the same
    };
    struct Waiting {
        std::size_t rank = 0;
        std::string call; ///< "all_reduce sum of group '0', float32[4]"
    };
    Kind kind = Kind::Hang;
    std::vector<Waiting> waiting;   ///< by rank
    std::vector<std::size_t> ended; ///< ranks that had nothing left to do, or had failed
    std::vector<std::size_t>
        never;        ///< ranks that a waiting one's group has and that came to another call or none
    std::string text; ///< a sentence with all of it
};

/// Runs one program. Made by the thread that starts the ranks and joins them.
class LockStep {
public:
    LockStep(std::size_t ranks, std::vector<GroupMembers> groups, TaskContext task);
    LockStep(const LockStep&) = delete;
    LockStep& operator=(const LockStep&) = delete;
    ~LockStep();

    /// Runs `body` once for each rank, each in a thread in which all process groups of its rank are registered, and
    /// returns when all have. `body` must not throw.
    void run(const std::function<void(std::size_t rank)>& body);

    /// After run(): why it could not go on; nothing where it could.
    [[nodiscard]] const std::optional<LockStepFailure>& failure() const { return m_failure; }
    /// Collectives that the ranks went through together.
    [[nodiscard]] std::uint64_t meetings() const { return m_meetings; }

private:
    class RankPeers;
    class RandomNumbers;
    enum class State : std::uint8_t { Ready, Waiting, Ended };
    struct Arrival {
        CollectiveCall call;
        Contribution given;
    };
    struct Group {
        GroupMembers members;
        std::map<std::size_t, Arrival> arrived; ///< by rank in the group
        std::vector<Contribution> met;          ///< of the last meeting
        std::vector<std::size_t> left;          ///< ranks in the group that have not taken `met` yet
    };

    std::vector<Contribution> exchange(std::size_t rank, std::size_t group, std::size_t place,
                                       const CollectiveCall& call, Contribution given);
    void meet(Group& group);
    void rankMain(std::size_t rank, const RandomNumbers& first, const std::function<void(std::size_t)>& body);
    /// Hands the turn to the next rank that can run; where none can, all that wait are told why.
    void passTurn(std::size_t from);
    void waitForTurn(std::unique_lock<std::mutex>& lock, std::size_t rank);
    void fail(LockStepFailure::Kind kind, std::string text);
    [[nodiscard]] std::string hangText() const;

    TaskContext m_task;
    std::vector<Group> m_groups;
    std::vector<State> m_states;
    std::vector<std::string> m_waits; ///< by rank: the call that it waits in
    std::size_t m_turn = 0;
    std::uint64_t m_meetings = 0;
    std::optional<LockStepFailure> m_failure;
    std::mutex m_mutex;
    std::condition_variable m_turned;
};

} // namespace dynascope::engine
