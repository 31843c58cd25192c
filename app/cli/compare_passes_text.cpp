// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/compare_passes_text.h"

#include "app/cli/table.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <algorithm>

namespace dynascope::cli {

namespace {

using compare::FusionDecision;
using compare::KernelComparison;
using compare::PassComparison;
using compare::PassPairVerdict;
using compare::PhaseComparison;
using compare::ScheduleComparison;
using nlohmann::ordered_json;

std::string indexText(int row, std::uint32_t index) {
    return row < 0 ? "" : index == 0 ? "-" : std::to_string(index);
}

/// Those that changed nothing on the one side that has them are told by --json.
bool isShown(const PassComparison& pass) {
    return pass.acts || pass.verdict == PassPairVerdict::Follows;
}

/// `tellsStart`: no phase before it began with another graph, which all others follow from.
std::string phaseReport(const PhaseComparison& phase, bool tellsStart) {
    Table table({Table::Align::Right, Table::Align::Right, Table::Align::Left, Table::Align::Left,
                 Table::Align::Left, Table::Align::Left, Table::Align::Left});
    for (const PassComparison& pass : phase.passes)
        if (isShown(pass))
            table.add({indexText(pass.rowA, pass.a), indexText(pass.rowB, pass.b),
                       std::string(std::size_t(pass.depth) * 2, ' ') + pass.name,
                       std::string(compare::passPairVerdictName(pass.verdict)),
                       pass.rowA < 0 ? "-" : pass.changeA, pass.rowB < 0 ? "-" : pass.changeB,
                       pass.difference});
    if (table.empty() && (phase.start.empty() || !tellsStart)) return {};
    std::string out = "    " + phase.name + '\n';
    if (!phase.start.empty() && tellsStart) out += "      begins with another graph: " + phase.start + '\n';
    return out + table.toString("      ");
}

std::string answerText(const FusionDecision& decision) {
    const std::string other = decision.inA ? "B" : "A";
    if (decision.asked.empty()) return other + " was not asked about them";
    if (decision.wasAllowed) return other + " answered yes to " + decision.asked + ", and did not fuse them";
    return other + " refused " + decision.asked +
           (decision.reasons.empty() ? std::string() : ": " + joined(decision.reasons, "; "));
}

std::string kernelReport(const KernelComparison& kernel) {
    const char *side = kernel.inA ? "A" : "B", *other = kernel.inA ? "B" : "A";
    std::string out = "      " + std::string(side) + ' ' + kernel.name + ": " +
                      joined(kernel.operations, " ") + ", from " + joined(kernel.origins, " ") + '\n';
    if (kernel.sameOperations)
        out += std::string("        ") + other + " has the same operations in " + kernel.others.front() +
               ", with other code\n";
    else if (!kernel.others.empty())
        out += std::string("        in ") + other + ": " + joined(kernel.others, ", ") + '\n';
    if (!kernel.missing.empty())
        out += "        in no generated kernel of " + std::string(other) + ": " +
               joined(kernel.missing, " ") + '\n';
    for (const FusionDecision& decision : kernel.decisions)
        out += "        fusion " + std::to_string(decision.number) + " of " + (decision.inA ? "A" : "B") +
               " joined " + joined(decision.a, " ") + " with " + joined(decision.b, " ") + "; " +
               answerText(decision) + '\n';
    return out;
}

std::string scheduleReport(const ScheduleComparison& schedule) {
    if (schedule.onlyInA || schedule.onlyInB)
        return "    kernels of " + schedule.graph + ": only " + (schedule.onlyInA ? "A" : "B") +
               " has a schedule\n";
    if (schedule.kernels.empty()) return {};
    std::string out =
        "    kernels of " + schedule.graph + ": " + std::to_string(schedule.same) + " the same\n";
    for (const KernelComparison& kernel : schedule.kernels)
        out += kernelReport(kernel);
    return out;
}

ordered_json passJson(const PassComparison& pass) {
    ordered_json out = {{"name", pass.name},
                        {"verdict", compare::passPairVerdictName(pass.verdict)},
                        {"acts_differently", pass.acts},
                        {"a", nullptr},
                        {"b", nullptr},
                        {"difference", pass.difference}};
    if (pass.rowA >= 0) out["a"] = {{"index", pass.a}, {"change", pass.changeA}};
    if (pass.rowB >= 0) out["b"] = {{"index", pass.b}, {"change", pass.changeB}};
    return out;
}

ordered_json kernelJson(const KernelComparison& kernel) {
    ordered_json decisions = ordered_json::array();
    for (const FusionDecision& decision : kernel.decisions)
        decisions.push_back({{"side", decision.inA ? "A" : "B"},
                             {"fusion", decision.number},
                             {"round", decision.round},
                             {"a", decision.a},
                             {"b", decision.b},
                             {"asked", decision.asked},
                             {"allowed", decision.wasAllowed},
                             {"reasons", decision.reasons}});
    return {{"side", kernel.inA ? "A" : "B"},
            {"name", kernel.name},
            {"same_operations", kernel.sameOperations},
            {"nodes", kernel.operations},
            {"origins", kernel.origins},
            {"in_kernels", kernel.others},
            {"in_no_kernel", kernel.missing},
            {"decisions", std::move(decisions)}};
}

} // namespace

std::string passesReport(const compare::PassesComparison& passes) {
    if (passes.alike()) return "    passes: they do the same, pass by pass, and the kernels are the same\n";
    std::string out = "    passes: " + compare::firstDifference(passes) + '\n';
    bool tellsStart = true;
    for (const PhaseComparison& phase : passes.phases) {
        out += phaseReport(phase, tellsStart);
        tellsStart = tellsStart && phase.start.empty();
    }
    for (const ScheduleComparison& schedule : passes.schedules)
        out += scheduleReport(schedule);
    return out;
}

ordered_json passesDocument(const compare::PassesComparison& passes) {
    ordered_json phases = ordered_json::array(), schedules = ordered_json::array();
    for (const PhaseComparison& phase : passes.phases) {
        ordered_json rows = ordered_json::array();
        for (const PassComparison& pass : phase.passes)
            rows.push_back(passJson(pass));
        phases.push_back({{"name", phase.name}, {"start", phase.start}, {"passes", std::move(rows)}});
    }
    for (const ScheduleComparison& schedule : passes.schedules) {
        ordered_json kernels = ordered_json::array();
        for (const KernelComparison& kernel : schedule.kernels)
            kernels.push_back(kernelJson(kernel));
        schedules.push_back({{"graph", schedule.graph},
                             {"only_in", schedule.onlyInA   ? ordered_json("A")
                                         : schedule.onlyInB ? ordered_json("B")
                                                            : ordered_json()},
                             {"same", schedule.same},
                             {"kernels", std::move(kernels)}});
    }
    const std::string first = compare::firstDifference(passes);
    return {{"verdict", passes.alike() ? "same" : "differs"},
            {"first", first.empty() ? ordered_json() : ordered_json(first)},
            {"phases", std::move(phases)},
            {"schedules", std::move(schedules)}};
}

} // namespace dynascope::cli
