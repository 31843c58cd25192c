// SPDX-License-Identifier: BSD-3-Clause
//
// What Inductor's reasons against a fusion ask for, in words of the two operations. The texts are those of
// torch/_inductor/scheduler.py and codegen/simd.py.
#include "core/base/text.h"
#include "core/inductor/why_not_fused.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace dynascope::inductor {

namespace {

/// What a reason is about.
enum class Asks { Between, Extern, Loops, Indexes, Pointwise, Device, Prologue };

constexpr std::array<std::pair<std::string_view, Asks>, 16> texts{
    {{"intermediate nodes between", Asks::Between},
     {"will create cycle", Asks::Between},
     {"node2 is extern", Asks::Extern},
     {"node1 is extern", Asks::Extern},
     {"node1 is nop", Asks::Extern},
     {"grouped node must not", Asks::Extern},
     {"nodes numel", Asks::Loops},
     {"numel", Asks::Loops},
     {"invalid tiling", Asks::Loops},
     {"memory deps did not match", Asks::Indexes},
     {"Mismatch loop orders", Asks::Indexes},
     {"loop order", Asks::Indexes},
     {"prologue fusion only supported for pointwise", Asks::Pointwise},
     {"template prologue can only fuse functional pointwise", Asks::Pointwise},
     {"prologue fusion turned off", Asks::Prologue},
     {"device mismatch", Asks::Device}}};

std::set<Asks> asked(const PassRecording& recording, const WhyNotFused& why) {
    std::set<Asks> out;
    const auto add = [&out](std::string_view text) {
        for (const auto& [part, asks] : texts)
            if (text.find(part) != std::string_view::npos) {
                out.insert(asks);
                return;
            }
    };
    for (const Question* question : why.questions) {
        if (question->answer == Question::Answer::Yes) continue;
        for (const std::uint32_t reason : question->reasons)
            add(recording.reason(reason));
        add(question->detail);
    }
    return out;
}

std::string indexOf(const std::vector<Access>& accesses, const std::string& buffer) {
    for (const Access& access : accesses)
        if (access.buffer == buffer && !access.index.empty()) return access.index;
    return {};
}

/// Buffers that both use at other indexes.
void addIndexes(std::vector<std::string>& out, const WhyNotFused& why, const SchedulerNode& a,
                const SchedulerNode& b) {
    const auto all = [](const SchedulerNode& node) {
        std::vector<Access> accesses = node.writes;
        accesses.insert(accesses.end(), node.reads.begin(), node.reads.end());
        return accesses;
    };
    const std::vector<Access> ofA = all(a), ofB = all(b);
    for (const std::string& buffer : why.shared) {
        const std::string one = indexOf(ofA, buffer), other = indexOf(ofB, buffer);
        if (!one.empty() && !other.empty() && one != other)
            out.push_back("both would have to go through " + buffer + " in the same order: " + a.name +
                          " uses [" + one + "], " + b.name + " [" + other + "]");
    }
}

std::string loopsText(const SchedulerNode& node) {
    return node.group.empty() ? "none" : node.group;
}

} // namespace

std::vector<std::string> wouldHaveToDiffer(const PassRecording& recording, const Schedule& schedule,
                                           const WhyNotFused& why, const std::string& a,
                                           const std::string& b) {
    std::vector<std::string> out;
    const SchedulerNode *one = schedule.operation(a), *other = schedule.operation(b);
    if (one == nullptr || other == nullptr || !why.kernel.empty()) return out;
    const std::set<Asks> asks = asked(recording, why);
    if (asks.contains(Asks::Between) && !why.between.empty())
        out.push_back("one of the two would have to do without what " + joined(why.between, ", ") +
                      (why.between.size() == 1 ? " computes" : " compute") + " between them");
    if (asks.contains(Asks::Extern))
        for (const SchedulerNode* node : {one, other})
            if (node->kind != "SchedulerNode" && !node->kind.empty())
                out.push_back(node->name +
                              " would have to be loops that Inductor generates; it is of class " +
                              node->kind + (node->kernel.empty() ? "" : " and calls " + node->kernel));
    if (asks.contains(Asks::Loops) && one->group != other->group)
        out.push_back("their loops would have to be of the same sizes: " + a + " has " + loopsText(*one) +
                      ", " + b + " has " + loopsText(*other));
    if (asks.contains(Asks::Indexes)) addIndexes(out, why, *one, *other);
    if (asks.contains(Asks::Pointwise))
        for (const SchedulerNode* node : {one, other})
            if (node->kind == "SchedulerNode" && node->data != "Pointwise")
                out.push_back(node->name + " would have to be pointwise; it is " + node->data);
    if (asks.contains(Asks::Device) && one->device != other->device)
        out.push_back("both would have to be on one device: " + a + " is on " + one->device + ", " + b +
                      " on " + other->device);
    for (const TimedFusion* timed : why.timed)
        if (!timed->fused && timed->msFused && timed->msApart && *timed->msFused > 0)
            out.push_back("one kernel would have to be faster than two when PyTorch times them");
    if (asks.contains(Asks::Prologue)) out.push_back("the setting prologue_fusion would have to be on");
    return out;
}

} // namespace dynascope::inductor
