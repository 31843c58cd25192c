// SPDX-License-Identifier: BSD-3-Clause
//
// The calling convention of a functionalized graph in words: the same for the window and for a terminal.
#include "core/base/words.h"
#include "core/computed/calling_convention.h"

#include <algorithm>

namespace dynascope::computed {

namespace {

constexpr const char* forCaller = "for the caller, who owns the tensor";

std::string forcedText(const std::optional<ForcingBreak>& forced) {
    if (!forced) return forCaller;
    return forced->text() + (forced->resumed.empty() ? "" : ": " + forced->resumed);
}

std::string memoryText(const ConventionOutput& output) {
    using Memory = ConventionOutput::Memory;
    switch (output.memory) {
    case Memory::Own:
        return "memory of its own";
    case Memory::AliasOfInput:
        return "in eager an alias of input " + output.with;
    case Memory::IsInput:
        return "in eager input " + output.with + " itself";
    case Memory::SameAsOutput:
        return "in eager it shares memory with " + output.with;
    case Memory::Unknown:
        break;
    }
    return {};
}

} // namespace

ConventionRow rowOf(const OuterArgument& argument) {
    using Mutation = OuterArgument::Mutation;
    ConventionRow row{argument.name.empty() ? argument.node : argument.name, argument.type, {}, {}};
    if (argument.mutation == Mutation::None) {
        const bool shares = !argument.writtenWith.empty();
        row.what = shares ? "shares memory with " + argument.writtenWith : "read";
        if (shares) row.why = "lies in the memory of " + argument.writtenWith + ", which is written back";
        return row;
    }
    row.what = argument.shared                           ? "its memory is written"
               : argument.mutation == Mutation::Data     ? "written"
               : argument.mutation == Mutation::Geometry ? "gets another geometry"
                                                         : "written, gets another geometry";
    row.why = formatBytes(argument.bytes) + " written back, " + forcedText(argument.forcedBy);
    return row;
}

ConventionRow rowOf(const ConventionOutput& output) {
    ConventionRow row{output.node, output.type, {}, {}};
    const bool isNewValue = output.user < 0;
    row.what = isNewValue ? "new value of " + output.writtenTo : "user result " + std::to_string(output.user);
    row.why = isNewValue ? "the user never sees it" : memoryText(output);
    return row;
}

ConventionRow rowOf(const EpilogueStep& step) {
    ConventionRow row;
    const std::string value = step.output >= 0 ? "output " + std::to_string(step.output) : step.value;
    row.name =
        (step.wholeStorage ? "storage of " : "") + step.input + '.' + step.operation + '(' + value + ')';
    if (step.bytes > 0) row.type = formatBytes(step.bytes);
    std::string shared;
    for (const std::string& name : step.sharedWith)
        shared += (shared.empty() ? "" : ", ") + name;
    row.what = !shared.empty()             ? "new values of the memory that " + shared + " has too"
               : step.operation == "copy_" ? "new values"
                                           : "new geometry";
    row.why = forcedText(step.forcedBy);
    return row;
}

std::string argumentsHeading(const CallingConvention& convention) {
    const auto written = std::count_if(
        convention.arguments.begin(), convention.arguments.end(),
        [](const OuterArgument& argument) { return argument.mutation != OuterArgument::Mutation::None; });
    return count(convention.arguments.size(), "outer argument") + ", " +
           (written == 0 ? std::string("none") : std::to_string(written)) + " written";
}

std::string outputsHeading(const CallingConvention& convention) {
    const std::size_t all = convention.outputs.size();
    const auto users =
        std::size_t(std::count_if(convention.outputs.begin(), convention.outputs.end(),
                                  [](const ConventionOutput& output) { return output.user >= 0; }));
    return std::to_string(all) + (all == 1 ? " output" : " outputs") + " of the graph" +
           (users < all ? ": new values of inputs first, then " + std::to_string(users) + " for the user"
                        : "");
}

std::string epilogueHeading(const CallingConvention& convention) {
    if (convention.epilogue.empty()) return "No epilogue: nothing has to be written back";
    return count(convention.epilogue.size(), "epilogue step") + (convention.callerWritesBack
                                                                     ? ", by the caller after the graph"
                                                                     : ", in the graph before it returns");
}

} // namespace dynascope::computed
