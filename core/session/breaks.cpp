// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/breaks.h"

#include "core/session/break_reasons.h"
#include "core/session/compile_counts.h"
#include "core/session/resume.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace dynascope::session {

namespace {

/// Bytes of the tensors a frame takes in, parameters and buffers of modules left out: those were there
/// before.
std::uint64_t bytesTakenIn(const Compile& compile) {
    std::uint64_t out = 0;
    for (const TensorInput& input : compile.inputs) {
        if (input.source.empty() || input.isParameter || input.source.find("_modules") != std::string::npos)
            continue;
        out += input.meta.bytes().value_or(0);
    }
    return out;
}

/// Finds, compile by compile in the order of compilation, the break without which a frame would not exist: a
/// resume function continues a frame that broke; another function runs on its own because the frame that
/// called it broke.
class Attribution {
public:
    explicit Attribution(const Session& session)
        : m_session(session)
        , m_frameOf(session.compiles.size(), 0) {
        for (std::size_t f = 0; f < session.frames.size(); ++f)
            for (const std::size_t c : session.frames[f].compiles)
                m_frameOf[c] = f;
    }

    /// The group of the break that made compile `c`, SIZE_MAX for one that was called from outside.
    [[nodiscard]] std::size_t causeOf(std::size_t c) const {
        const Compile& compile = m_session.compiles[c];
        if (const auto resumed = parseResumedFunction(compile.function)) {
            const auto exact = m_byLine.find({m_frameOf[c], resumed->line});
            if (exact != m_byLine.end()) return exact->second;
            const auto frame = m_byFrame.find(m_frameOf[c]);
            return frame == m_byFrame.end() ? lastOf(compile.origin()) : frame->second;
        }
        const auto inlined = m_byInlined.find({compile.origin(), compile.function, fileOf(compile)});
        if (inlined != m_byInlined.end()) return inlined->second;
        // The innermost caller that broke: the others would have taken in what it is a part of.
        for (std::size_t i = compile.userStack.size(); i-- > 1;) {
            const ir::SourceLocation& caller = compile.userStack[i - 1];
            const auto broken = m_broken.find(
                {compile.origin(), std::string(originalFunction(caller.function)), caller.file});
            if (broken != m_broken.end()) return broken->second;
        }
        return SIZE_MAX;
    }

    /// Compile `c` ended in a break of group `group`.
    void record(std::size_t c, const GraphBreak& graphBreak, std::size_t group) {
        const Compile& compile = m_session.compiles[c];
        m_last[compile.origin()] = group;
        m_byFrame[m_frameOf[c]] = group;
        const std::string root(originalFunction(compile.function));
        m_broken[{compile.origin(), root, fileOf(compile)}] = group;
        // The innermost frame of the compiled function itself is where it resumes; what is below was being
        // inlined.
        const auto own =
            std::find_if(graphBreak.userStack.rbegin(), graphBreak.userStack.rend(),
                         [&](const ir::SourceLocation& at) { return originalFunction(at.function) == root; });
        if (own == graphBreak.userStack.rend()) return;
        m_byLine[{m_frameOf[c], own->line}] = group;
        for (auto inner = graphBreak.userStack.rbegin(); inner != own; ++inner)
            m_byInlined[{compile.origin(), inner->function, inner->file}] = group;
    }

private:
    using Origin = std::pair<int, int>; // rank and run
    static std::string fileOf(const Compile& compile) {
        return compile.location() ? compile.location()->file : std::string();
    }
    [[nodiscard]] std::size_t lastOf(const Origin& origin) const {
        const auto found = m_last.find(origin);
        return found == m_last.end() ? SIZE_MAX : found->second;
    }

    using Function = std::tuple<Origin, std::string, std::string>; // name, file
    const Session& m_session;
    std::vector<std::size_t> m_frameOf;
    std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> m_byLine; // (frame, line)
    std::unordered_map<std::size_t, std::size_t> m_byFrame;
    std::map<Function, std::size_t> m_byInlined, m_broken;
    std::map<Origin, std::size_t> m_last;
};

} // namespace

std::string afterwards(const BreakGroup& group) {
    const auto frames = [&](std::string_view one, std::string_view many) {
        return std::to_string(group.framesAfter.size()) + ' ' +
               std::string(group.framesAfter.size() == 1 ? one : many);
    };
    const std::size_t cuts = group.occurrences.size() - std::min(group.skips, group.occurrences.size());
    std::string out;
    if (group.skips > 0) {
        out = std::string(cuts > 0 ? std::to_string(group.skips) + " of them: Dynamo" : "Dynamo") +
              " skips the function, which runs eagerly as a whole.";
        if (!group.framesAfter.empty())
            out += " " + frames("compile", "compiles") + " of what it calls came after it.";
        return out;
    }
    if (group.skipsRest > 0) {
        const bool all = group.skipsRest == group.occurrences.size();
        out = (all ? std::string("Dynamo") : std::to_string(group.skipsRest) + " of them: Dynamo") +
              " cannot go on from here: the graph ends at the last place before it from which that is "
              "possible, and "
              "the rest of the function runs eagerly.";
        if (!group.framesAfter.empty())
            out += " " + frames("compile", "compiles") + " of what it calls came after it.";
        return out;
    }
    out = "The function is cut here.";
    if (group.framesAfter.empty())
        out += " The capture shows nothing that was compiled after it.";
    else
        out += group.framesAfter.size() == 1
                   ? " What follows was compiled as 1 new frame."
                   : " What follows took " + std::to_string(group.framesAfter.size()) +
                         " compiles of new frames.";
    return out;
}

BreakSummary summarizeBreaks(const Session& session) {
    BreakSummary out;
    out.compiles = session.compiles.size();
    Attribution attribution(session);
    std::map<std::tuple<std::string, std::string, std::uint32_t>, std::size_t> groupOf; // reason, file, line
    for (std::size_t c = 0; c < session.compiles.size(); ++c) {
        const Compile& compile = session.compiles[c];
        out.recompiles += compile.isRecompile ? 1 : 0;
        out.compileSeconds += compileTime(compile);
        if (const std::size_t cause = attribution.causeOf(c); cause != SIZE_MAX) {
            BreakGroup& group = out.groups[cause];
            group.framesAfter.push_back(c);
            group.secondsAfter += compileTime(compile);
            group.bytesHandedOver += bytesTakenIn(compile);
            out.secondsAfterBreaks += compileTime(compile);
        }
        for (const GraphBreak* item : compile.finalBreaks()) {
            std::string reason = shortReason(*item);
            const ir::SourceLocation place = item->location() ? *item->location() : ir::SourceLocation{};
            const auto [known, isNew] =
                groupOf.try_emplace({reason, place.file, place.line}, out.groups.size());
            if (isNew) {
                BreakGroup group;
                group.reason = std::move(reason);
                group.location = place;
                group.waysOut = waysOut(*item);
                out.groups.push_back(std::move(group));
            }
            BreakGroup& group = out.groups[known->second];
            if (item->skipsFunction) ++group.skips;
            if (item->skipsRest) ++group.skipsRest;
            group.occurrences.push_back({c, static_cast<std::size_t>(item - compile.breaks.data())});
            ++out.breaks;
            attribution.record(c, *item, known->second);
        }
    }
    std::stable_sort(out.groups.begin(), out.groups.end(), [](const BreakGroup& a, const BreakGroup& b) {
        return a.secondsAfter > b.secondsAfter;
    });
    return out;
}

std::size_t firstToChange(const BreakSummary& summary) {
    const auto open = std::find_if(summary.groups.begin(), summary.groups.end(), [](const BreakGroup& group) {
        return !group.waysOut.empty() && group.waysOut.front().kind != "leave";
    });
    return open == summary.groups.end() ? 0 : static_cast<std::size_t>(open - summary.groups.begin());
}

} // namespace dynascope::session
