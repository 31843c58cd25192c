// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_report.h"

#include "core/base/text.h"
#include "core/replay/tree_report_fields.h"

#include <algorithm>

namespace dynascope::wire {

DYNASCOPE_WIRE(replay::TreeReport)

} // namespace dynascope::wire

namespace dynascope::replay {

namespace {

using nlohmann::json;
using Action = TreeStep::Action;

std::string_view eventName(TreeStep::Event event) {
    switch (event) {
    case TreeStep::Event::Call:
        return "call";
    case TreeStep::Event::UserMark:
        return "mark step";
    case TreeStep::Event::Invocation:
        return "new generation";
    case TreeStep::Event::EagerBackward:
        return "eager backward";
    case TreeStep::Event::Observe:
        break;
    }
    return "drop";
}

/// The last check that asked for a new recording.
const InvariantCheck* causeOf(const TreeStep& step) {
    const auto cause =
        std::find_if(step.checks.rbegin(), step.checks.rend(),
                     [](const InvariantCheck& check) { return check.status != InvariantStatus::Success; });
    return cause == step.checks.rend() ? nullptr : &*cause;
}

/// "node 3: static input data pointer changed (w from 4096 to 8192)".
std::string causeText(const InvariantCheck& check) {
    std::string out =
        "node " + std::to_string(check.node) + ": " + std::string(invariantStatusText(check.status));
    for (const MovedInput& moved : check.moved)
        out += (&moved == check.moved.data() ? " (" : ", ") +
               (moved.name.empty() ? "input " + std::to_string(moved.input) : moved.name) + " from " +
               std::to_string(moved.recorded) + " to " + std::to_string(moved.now);
    for (const OutputAt& alive : check.alive)
        out += (&alive == check.alive.data() ? " (" : ", ") + std::string("output ") +
               std::to_string(alive.index) + " of node " + std::to_string(alive.node);
    if (!check.moved.empty() || !check.alive.empty()) out += ')';
    return out;
}

std::string whyOf(const TreeStep& step) {
    const InvariantCheck* cause = causeOf(step);
    switch (step.action) {
    case Action::Warmup:
        return "its first run";
    case Action::WarmupAgain:
        return "the path is a warm-up";
    case Action::Record:
        if (cause) return causeText(*cause);
        return step.parent == noNode ? "nothing recorded begins with it"
                                     : "nothing recorded follows node " + std::to_string(step.parent);
    case Action::Eager:
        if (!step.message.empty()) return std::string(firstLine(step.message));
        return step.eagerCause == TreeStep::EagerCause::Mutation
                   ? "it writes a tensor that is neither static nor recorded"
                   : "it was re-recorded too often";
    case Action::Failed:
        return step.error;
    case Action::Replay:
    case Action::None:
        break;
    }
    return {};
}

std::string pathText(const TreeStep& step) {
    std::string out;
    if (step.pathEnd == TreeStep::PathEnd::NewGeneration) {
        out = step.invalidated ? "a new generation took the outputs of the path before away"
                               : "a new generation left the path before";
    } else if (step.pathEnd == TreeStep::PathEnd::AllOutputsDead) {
        out = "all outputs of the path before were dead";
    }
    if (step.checkpoints == 0) return out;
    out += std::string(out.empty() ? "" : "; ") + "the allocator was set back";
    if (!step.freed.empty())
        out += ", " + std::to_string(step.freed.size()) + (step.freed.size() == 1 ? " block" : " blocks") +
               " given back";
    return out;
}

std::string overwrittenText(const Overwritten& about, const TreeManager& manager) {
    const TreeStep& made = manager.steps()[about.madeAt];
    const std::string maker = made.function < manager.functions().size()
                                  ? manager.functions()[made.function].name
                                  : "function " + std::to_string(made.function);
    const auto at = [](const std::string& stack) { return stack.empty() ? std::string() : ":\n" + stack; };
    return std::string(about.raises ? "taken away: " : "overwritten: ") + "made by " + maker + " in step " +
           std::to_string(about.madeAt) + at(about.madeStack) + "\nlost in step " +
           std::to_string(about.overwrittenAt) + at(about.overwrittenStack);
}

TreeReportStep rowOf(const TreeManager& manager, const TreeStep& step) {
    TreeReportStep out;
    out.event = eventName(step.event);
    out.path = pathText(step);
    if (step.event != TreeStep::Event::Call) return out;
    if (step.function < manager.functions().size()) out.function = manager.functions()[step.function].name;
    out.action = actionName(step.action);
    out.node = step.node;
    out.parent = step.parent;
    out.again = step.action == Action::Record && causeOf(step);
    out.why = whyOf(step);
    for (const Overwritten& about : step.overwrittenInputs)
        out.overwritten.push_back(overwrittenText(about, manager));
    return out;
}

} // namespace

std::size_t TreeReport::count(std::string_view action) const {
    return static_cast<std::size_t>(std::count_if(
        steps.begin(), steps.end(), [&](const TreeReportStep& step) { return step.action == action; }));
}

std::size_t TreeReport::rerecords() const {
    return static_cast<std::size_t>(
        std::count_if(steps.begin(), steps.end(), [](const TreeReportStep& step) { return step.again; }));
}

TreeReport reportOf(const TreeManager& manager) {
    TreeReport out;
    for (const TreeStep& step : manager.steps())
        out.steps.push_back(rowOf(manager, step));
    out.nodes = manager.nodes().size();
    return out;
}

json toJson(const TreeReport& report) {
    return wire::encode(report);
}

Result<TreeReport> treeReportFromJson(const json& document) {
    return wire::decode<TreeReport>(document);
}

} // namespace dynascope::replay
