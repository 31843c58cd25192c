// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/schedule.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>

namespace dynascope::inductor {

const SchedulerNode* Schedule::operation(const std::string& name) const {
    const auto at = std::ranges::find_if(
        nodes, [&](const auto& one) { return one.second.members.empty() && one.second.name == name; });
    return at == nodes.end() ? nullptr : &at->second;
}

std::vector<std::string> Schedule::operationsOf(std::uint32_t id) const {
    const SchedulerNode* found = node(id);
    if (found == nullptr) return {};
    if (found->members.empty()) return {found->name};
    std::vector<std::string> out;
    for (const std::uint32_t member : found->members)
        // Members have no members: PyTorch flattens them. A file may lie.
        if (const SchedulerNode* inner = node(member)) out.push_back(inner->name);
    return out;
}

std::vector<std::string> Schedule::originsOf(const Kernel& kernel) const {
    std::vector<std::string> out;
    for (const std::uint32_t id : kernel.nodes)
        if (const SchedulerNode* found = node(id))
            for (const NodeRef& origin : found->origins)
                if (std::ranges::find(out, origin.name) == out.end()) out.push_back(origin.name);
    return out;
}

bool Schedule::holds(std::uint32_t id, const std::string& name) const {
    const SchedulerNode* found = node(id);
    if (found == nullptr) return false;
    if (found->name == name) return true;
    return std::ranges::any_of(found->members, [&](std::uint32_t member) {
        const SchedulerNode* inner = node(member);
        return inner != nullptr && inner->name == name;
    });
}

std::vector<FusionGroup> groupsAfter(const Schedule& schedule, std::size_t fusions) {
    std::map<std::uint32_t, std::string> operations;
    for (const auto& [id, node] : schedule.nodes)
        if (node.members.empty()) operations.emplace(id, node.name);
    // A fused node's members are all that was fused into it, so that the last fusion of an operation tells its group.
    std::map<std::string, std::size_t> last;
    for (std::size_t i = 0; i < std::min(fusions, schedule.fusions.size()); ++i)
        for (const std::string& operation : schedule.operationsOf(schedule.fusions[i].result))
            last[operation] = i + 1;
    std::vector<FusionGroup> out;
    std::map<std::size_t, std::size_t> groups; // by fusion
    for (const auto& [id, name] : operations) {
        const auto fused = last.find(name);
        const auto [at, fresh] = fused == last.end() ? std::pair(groups.end(), true)
                                                     : groups.try_emplace(fused->second, out.size());
        if (fresh) out.push_back({{}, fused == last.end() ? 0 : fused->second});
        out[fused == last.end() ? out.size() - 1 : at->second].operations.push_back(name);
    }
    return out;
}

namespace {

/// Refusals by pair and reason.
class Refusals {
public:
    void add(const std::string& a, const std::string& b, std::uint32_t reason, std::size_t times,
             const std::optional<double>& score, std::uint32_t round) {
        const auto [at, fresh] = m_seen.try_emplace({a, b, reason}, m_out.size());
        if (fresh) m_out.push_back({a, b, reason, 0, {}, {}});
        Refusal& refusal = m_out[at->second];
        refusal.times += times;
        if (score && (!refusal.score || *score > *refusal.score)) refusal.score = score;
        if (refusal.rounds.empty() || refusal.rounds.back() != round) refusal.rounds.push_back(round);
    }
    [[nodiscard]] std::vector<Refusal> take() { return std::move(m_out); }

private:
    std::vector<Refusal> m_out;
    std::map<std::tuple<std::string, std::string, std::uint32_t>, std::size_t> m_seen;
};

} // namespace

std::vector<Refusal> refusalsOf(const Schedule& schedule) {
    Refusals out;
    for (const Question& question : schedule.questions) {
        if (question.answer == Question::Answer::Yes) continue;
        for (const std::uint32_t reason : question.reasons)
            out.add(question.nameA, question.nameB, reason, question.times, question.score, question.round);
    }
    return out.take();
}

std::vector<Refusal> refusedByTiming(const Schedule& schedule) {
    const auto nameOf = [&schedule](std::uint32_t id) {
        const SchedulerNode* node = schedule.node(id);
        return node == nullptr ? std::string() : node->name;
    };
    Refusals out;
    for (const TimedFusion& timed : schedule.timed)
        if (!timed.fused) out.add(nameOf(timed.a), nameOf(timed.b), 0, 1, {}, timed.round);
    return out.take();
}

std::vector<const Question*> questionsAbout(const Schedule& schedule, const std::string& a,
                                            const std::string& b) {
    std::vector<const Question*> out;
    const auto is = [&schedule](std::uint32_t node, const std::string& called, const std::string& name) {
        return called == name || schedule.holds(node, name);
    };
    for (const Question& question : schedule.questions) {
        const bool one = is(question.a, question.nameA, a) && is(question.b, question.nameB, b);
        const bool other = is(question.a, question.nameA, b) && is(question.b, question.nameB, a);
        if (one || other) out.push_back(&question);
    }
    return out;
}

std::vector<const TimedFusion*> timingsOf(const Schedule& schedule, const std::string& a,
                                          const std::string& b) {
    std::vector<const TimedFusion*> out;
    for (const TimedFusion& timed : schedule.timed)
        if ((schedule.holds(timed.a, a) && schedule.holds(timed.b, b)) ||
            (schedule.holds(timed.a, b) && schedule.holds(timed.b, a)))
            out.push_back(&timed);
    return out;
}

const TimedFusion* timingOf(const Schedule& schedule, const Fusion& fusion) {
    for (const TimedFusion& timed : schedule.timed)
        if (timed.fused && timed.round == fusion.round &&
            ((timed.a == fusion.a && timed.b == fusion.b) || (timed.a == fusion.b && timed.b == fusion.a)))
            return &timed;
    return nullptr;
}

std::string timesText(const TimedFusion& timed) {
    const auto ms = [](double value) {
        std::array<char, 64> out{};
        // A fuzzed time may have three hundred digits.
        std::snprintf(out.data(), out.size(), value < 1e9 ? "%.4f" : "%.4g", value);
        return std::string(out.data());
    };
    std::string out;
    if (timed.msFused) out = "fused " + ms(*timed.msFused) + " ms";
    if (timed.msApart)
        out += (out.empty() ? "apart " : ", apart ") + ms((*timed.msApart)[0]) + " and " +
               ms((*timed.msApart)[1]) + " ms";
    return "timed: " + (out.empty() ? "times are not known" : out);
}

} // namespace dynascope::inductor
