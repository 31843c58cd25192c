// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/compare.h"

#include "core/base/log.h"
#include "core/base/threads.h"
#include "core/compare/parts.h"
#include "core/compare/passes.h"
#include "core/session/compile_counts.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace dynascope::compare {

namespace {

using session::Compile;
using session::Session;

/// Calls work(0) ... work(count - 1), each once, on several threads. Progress is told on the caller's, and what goes wrong
/// on one of them goes wrong there too.
template <typename Work>
void forEachInParallel(std::size_t count, const TaskContext& task, const Work& work) {
    std::atomic<std::size_t> next{0};
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    shareWork(std::min(cores, std::max<std::size_t>(count, 1)) - 1, [&](const Sharer& sharer) {
        for (std::size_t i = next++; i < count && !sharer.failed; i = next++) {
            work(i);
            if (sharer.isCallers) task.report("Comparing stages", std::min(next.load(), count), count);
        }
    });
}

/// A guard as two runs can share it: addresses of objects are others in each process.
std::string guardText(const session::Guard& guard) {
    constexpr std::size_t digitsOfAnId = 7;
    const std::string text = guard.type + ": " + guard.code;
    return text.find("_id(") != std::string::npos ? withoutAddresses(text, digitsOfAnId)
                                                  : withoutAddresses(text);
}

std::vector<std::string> guardTexts(const Compile& compile) {
    std::vector<std::string> out;
    for (const session::Guard& guard : compile.guards)
        if (!guard.isManager()) out.push_back(guardText(guard));
    return out;
}

ListComparison compareGuards(const Compile& a, const Compile& b, const detail::OwnDevices& devices) {
    if (!devices.differ()) return detail::compareLists(guardTexts(a), guardTexts(b));
    std::vector<std::string> ofB = guardTexts(b);
    for (std::string& text : ofB)
        text = devices.exchanged(text);
    ListComparison out = detail::compareLists(guardTexts(a), std::move(ofB));
    for (std::string& text : out.onlyB)
        text = devices.exchanged(text);
    return out;
}

std::vector<std::string> symbolTexts(const Compile& compile) {
    std::vector<std::string> out;
    for (const session::SymbolInfo& s : compile.symbols)
        out.push_back(s.source + " = " + s.value + (s.range.empty() ? "" : " in " + s.range) +
                      (s.became.empty() ? "" : ", became " + s.became));
    return out;
}

std::string statusText(const Compile& compile) {
    std::string text(session::statusName(compile.status));
    const std::vector<const session::GraphBreak*> breaks = compile.finalBreaks();
    if (!breaks.empty()) text += " (" + detail::shortened(breaks.front()->title) + ')';
    if (breaks.empty() && !compile.failReason.empty())
        text += " (" + detail::shortened(compile.failReason) + ')';
    return text;
}

std::string recompileText(const Compile& compile) {
    if (!compile.isRecompile) return "not a recompile";
    return "a recompile" + (compile.recompileReasons.empty()
                                ? std::string()
                                : " (" + detail::shortened(compile.recompileReasons.front()) + ')');
}

std::string firstOf(const ListComparison& list, const char* what) {
    std::string text = std::string(what) + ": ";
    if (list.onlyA.empty())
        text += "only in B: " + detail::shortened(list.onlyB.front());
    else if (list.onlyB.empty())
        text += "only in A: " + detail::shortened(list.onlyA.front());
    else
        text += detail::whereTheyPart(list.onlyA.front(), list.onlyB.front());
    const std::size_t count = std::max(list.onlyA.size(), list.onlyB.size());
    if (count > 1) text += ", and " + std::to_string(count - 1) + " more";
    return text;
}

/// The verdict of two compiles whose parts are compared: a cause goes before what follows from it.
void judge(CompileComparison& pair, const Compile& a, const Compile& b) {
    const auto say = [&](std::string text) {
        pair.verdict = CompareVerdict::Differs;
        if (pair.difference.empty()) pair.difference = std::move(text);
    };
    if (a.status != b.status) say("status: " + statusText(a) + " / " + statusText(b));
    if (a.isRecompile != b.isRecompile) say("A is " + recompileText(a) + ", B is " + recompileText(b));
    if (!pair.symbols.alike()) say(firstOf(pair.symbols, "symbol"));
    // Given the same graph, a pass that does something else is why the stages after it differ.
    if (pair.passes && pair.passes->startsApart().empty())
        if (std::string first = firstDifference(*pair.passes); !first.empty()) say(std::move(first));
    if (const std::size_t first = firstDifferingStage(pair); first != none) {
        const StageComparison& stage = pair.stages[first];
        say((stage.a ? stage.a : stage.b)->label() + ": " + stage.difference);
    }
    if (!pair.guards.alike()) say(firstOf(pair.guards, "guard"));
    if (pair.passes && !pair.passes->alike()) say(firstDifference(*pair.passes));
}

/// Where a recording of both sides has them; what cannot be read is not compared.
std::shared_ptr<const PassesComparison> passesOf(const Session& a, const Compile& ca, const Session& b,
                                                 const Compile& cb, const TaskContext& task) {
    if (a.passRecordings.empty() || b.passRecordings.empty()) return nullptr;
    Result<PassesComparison> out = comparePasses(a, ca, b, cb, task);
    return out ? std::make_shared<const PassesComparison>(std::move(*out)) : nullptr;
}

Result<Comparison> comparePairs(const Session& a, const Session& b, const std::vector<detail::Pair>& pairs,
                                const CompareOptions& options, const TaskContext& task) {
    Comparison out;
    const detail::OwnDevices devices = options.ownDevices && options.rankA >= 0 && options.rankB >= 0
                                           ? detail::ownDevices(a, options.rankA, b, options.rankB)
                                           : detail::OwnDevices();
    struct Work {
        StageComparison* stage;
        const Compile *a, *b;
    };
    std::vector<Work> stages;
    for (const detail::Pair& pair : pairs) {
        CompileComparison& entry = out.compiles.emplace_back();
        entry.a = pair.a;
        entry.b = pair.b;
        entry.match = pair.match;
        if (pair.a != none) entry.secondsA = session::compileTime(a.compiles[pair.a]);
        if (pair.b != none) entry.secondsB = session::compileTime(b.compiles[pair.b]);
        if (pair.a == none || pair.b == none) {
            entry.verdict = pair.b == none ? CompareVerdict::OnlyInA : CompareVerdict::OnlyInB;
            entry.difference = verdictName(entry.verdict);
            continue;
        }
        entry.stages = detail::matchStages(a.compiles[pair.a], b.compiles[pair.b]);
    }
    for (CompileComparison& entry : out.compiles)
        for (StageComparison& stage : entry.stages)
            stages.push_back({&stage, &a.compiles[entry.a], &b.compiles[entry.b]});

    const log::Stopwatch watch;
    forEachInParallel(stages.size(), task, [&](std::size_t i) {
        if (!task.cancelled()) detail::compareStage(*stages[i].stage, devices, stages[i].a, stages[i].b);
    });
    if (task.cancelled()) return cancellation();
    log::write(log::Topic::Compare, "aligned ", stages.size(), " pairs of stages in ", watch.ms(), " ms");

    bool settled = false;
    for (CompileComparison& entry : out.compiles) {
        if (entry.a != none && entry.b != none) {
            const Compile &ca = a.compiles[entry.a], &cb = b.compiles[entry.b];
            entry.guards = compareGuards(ca, cb, devices);
            entry.symbols = detail::compareLists(symbolTexts(ca), symbolTexts(cb));
            entry.caches = compareCaches(a, ca, b, cb);
            entry.inputs = detail::compareInputs(ca, cb, devices);
            entry.passes = passesOf(a, ca, b, cb, task);
            if (task.cancelled()) return cancellation();
            judge(entry, ca, cb);
            // A run has one configuration as a rule: reading it for every compile would take longer than the
            // rest.
            if (!settled && !ca.metrics.empty() && !cb.metrics.empty()) {
                out.settings = detail::compareSettings(a, ca, b, cb);
                settled = true;
            }
        }
        ++(entry.verdict == CompareVerdict::Same      ? out.same
           : entry.verdict == CompareVerdict::OnlyInA ? out.onlyInA
           : entry.verdict == CompareVerdict::OnlyInB ? out.onlyInB
                                                      : out.differing);
    }
    return out;
}

} // namespace

std::size_t firstDifferingStage(const CompileComparison& pair) {
    for (std::size_t i = 0; i < pair.stages.size(); ++i)
        if (pair.stages[i].verdict != CompareVerdict::Same && !pair.stages[i].cached) return i;
    return none;
}

namespace {

/// Compares, and says for how long and what came of it.
Result<Comparison> compared(const Session& a, const Session& b, const std::vector<detail::Pair>& pairs,
                            const CompareOptions& options, bool byRank, const TaskContext& task) {
    const log::Stopwatch watch;
    log::write(log::Topic::Compare, a.title, " and ", b.title, ": ", a.compiles.size(), " and ",
               b.compiles.size(), " compiles, ", pairs.size(), " rows of them");
    Result<Comparison> out = comparePairs(a, b, pairs, options, task);
    if (out) detail::compareTimings(a, b, byRank, *out);
    if (out)
        log::write(log::Topic::Compare, "compared after ", watch.ms(), " ms: ", out->same, " the same, ",
                   out->differing, " differ, ", out->onlyInA, " only in A, ", out->onlyInB, " only in B");
    else
        log::write(log::Topic::Compare, "given up after ", watch.ms(), " ms: ", out.error().toString());
    return out;
}

} // namespace

Result<Comparison> compareSessions(const Session& a, const Session& b, const CompareOptions& options,
                                   const TaskContext& task) {
    for (const Session* side : {&a, &b})
        if (const Result<void> all = session::needAll(*side); !all) return tl::unexpected(all.error());
    const log::Stopwatch watch;
    const std::vector<detail::Pair> pairs = detail::matchCompiles(a, b, options);
    log::write(log::Topic::Compare, "matched compiles in ", watch.ms(), " ms");
    return compared(a, b, pairs, options, options.rankA >= 0 || options.rankB >= 0, task);
}

Result<Comparison> compareCompiles(const Session& a, std::size_t compileA, const Session& b,
                                   std::size_t compileB, const TaskContext& task) {
    return compared(a, b, {{compileA, compileB, Match::Chosen}}, {}, true, task);
}

std::size_t otherEntry(const Session& session, std::size_t of) {
    const session::Compile& mine = session.compiles[of];
    const auto ofSameCode = [&](const session::Compile& other) {
        return other.id.frame >= 0 && other.id.frame == mine.id.frame && other.origin() == mine.origin();
    };
    for (std::size_t i = of + 1; i < session.compiles.size(); ++i)
        if (ofSameCode(session.compiles[i])) return i;
    for (std::size_t i = of; i-- > 0;)
        if (ofSameCode(session.compiles[i])) return i;
    return none;
}

} // namespace dynascope::compare
