// SPDX-License-Identifier: BSD-3-Clause
//
// What was compiled, how often, and why again.
#include "core/answers/parts.h"

#include "core/base/words.h"
#include "core/dynamo/recompiles.h"
#include "core/session/breaks.h"
#include "core/session/compile_counts.h"
#include "core/session/failure.h"
#include "core/session/spans.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace dynascope::answers::detail {

namespace {

using dynamo::FailedGuard;
using session::Compile;
using session::Session;
using session::Status;

std::string nameOf(const Session& session, std::size_t compile) {
    return compileName(session, session.compiles[compile]);
}

/// What a failed guard says of the call, to follow "because": guards of one kind are counted together.
std::string_view causeOf(FailedGuard::Kind kind) {
    switch (kind) {
    case FailedGuard::Kind::Size:
        return "a size changed";
    case FailedGuard::Kind::Stride:
        return "a stride changed";
    case FailedGuard::Kind::Rank:
        return "a tensor had another number of dimensions";
    case FailedGuard::Kind::Dtype:
        return "a dtype changed";
    case FailedGuard::Kind::Device:
        return "a device changed";
    case FailedGuard::Kind::RequiresGrad:
        return "requires_grad changed";
    case FailedGuard::Kind::Value:
        return "a Python value that was specialized changed";
    case FailedGuard::Kind::Type:
        return "an object had another type";
    case FailedGuard::Kind::Object:
        return "another object was passed";
    case FailedGuard::Kind::Freed:
        return "an object that the entry was made for was freed";
    case FailedGuard::Kind::Length:
        return "a list or dict had another length or other keys";
    case FailedGuard::Kind::Alias:
        return "inputs were one object in one call and not in the other";
    case FailedGuard::Kind::Mode:
        return "a global mode, such as grad mode, changed";
    case FailedGuard::Kind::Backend:
        return "the entries are of another backend";
    case FailedGuard::Kind::Other:
        return "another guard failed";
    }
    return {};
}

/// "went into code generation", to follow "the largest part of the time".
std::string_view wentInto(session::CompilerPart part) {
    switch (part) {
    case session::CompilerPart::Dynamo:
        return "went into Dynamo";
    case session::CompilerPart::Aot:
        return "went into AOTAutograd";
    case session::CompilerPart::Passes:
        return "went into Inductor's passes and lowering";
    case session::CompilerPart::CodeGen:
        return "went into code generation";
    case session::CompilerPart::Kernels:
        return "went into compiling and loading kernels";
    case session::CompilerPart::Cache:
        return "went into looking things up in caches";
    case session::CompilerPart::Other:
        break;
    }
    return "went into what has none of these names";
}

/// "All because a size changed" or "9 because a size changed, 1 because a dtype changed".
std::string causesText(const std::vector<std::pair<std::string, std::size_t>>& causes, std::size_t all) {
    if (causes.size() == 1 && all > 1) return "All because " + causes.front().first;
    std::string out;
    std::size_t rest = all;
    // A third is named where it is the last, which is no more to read than "other reasons".
    std::size_t known = 0;
    for (const auto& [cause, n] : causes)
        known += n;
    const std::size_t most = causes.size() == 3 && known == all ? 3 : 2;
    for (std::size_t i = 0; i < causes.size() && i < most; ++i) {
        if (all == 1)
            out = "Because " + causes[i].first;
        else
            out += (i == 0 ? "" : ", ") + std::to_string(causes[i].second) + " because " + causes[i].first;
        rest -= causes[i].second;
    }
    if (rest > 0) out += ", " + std::to_string(rest) + " for other reasons";
    return out;
}

bool isOfPackage(const Session& session, std::size_t compile) {
    const ir::SourceLocation* at = session.compiles[compile].location();
    return at != nullptr && session::isInstalled(at->file);
}

} // namespace

Answer recompilesAnswer(const Session& session) {
    if (!hasCompiles(session)) return noRun(session, Question::Recompiles);
    Answer out;
    out.question = Question::Recompiles;
    double seconds = 0, all = 0;
    std::size_t recompiles = 0;
    for (const Compile& compile : session.compiles) {
        all += session::compileTime(compile);
        if (!compile.isRecompile) continue;
        ++recompiles;
        seconds += session::compileTime(compile);
    }
    out.figure = std::to_string(recompiles);
    if (recompiles == 0 && session.kind != session::Kind::TorchTrace)
        return notHere(out.question, "None is in this capture, which need not have all of them; a trace has.",
                       std::string(traceCommand));
    if (recompiles == 0) {
        out.standing = Standing::InOrder;
        out.of = "recompiles";
        // After torch._dynamo.reset() a frame is compiled anew, which is no recompile.
        out.sentence = session::hasSeveralRuns(session) ? "No frame was compiled a second time within a run."
                                                        : "No frame was compiled a second time.";
        return out;
    }
    out.standing = Standing::Change;
    out.of = recompiles == 1 ? "recompile" : "recompiles";
    if (seconds > 0)
        out.of += ", " + formatSeconds(seconds) + " of " + formatSeconds(all) + " of compile time";

    std::map<std::string, std::size_t> counts;
    std::map<std::string, std::pair<const FailedGuard*, std::size_t>> examples; // with the compile
    const std::vector<dynamo::FrameCache> caches = dynamo::explainRecompiles(session);
    const dynamo::FrameCache* fullest = nullptr;
    std::vector<std::size_t> refused;
    for (const dynamo::FrameCache& cache : caches) {
        if (!fullest || cache.entries > fullest->entries) fullest = &cache;
        Item item;
        item.label = nameOf(session, cache.first);
        item.value = session::compileTime(session.compiles[cache.first]);
        for (const dynamo::Recompile& again : cache.recompiles) {
            if (again.refused) {
                refused.push_back(again.compile);
                continue;
            }
            ++item.count;
            item.second += session::compileTime(session.compiles[again.compile]);
            if (item.target.isEmpty()) item.target.compile = again.compile;
            // The entry that was used last is asked first: what it says made this compile.
            const bool known = !again.failed.empty();
            const std::string cause =
                known ? std::string(causeOf(again.failed.front().kind)) : "the trace does not say why";
            ++counts[cause];
            if (!known) continue;
            // A variable of the program says more than one of the code that calls it.
            const auto [example, isFirst] = examples.try_emplace(cause, &again.failed.front(), again.compile);
            if (!isFirst && isOfPackage(session, example->second.second) &&
                !isOfPackage(session, again.compile))
                example->second = {&again.failed.front(), again.compile};
        }
        item.text = formatSeconds(item.value) + ", then " + formatSeconds(item.second) + " for " +
                    count(item.count, "recompile");
        if (item.count > 0) out.items.push_back(std::move(item));
    }
    std::size_t explained = 0;
    std::vector<std::pair<std::string, std::size_t>> causes;
    for (const auto& [cause, n] : counts) {
        // A trace that does not say why is no cause: it is counted with the rest.
        explained += n;
        if (cause != "the trace does not say why") causes.emplace_back(cause, n);
    }
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    if (causes.empty()) {
        out.sentence = "The trace does not say why.";
    } else {
        out.sentence = causesText(causes, std::max(explained, recompiles)) + '.';
        const FailedGuard& guard = *examples.at(causes.front().first).first;
        if (!guard.expected.empty() && !guard.actual.empty() && !guard.subject.empty())
            out.sentence += " For instance " + guard.subject +
                            (guard.dimension >= 0 ? " at dimension " + std::to_string(guard.dimension) : "") +
                            ": expected " + guard.expected + ", the call had " + guard.actual + '.';
        if (!guard.advice.empty()) out.note = sentenceOf(guard.advice);
    }
    if (!refused.empty()) {
        out.sentence =
            nameOf(session, refused.front()) + " was refused" +
            (refused.size() > 1 ? ", as " + std::to_string(refused.size() - 1) +
                                      (refused.size() == 2 ? " more was" : " more were")
                                : "") +
            ": its cache was full (recompile limit), and calls that no entry serves run eagerly. " +
            out.sentence;
    } else if (fullest && fullest->entries >= dynamo::FrameCache::limit) {
        out.sentence = nameOf(session, fullest->first) + " has " + std::to_string(fullest->entries) +
                       " entries; at recompile_limit (" + std::to_string(dynamo::FrameCache::limit) +
                       " unless set) a call that none of them serves runs eagerly. " + out.sentence;
    }
    const bool timed = std::any_of(out.items.begin(), out.items.end(),
                                   [](const Item& item) { return item.value > 0 || item.second > 0; });
    if (timed) {
        out.picture = Picture::Pairs;
        out.axis = "Compile time, first and again";
    } else {
        out.items.clear();
    }
    keepFirst(out, mostColumns);
    return out;
}

Answer compiledAnswer(const Session& session) {
    Answer out;
    out.question = Question::Compiled;
    if (!hasCompiles(session)) {
        std::size_t graphs = 0;
        for (const Compile& compile : session.compiles)
            graphs += compile.stages.size();
        if (graphs == 0) return noRun(session, out.question);
        out.standing = Standing::Know;
        out.figure = std::to_string(graphs);
        out.of = graphs == 1 ? "graph" : "graphs";
        out.sentence = session.kind == session::Kind::ExportedProgram
                           ? "An exported program: nothing was compiled."
                           : "Graphs without the run that made them: nothing says what was compiled.";
        return out;
    }
    double seconds = 0;
    std::size_t recompiles = 0, slowest = 0;
    std::array<std::size_t, 6> by{};
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const Compile& compile = session.compiles[i];
        seconds += session::compileTime(compile);
        recompiles += compile.isRecompile ? 1 : 0;
        ++by[static_cast<std::size_t>(compile.status)];
        if (session::compileTime(compile) > session::compileTime(session.compiles[slowest])) slowest = i;
    }
    const std::size_t all = session.compiles.size();
    out.standing = Standing::Know;
    out.figure = seconds > 0 ? formatSeconds(seconds) : std::to_string(all);
    out.of = seconds > 0 ? "in " + count(all, "compile") : std::string(all == 1 ? "compile" : "compiles");
    if (session.ranks.size() > 1)
        out.of += session.ranks.size() == 2
                      ? ", both ranks together"
                      : ", all " + std::to_string(session.ranks.size()) + " ranks together";

    const auto times = [&](Status status) { return by[static_cast<std::size_t>(status)]; };
    std::vector<std::string> parts;
    parts.push_back(count(session::countCompiles(session).frames, "frame") +
                    (recompiles == 0 ? std::string() : " and " + count(recompiles, "recompile")));
    if (times(Status::GraphBreak) > 0)
        parts.push_back(std::to_string(times(Status::GraphBreak)) + " of " + count(all, "compile") +
                        (times(Status::GraphBreak) == 1 ? " ends" : " end") + " in a graph break");
    if (times(Status::Skipped) > 0) parts.push_back(std::to_string(times(Status::Skipped)) + " skipped");
    if (times(Status::Incomplete) > 0)
        parts.push_back(std::to_string(times(Status::Incomplete)) + " without an end in the log");
    for (std::size_t i = 0; i < parts.size(); ++i)
        out.sentence += (i == 0 ? "" : "; ") + parts[i];
    out.sentence += '.';

    const auto partUs = session::partTimes(makeSpans(session));
    const double covered = std::accumulate(partUs.begin(), partUs.end(), 0.0) * 1e-6;
    if (covered > 0) {
        for (std::size_t i = 0; i < partUs.size(); ++i) {
            if (partUs[i] <= 0) continue;
            Item item;
            item.label = compilerPartName(static_cast<session::CompilerPart>(i));
            item.value = partUs[i] * 1e-6;
            item.text = formatSeconds(item.value);
            item.count = i; // the part, for its colour
            out.items.push_back(std::move(item));
        }
        std::stable_sort(out.items.begin(), out.items.end(),
                         [](const Item& a, const Item& b) { return a.value > b.value; });
        out.picture = Picture::Shares;
        out.axis =
            "By timing events; of those that ran at once, as workers do, the one that began last counts";
        out.sentence += " The largest part of the time, " + percent(out.items.front().value, covered) + ", " +
                        std::string(wentInto(static_cast<session::CompilerPart>(out.items.front().count))) +
                        '.';
    }
    if (all > 1 && session::compileTime(session.compiles[slowest]) > 0) {
        const Compile& compile = session.compiles[slowest];
        const std::string at = compile.location() ? placeText(*compile.location()) : std::string();
        out.note = "Slowest: " + nameOf(session, slowest) + (at.empty() ? "" : " at " + at) + ", " +
                   formatSeconds(session::compileTime(compile)) + '.';
        out.proof.compile = slowest;
    }
    if (times(Status::Failed) > 0) {
        out.standing = Standing::Change;
        const auto failed =
            std::find_if(session.compiles.begin(), session.compiles.end(),
                         [](const Compile& compile) { return compile.status == Status::Failed; });
        std::string reason = session::failureInALine(*failed);
        if (reason.ends_with('.')) reason.pop_back();
        const std::size_t n = times(Status::Failed);
        out.sentence =
            (n == 1 ? compileName(session, *failed) + " failed with "
                    : std::to_string(n) + " of " + count(all, "compile") + " failed, the first of them " +
                          compileName(session, *failed) + " with ") +
            failed->failType + (reason.empty() ? "" : ": " + reason) + ". " + out.sentence;
        out.proof.compile = static_cast<std::size_t>(failed - session.compiles.begin());
    }
    return out;
}

} // namespace dynascope::answers::detail
