// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/passes.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::compare {

namespace {

using inductor::Fusion;
using inductor::Kernel;
using inductor::PassRecording;
using inductor::Question;
using inductor::Schedule;
using inductor::SchedulerNode;

/// An operation by what both sides know of it: the nodes that it comes from, and its number among those that come
/// from the same.
using Key = std::pair<std::vector<std::string>, std::size_t>;

/// One side's operations and kernels.
struct Side {
    const PassRecording& recording;
    const Schedule& schedule;
    std::map<std::string, Key> keys;             ///< by operation
    std::map<Key, std::string> names;            ///< and back
    std::map<std::string, const Kernel*> inside; ///< the kernel of an operation, the last that names it
    std::map<Key, std::size_t> groups;           ///< what was fused into one node at the end

    Side(const PassRecording& of, const Schedule& all)
        : recording(of)
        , schedule(all) {
        std::vector<const SchedulerNode*> single;
        for (const auto& [id, node] : all.nodes)
            if (node.members.empty()) single.push_back(&node);
        std::ranges::sort(single, {}, &SchedulerNode::id);
        std::map<std::vector<std::string>, std::size_t> seen;
        for (const SchedulerNode* node : single) {
            if (keys.contains(node->name)) continue;
            std::vector<std::string> origins;
            for (const inductor::NodeRef& origin : node->origins)
                origins.push_back(origin.name);
            std::ranges::sort(origins);
            const std::size_t number = seen[origins]++;
            Key key{std::move(origins), number};
            names.emplace(key, node->name);
            keys.emplace(node->name, std::move(key));
        }
        for (const Kernel& kernel : all.kernels)
            for (const std::string& operation : kernel.operations)
                inside[operation] = &kernel;
        const std::vector<inductor::FusionGroup> fused = inductor::groupsAfter(all, all.fusions.size());
        for (std::size_t i = 0; i < fused.size(); ++i)
            for (const std::string& operation : fused[i].operations)
                if (const auto key = keys.find(operation); key != keys.end()) groups[key->second] = i;
    }

    [[nodiscard]] std::set<Key> keysOf(const std::vector<std::string>& operations) const {
        std::set<Key> out;
        for (const std::string& operation : operations)
            if (const auto at = keys.find(operation); at != keys.end()) out.insert(at->second);
        return out;
    }
    /// The kernel that has an operation of the other side; null where none has.
    [[nodiscard]] const Kernel* kernelOf(const Key& key) const {
        const auto name = names.find(key);
        const auto at = name == names.end() ? inside.end() : inside.find(name->second);
        return at == inside.end() ? nullptr : at->second;
    }
};

/// A side's questions by the nodes that they are about.
class Questions {
public:
    explicit Questions(const Side& side)
        : m_side(side) {
        for (const auto& [id, node] : side.schedule.nodes) {
            if (node.members.empty()) m_nodes[node.name].insert(id);
            for (const std::string& operation : side.schedule.operationsOf(id))
                m_nodes[operation].insert(id);
        }
        for (std::size_t i = 0; i < side.schedule.questions.size(); ++i) {
            const Question& question = side.schedule.questions[i];
            if (question.a != 0) m_about[question.a].push_back(i);
            if (question.b != 0) m_about[question.b].push_back(i);
        }
    }

    /// The last about a node that holds one of `a` and one that holds one of `b`; null where there is none.
    [[nodiscard]] const Question* last(const std::set<Key>& a, const std::set<Key>& b) const {
        const std::set<std::uint32_t> nodesA = nodesOf(a), nodesB = nodesOf(b);
        std::size_t found = 0;
        const Question* out = nullptr;
        for (const std::uint32_t node : nodesA) {
            const auto about = m_about.find(node);
            if (about == m_about.end()) continue;
            for (auto at = about->second.rbegin(); at != about->second.rend() && *at + 1 > found; ++at) {
                const Question& question = m_side.schedule.questions[*at];
                if (!nodesB.contains(question.a == node ? question.b : question.a)) continue;
                found = *at + 1;
                out = &question;
                break;
            }
        }
        return out;
    }

private:
    [[nodiscard]] std::set<std::uint32_t> nodesOf(const std::set<Key>& keys) const {
        std::set<std::uint32_t> out;
        for (const Key& key : keys)
            if (const auto name = m_side.names.find(key); name != m_side.names.end())
                if (const auto nodes = m_nodes.find(name->second); nodes != m_nodes.end())
                    out.insert(nodes->second.begin(), nodes->second.end());
        return out;
    }

    const Side& m_side;
    std::map<std::string, std::set<std::uint32_t>> m_nodes; ///< by operation
    std::map<std::uint32_t, std::vector<std::size_t>> m_about;
};

void addAnswer(FusionDecision& decision, const Question* last, const PassRecording& recording) {
    if (last == nullptr) return;
    decision.asked = last->nameA + " with " + last->nameB;
    decision.wasAllowed = last->answer == Question::Answer::Yes;
    for (const std::uint32_t reason : last->reasons)
        decision.reasons.emplace_back(recording.reason(reason));
    if (!last->detail.empty()) decision.reasons.push_back(last->detail);
}

/// Fusions of one side whose parts the other did not fuse into one node.
class Decisions {
public:
    Decisions(const Side& side, const Side& other, bool inA) {
        const Questions questions(other);
        for (std::size_t i = 0; i < side.schedule.fusions.size(); ++i) {
            const Fusion& fusion = side.schedule.fusions[i];
            FusionDecision decision{inA,
                                    i + 1,
                                    fusion.round,
                                    side.schedule.operationsOf(fusion.a),
                                    side.schedule.operationsOf(fusion.b),
                                    {},
                                    {},
                                    false};
            const std::set<Key> a = known(side.keysOf(decision.a), other),
                                b = known(side.keysOf(decision.b), other);
            // Operations that the other side has not explain themselves.
            if (a.empty() || b.empty() || isMade(a, b, other)) continue;
            addAnswer(decision, questions.last(a, b), other.recording);
            m_all.push_back(std::move(decision));
        }
    }

    /// Those that joined operations of a kernel.
    [[nodiscard]] std::vector<FusionDecision> of(const std::vector<std::string>& operations) const {
        std::vector<FusionDecision> out;
        const auto holds = [&operations](const std::vector<std::string>& part) {
            return std::ranges::any_of(part, [&operations](const std::string& name) {
                return std::ranges::find(operations, name) != operations.end();
            });
        };
        for (const FusionDecision& decision : m_all)
            if (holds(decision.a) && holds(decision.b)) out.push_back(decision);
        return out;
    }

private:
    static std::set<Key> known(std::set<Key> keys, const Side& other) {
        std::erase_if(keys, [&other](const Key& key) { return !other.groups.contains(key); });
        return keys;
    }

    static bool isMade(const std::set<Key>& a, const std::set<Key>& b, const Side& other) {
        const std::size_t first = other.groups.at(*a.begin());
        const auto isThere = [&other, first](const Key& key) { return other.groups.at(key) == first; };
        return std::ranges::all_of(a, isThere) && std::ranges::all_of(b, isThere);
    }

    std::vector<FusionDecision> m_all;
};

/// Kernels of `side` that `other` has not. What has the same operations on both sides is told once, as one of A.
void addKernels(ScheduleComparison& out, const Side& side, const Side& other, const Decisions& own,
                const Decisions& others, bool inA) {
    std::map<std::set<Key>, const Kernel*> known;
    for (const Kernel& kernel : other.schedule.kernels)
        known.emplace(other.keysOf(kernel.operations), &kernel);
    for (const Kernel& kernel : side.schedule.kernels) {
        const auto twin = known.find(side.keysOf(kernel.operations));
        const bool same = twin != known.end();
        if (same && (!inA || twin->second->source == kernel.source)) {
            if (inA) ++out.same;
            continue;
        }
        KernelComparison one{inA, same, kernel.name, kernel.operations, side.schedule.originsOf(kernel),
                             {},  {},   {}};
        for (const std::string& operation : kernel.operations) {
            const auto key = side.keys.find(operation);
            const Kernel* there = key == side.keys.end() ? nullptr : other.kernelOf(key->second);
            if (there == nullptr)
                one.missing.push_back(operation);
            else if (std::ranges::find(one.others, there->name) == one.others.end())
                one.others.push_back(there->name);
        }
        one.decisions = own.of(kernel.operations);
        if (same)
            for (FusionDecision& decision : others.of(twin->second->operations))
                one.decisions.push_back(std::move(decision));
        out.kernels.push_back(std::move(one));
    }
}

} // namespace

ScheduleComparison compareSchedules(const PassRecording& ra, const Schedule* a, const PassRecording& rb,
                                    const Schedule* b) {
    ScheduleComparison out;
    out.onlyInA = a != nullptr && b == nullptr;
    out.onlyInB = b != nullptr && a == nullptr;
    if (a == nullptr || b == nullptr) return out;
    const Side sideA(ra, *a), sideB(rb, *b);
    const Decisions ofA(sideA, sideB, true), ofB(sideB, sideA, false);
    addKernels(out, sideA, sideB, ofA, ofB, true);
    addKernels(out, sideB, sideA, ofB, ofA, false);
    return out;
}

} // namespace dynascope::compare
