// SPDX-License-Identifier: BSD-3-Clause
//
// Judges that go over all that was compiled in a capture.
#include "core/lessons/judges.h"
#include "core/ranks/ranks.h"
#include "core/replay/coverage.h"
#include "core/session/breaks.h"

#include <algorithm>
#include <array>
#include <set>

namespace dynascope::lessons {

namespace {

using session::Compile;
using session::Session;

Result<FoundAnswer> compiles(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([](const Session* s) { return number(s->compiles.size()); });
}

Result<FoundAnswer> recompiles(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([](const Session* s) {
        return number(std::size_t(std::count_if(s->compiles.begin(), s->compiles.end(),
                                                [](const Compile& c) { return c.isRecompile; })));
    });
}

Result<FoundAnswer> breaks(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([](const Session* s) {
        return number(summarizeBreaks(*s).breaks);
    });
}

Result<FoundAnswer> breakReasons(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([](const Session* s) {
        return number(summarizeBreaks(*s).groups.size());
    });
}

Result<FoundAnswer> costliestBreak(const Question& question, const JudgedFacts& facts) {
    const auto session = sessionFor(question, facts);
    if (!session) return tl::unexpected(session.error());
    const session::BreakSummary summary = summarizeBreaks(**session);
    if (summary.groups.empty()) return unknown("the capture has no graph break", question);
    return number(summary.groups.front().location.line);
}

/// The first graph break of the cause at `line=`.
Result<const session::GraphBreak*> breakAt(const Question& question, const JudgedFacts& facts) {
    const auto session = sessionFor(question, facts);
    if (!session) return tl::unexpected(session.error());
    for (const session::BreakGroup& group : summarizeBreaks(**session).groups) {
        if (int(group.location.line) != question.judge.number("line", -1)) continue;
        const session::BreakOccurrence& first = group.occurrences.front();
        return &(*session)->compiles[first.compile].breaks[first.index];
    }
    return unknown("the capture has no graph break in this line", question);
}

/// PyTorch's graph-break id of the cause at `line=`: "GB0124", as the link in the break's text names it.
Result<FoundAnswer> breakId(const Question& question, const JudgedFacts& facts) {
    const auto found = breakAt(question, facts);
    if (!found) return tl::unexpected(found.error());
    const std::string& url = (*found)->url;
    const std::size_t at = url.rfind("/gb");
    if (at == std::string::npos) return unknown("the break names no id", question);
    return FoundAnswer{{"GB" + url.substr(at + 3, url.find('.', at) - at - 3)}, (*found)->title + '.'};
}

/// The words among the choices that Dynamo's explanation of the cause at `line=` has.
Result<FoundAnswer> breakSays(const Question& question, const JudgedFacts& facts) {
    return breakAt(question, facts).map([&](const session::GraphBreak* found) {
        return choicesThat(question, [&](const std::string& key) {
            return found->explanation.find(key) != std::string::npos;
        });
    });
}

Result<FoundAnswer> graphs(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([](const Session* s) {
        return number(std::size_t(std::count_if(s->compiles.begin(), s->compiles.end(), [](const Compile& c) {
            return c.findStage("dynamo_output_graph") != nullptr;
        })));
    });
}

/// The lines among the choices whose best way out is of `way=`: "setting", "rewrite", "remove", "move out".
Result<FoundAnswer> breakWays(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([&](const Session* s) {
        std::set<std::string> lines;
        for (const session::BreakGroup& group : summarizeBreaks(*s).groups)
            if (!group.waysOut.empty() && group.waysOut.front().kind == question.judge.value("way"))
                lines.insert(std::to_string(group.location.line));
        return choicesThat(question, [&](const std::string& key) { return lines.count(key) > 0; });
    });
}

/// The functions among the choices whose graphs would all be CUDA graphs if their tensors were on one GPU.
Result<FoundAnswer> recorded(const Question& question, const JudgedFacts& facts) {
    const auto session = sessionFor(question, facts);
    if (!session) return tl::unexpected(session.error());
    std::set<std::string> can, cannot;
    for (const replay::GraphCoverage& graph :
         cudagraphCoverage(**session, replay::GraphBackend::ReduceOverhead).graphs) {
        const bool is = graph.onGpu.value_or(graph.verdict) == replay::CoverageVerdict::CudaGraph;
        (is ? can : cannot).insert((*session)->compiles[graph.compile].function);
    }
    return choicesThat(question,
                       [&](const std::string& key) { return can.count(key) > 0 && cannot.count(key) == 0; });
}

/// Numbers of the ranks that compiled something again.
Result<FoundAnswer> recompiledRanks(const Question& question, const JudgedFacts& facts) {
    return sessionFor(question, facts).map([&](const Session* s) {
        std::set<std::string> ranks;
        for (const Compile& compile : s->compiles)
            if (compile.isRecompile) ranks.insert(std::to_string(compile.rank));
        return FoundAnswer{{ranks.begin(), ranks.end()}, {}};
    });
}

/// The ranks that are not as most are, by the worst reason of a verdict: `verdict="will hang"`.
Result<FoundAnswer> oddRanks(const Question& question, const JudgedFacts& facts) {
    const auto session = sessionFor(question, facts);
    if (!session) return tl::unexpected(session.error());
    return ranks::examine(**session).map([&](const ranks::Report& report) {
        FoundAnswer found;
        for (const ranks::Reason& reason : report.reasons) {
            if (verdictName(reason.verdict) != question.judge.value("verdict")) continue;
            for (const int rank : reason.ranks)
                found.keys.push_back(std::to_string(rank));
            found.words = reason.text;
            break;
        }
        return found;
    });
}

/// "alike", "slower", "wrong" or "hang".
Result<FoundAnswer> ranksVerdict(const Question& question, const JudgedFacts& facts) {
    const auto session = sessionFor(question, facts);
    if (!session) return tl::unexpected(session.error());
    return ranks::examine(**session).map([](const ranks::Report& report) {
        const std::string_view name = ranks::verdictName(report.verdict);
        return FoundAnswer{{std::string(name.substr(name.rfind(' ') + 1))}, summaryOf(report)};
    });
}

constexpr std::array<JudgeEntry, 13> ofRun{{{"breaks.costliest", costliestBreak},
                                            {"breaks.count", breaks},
                                            {"breaks.id", breakId},
                                            {"breaks.reasons", breakReasons},
                                            {"breaks.says", breakSays},
                                            {"breaks.ways", breakWays},
                                            {"compiles.count", compiles},
                                            {"cudagraph.recorded", recorded},
                                            {"graphs.count", graphs},
                                            {"ranks.odd", oddRanks},
                                            {"ranks.recompiled", recompiledRanks},
                                            {"ranks.verdict", ranksVerdict},
                                            {"recompiles.count", recompiles}}};

} // namespace

std::span<const JudgeEntry> runJudges() {
    return ofRun;
}

} // namespace dynascope::lessons
