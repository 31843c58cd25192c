// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/collectives/lock_step.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <ATen/CPUGeneratorImpl.h>
#include <algorithm>
#include <thread>

namespace dynascope::engine {

namespace {

std::string shapeText(const at::Tensor& tensor) {
    return std::string(c10::toString(tensor.scalar_type())) + c10::str(tensor.sizes());
}

std::string nameOf(const CollectiveCall& call) {
    std::string out = call.reduction.empty() ? call.kind : call.kind + ' ' + call.reduction;
    if (call.root >= 0) out += " from rank " + std::to_string(call.root);
    return out;
}

std::string callText(const CollectiveCall& call, const Contribution& given) {
    std::string out = nameOf(call) + " of group '" + call.group + '\'';
    for (const at::Tensor& tensor : given.tensors)
        out += ", " + shapeText(tensor);
    return out;
}

/// Whether two ranks can meet in these.
bool fit(const CollectiveCall& a, const Contribution& x, const CollectiveCall& b, const Contribution& y) {
    if (a != b || x.tensors.size() != y.tensors.size()) return false;
    for (std::size_t i = 0; i < x.tensors.size(); ++i)
        if (x.tensors[i].scalar_type() != y.tensors[i].scalar_type() ||
            (a.sameShapes && x.tensors[i].sizes() != y.tensors[i].sizes()))
            return false;
    return true;
}

std::string listed(const std::vector<std::size_t>& ranks) {
    std::vector<std::string> names;
    for (const std::size_t rank : ranks)
        names.push_back(std::to_string(rank));
    return (ranks.size() == 1 ? "rank " : "ranks ") + joined(names, ", ");
}

} // namespace

/// The generator's state of a rank that does not run.
class LockStep::RandomNumbers {
public:
    RandomNumbers() { keep(); }
    void keep() {
        at::Generator generator = at::detail::getDefaultCPUGenerator();
        const std::scoped_lock lock(generator.mutex());
        m_state = generator.get_state();
    }
    void put() const {
        at::Generator generator = at::detail::getDefaultCPUGenerator();
        const std::scoped_lock lock(generator.mutex());
        generator.set_state(m_state);
    }

private:
    at::Tensor m_state;
};

class LockStep::RankPeers final : public Peers {
public:
    RankPeers(LockStep& run, std::size_t rank, std::size_t group, std::size_t place)
        : m_run(run)
        , m_rank(rank)
        , m_group(group)
        , m_place(place) {}

    std::vector<Contribution> exchange(const CollectiveCall& call, Contribution given) override {
        return m_run.exchange(m_rank, m_group, m_place, call, std::move(given));
    }

private:
    LockStep& m_run;
    std::size_t m_rank, m_group, m_place;
};

LockStep::LockStep(std::size_t ranks, std::vector<GroupMembers> groups, TaskContext task)
    : m_task(std::move(task))
    , m_states(ranks, State::Ready)
    , m_waits(ranks) {
    for (GroupMembers& members : groups)
        m_groups.push_back({std::move(members), {}, {}, {}});
}

LockStep::~LockStep() = default;

void LockStep::run(const std::function<void(std::size_t rank)>& body) {
    const RandomNumbers before;
    {
        const ThreadsAreRanks isolated;
        std::vector<std::thread> threads;
        for (std::size_t rank = 0; rank < m_states.size(); ++rank)
            threads.emplace_back([&, rank] { rankMain(rank, before, body); });
        for (std::thread& thread : threads)
            thread.join();
    }
    before.put();
}

void LockStep::rankMain(std::size_t rank, const RandomNumbers& first,
                        const std::function<void(std::size_t)>& body) {
    std::unique_lock lock(m_mutex);
    m_turned.wait(lock, [&] { return m_turn == rank; });
    lock.unlock();
    first.put();
    {
        std::vector<std::unique_ptr<SimulatedGroup>> groups;
        for (std::size_t i = 0; i < m_groups.size(); ++i) {
            const std::vector<std::size_t>& members = m_groups[i].members.ranks;
            const auto found = std::ranges::find(members, rank);
            if (found == members.end()) continue;
            const auto place = static_cast<std::size_t>(found - members.begin());
            groups.push_back(std::make_unique<SimulatedGroup>(
                m_groups[i].members.name, static_cast<int>(place), static_cast<int>(members.size()),
                std::make_unique<RankPeers>(*this, rank, i, place)));
        }
        body(rank);
    }
    lock.lock();
    m_states[rank] = State::Ended;
    passTurn(rank);
}

std::vector<Contribution> LockStep::exchange(std::size_t rank, std::size_t index, std::size_t place,
                                             const CollectiveCall& call, Contribution given) {
    // Its owner writes to what it gave while others still read.
    for (at::Tensor& tensor : given.tensors)
        tensor = tensor.clone();
    std::unique_lock lock(m_mutex);
    TORCH_CHECK(!m_failure, m_failure->text);
    TORCH_CHECK(!m_task.cancelled(), "cancelled");
    Group& group = m_groups[index];
    m_waits[rank] = callText(call, given);
    group.arrived.emplace(place, Arrival{call, std::move(given)});
    m_states[rank] = State::Waiting;
    if (group.arrived.size() == group.members.ranks.size()) meet(group);
    if (m_states[rank] == State::Waiting || m_failure) {
        const RandomNumbers mine;
        passTurn(rank);
        waitForTurn(lock, rank);
        mine.put();
    }
    TORCH_CHECK(!m_failure, m_failure->text);
    m_waits[rank].clear();
    std::erase(group.left, place);
    std::vector<Contribution> out = group.met;
    if (group.left.empty()) group.met.clear();
    return out;
}

void LockStep::meet(Group& group) {
    const Arrival& first = group.arrived.begin()->second;
    for (const auto& [place, arrival] : group.arrived) {
        if (fit(first.call, first.given, arrival.call, arrival.given)) continue;
        const std::size_t a = group.members.ranks[group.arrived.begin()->first],
                          b = group.members.ranks[place];
        return fail(LockStepFailure::Kind::Mismatch, "rank " + std::to_string(a) + " does " + m_waits[a] +
                                                         ", and rank " + std::to_string(b) + " does " +
                                                         m_waits[b]);
    }
    group.met.clear();
    group.left.clear();
    for (auto& [place, arrival] : group.arrived) {
        group.met.push_back(std::move(arrival.given));
        group.left.push_back(place);
        m_states[group.members.ranks[place]] = State::Ready;
    }
    group.arrived.clear();
    ++m_meetings;
}

void LockStep::passTurn(std::size_t from) {
    const auto next = [&]() -> std::optional<std::size_t> {
        for (std::size_t i = 1; i <= m_states.size(); ++i) {
            const std::size_t rank = (from + i) % m_states.size();
            if (m_states[rank] == State::Ready) return rank;
        }
        return std::nullopt;
    };
    std::optional<std::size_t> rank = next();
    if (!rank && std::ranges::find(m_states, State::Waiting) != m_states.end()) {
        fail(LockStepFailure::Kind::Hang, hangText());
        rank = next();
    }
    if (rank) m_turn = *rank;
    m_turned.notify_all();
}

void LockStep::waitForTurn(std::unique_lock<std::mutex>& lock, std::size_t rank) {
    m_turned.wait(lock, [&] { return m_turn == rank && m_states[rank] == State::Ready; });
}

void LockStep::fail(LockStepFailure::Kind kind, std::string text) {
    if (!m_failure) {
        LockStepFailure& failure = m_failure.emplace();
        failure.kind = kind;
        failure.text = std::move(text);
        for (std::size_t rank = 0; rank < m_states.size(); ++rank) {
            if (m_states[rank] == State::Waiting) failure.waiting.push_back({rank, m_waits[rank]});
            if (m_states[rank] == State::Ended) failure.ended.push_back(rank);
        }
        for (const Group& group : m_groups) {
            if (group.arrived.empty()) continue;
            for (std::size_t place = 0; place < group.members.ranks.size(); ++place)
                if (!group.arrived.contains(place)) failure.never.push_back(group.members.ranks[place]);
        }
        std::ranges::sort(failure.never);
        const auto [first, last] = std::ranges::unique(failure.never);
        failure.never.erase(first, last);
    }
    for (State& state : m_states)
        if (state == State::Waiting) state = State::Ready; // they throw when it is their turn
}

std::string LockStep::hangText() const {
    std::vector<std::string> parts;
    for (std::size_t rank = 0; rank < m_states.size(); ++rank)
        if (m_states[rank] == State::Waiting)
            parts.push_back("rank " + std::to_string(rank) + " waits in " + m_waits[rank]);
    std::vector<std::size_t> ended;
    for (std::size_t rank = 0; rank < m_states.size(); ++rank)
        if (m_states[rank] == State::Ended) ended.push_back(rank);
    if (!ended.empty()) parts.push_back(listed(ended) + (ended.size() == 1 ? " has ended" : " have ended"));
    return joined(parts, "; ");
}

} // namespace dynascope::engine
