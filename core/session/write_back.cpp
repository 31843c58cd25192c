// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/write_back.h"

#include "core/session/resume.h"

#include <algorithm>

namespace dynascope::session {

namespace {

bool takesIn(const Compile& compile, std::string_view source) {
    return !source.empty() && std::any_of(compile.inputs.begin(), compile.inputs.end(),
                                          [&](const TensorInput& input) { return input.source == source; });
}

/// The line of the compiled function itself at which it breaks; what is below was being inlined.
std::uint32_t ownLine(const GraphBreak& graphBreak, std::string_view function) {
    const auto own =
        std::find_if(graphBreak.userStack.rbegin(), graphBreak.userStack.rend(),
                     [&](const ir::SourceLocation& at) { return originalFunction(at.function) == function; });
    return own == graphBreak.userStack.rend() ? 0 : own->line;
}

} // namespace

std::optional<BreakAfterWrite> breakAfterWrite(const Session& session, const BreakSummary& breaks,
                                               std::size_t compile, std::string_view source) {
    if (compile >= session.compiles.size()) return std::nullopt;
    const Compile& written = session.compiles[compile];
    const auto all = written.finalBreaks();
    if (all.empty()) return std::nullopt;
    BreakAfterWrite out;
    out.graphBreak = all.back();
    const auto index = static_cast<std::size_t>(out.graphBreak - written.breaks.data());
    for (std::size_t g = 0; g < breaks.groups.size() && out.group == SIZE_MAX; ++g)
        for (const BreakOccurrence& occurrence : breaks.groups[g].occurrences)
            if (occurrence.compile == compile && occurrence.index == index) out.group = g;

    const std::string_view function = originalFunction(written.function);
    const std::uint32_t line = ownLine(*out.graphBreak, function);
    for (const Frame& frame : session.frames) {
        if (std::find(frame.compiles.begin(), frame.compiles.end(), compile) == frame.compiles.end())
            continue;
        for (const std::size_t c : frame.compiles) {
            const Compile& next = session.compiles[c];
            const auto resumed = parseResumedFunction(next.function);
            if (c <= compile || !resumed || next.origin() != written.origin()) continue;
            if (line != 0 && resumed->line != line) continue;
            if (!takesIn(next, source)) continue;
            out.resumed = c;
            return out;
        }
    }
    return out;
}

} // namespace dynascope::session
