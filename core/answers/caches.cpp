// SPDX-License-Identifier: BSD-3-Clause
//
// What caches said, and which part of a key was new.
#include "core/answers/parts.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/compare/compare.h"
#include "core/session/cache_counts.h"

#include <algorithm>
#include <map>

namespace dynascope::answers::detail {

using session::CacheEvent;
using session::Compile;
using session::Session;

namespace {

/// That the graph is another tells more than that inputs are, which differ in many parts where they stand elsewhere.
const std::string& mostTelling(const std::vector<std::string>& parts) {
    const auto notAnInput = std::ranges::find_if_not(
        parts, [](const std::string& part) { return part.starts_with("example_inputs["); });
    const auto graph =
        std::ranges::find_if(parts, [](const std::string& part) { return part.starts_with("gm: "); });
    return graph != parts.end() ? *graph : notAnInput != parts.end() ? *notAnInput : parts.front();
}

/// The keys of a recompile's miss beside those of the compile before it of the same frame. The record of that miss, or
/// `nowhere`.
std::size_t tellKeys(const Session& session, Answer& out) {
    for (const session::Frame& frame : session.frames)
        for (std::size_t i = 1; i < frame.compiles.size(); ++i) {
            const std::size_t a = frame.compiles[i - 1], b = frame.compiles[i];
            const Compile &before = session.compiles[a], &now = session.compiles[b];
            if (!now.isRecompile || before.function != now.function) continue;
            for (const compare::CacheComparison& pair :
                 compare::compareCaches(session, before, session, now)) {
                if (pair.b != CacheEvent::Outcome::Miss || pair.differences.empty()) continue;
                const std::string& telling = mostTelling(pair.differences);
                out.note =
                    "Key of " + compileName(session, before) + " beside that of " +
                    compileName(session, now) + " (" + pair.cache + "): " + telling +
                    (pair.differences.size() > 1 ? ", and " + count(pair.differences.size() - 1, "more part")
                                                 : std::string()) +
                    '.';
                const auto missed = std::ranges::find_if(now.caches, [&](const CacheEvent& event) {
                    return event.cache == pair.cache && event.outcome == CacheEvent::Outcome::Miss &&
                           event.key == pair.keyB && event.record != nowhere;
                });
                return missed == now.caches.end() ? nowhere : missed->record;
            }
        }
    return nowhere;
}

} // namespace

Answer cachesAnswer(const Session& session) {
    Answer out;
    out.question = Question::Caches;
    std::vector<CacheEvent> events;
    std::map<std::string, std::size_t> bypasses;
    std::size_t first = 0, again = 0;
    for (const Compile& compile : session.compiles) {
        for (const CacheEvent& event : compile.caches) {
            events.push_back(event);
            if (event.outcome == CacheEvent::Outcome::Bypass)
                ++bypasses[std::string(firstLine(event.reason))];
            if (event.outcome == CacheEvent::Outcome::Miss) ++(compile.isRecompile ? again : first);
        }
    }
    if (events.empty())
        return !hasCompiles(session) ? noRun(session, out.question)
               : session.kind != session::Kind::TorchTrace
                   ? notHere(out.question, "This capture does not say what caches were asked; a trace does.",
                             std::string(traceCommand))
                   : notHere(out.question,
                             "No lookup is recorded: backends without Inductor ask no cache, and "
                             "a run may have them off.");
    const session::CacheCounts counts = session::countCaches(events);
    const std::string lookups = count(events.size(), "lookup");
    if (counts.misses == 0 && counts.bypasses == 0) {
        out.standing = Standing::InOrder;
        out.figure = std::to_string(counts.hits);
        out.of = "of " + lookups + " hit";
        out.sentence = "Every lookup was answered from a cache.";
        return out;
    }
    out.standing = Standing::Know;
    // A bypass can be done away with, a miss is mostly a new program.
    const auto wanted = counts.bypasses > 0 ? CacheEvent::Outcome::Bypass : CacheEvent::Outcome::Miss;
    for (const CacheEvent& event : events)
        if (event.outcome == wanted && event.record != SIZE_MAX) {
            out.proof.record = event.record;
            break;
        }
    out.figure = std::to_string(counts.misses);
    out.of = "of " + lookups + " missed" +
             (counts.bypasses > 0 ? ", " + std::to_string(counts.bypasses) + " bypassed" : std::string());
    const auto tally = [&](std::size_t n, std::string label) {
        if (n == 0) return;
        Item item;
        item.label = std::move(label);
        item.count = n;
        item.value = static_cast<double>(n);
        out.items.push_back(std::move(item));
    };
    tally(first, first == 1 ? "miss of a first compile" : "misses of first compiles");
    tally(again, again == 1 ? "miss of a recompile" : "misses of recompiles");
    for (const auto& [reason, n] : bypasses)
        tally(n, reason.empty() ? "bypassed; the trace does not say why" : "bypassed: " + reason);
    tally(counts.hits, counts.hits == 1 ? "hit" : "hits");
    if (counts.misses > 0)
        out.sentence = counts.hits == 0
                           ? "No key was known: as in a first run, or with an empty cache."
                           : "These keys were new; " + std::to_string(counts.hits) +
                                 (counts.hits == 1 ? " other was known." : " others were known.");
    if (!bypasses.empty()) {
        const auto most = std::max_element(bypasses.begin(), bypasses.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        std::string_view reason = trimmed(most->first);
        while (reason.ends_with('.') || reason.ends_with(' ')) // some of PyTorch's end as sentences do
            reason.remove_suffix(1);
        if (!reason.empty())
            out.sentence += (out.sentence.empty() ? "" : " ") + ("Bypassed: " + std::string(reason)) + '.';
        out.standing = Standing::Change;
    }
    const std::size_t told = tellKeys(session, out);
    if (told != nowhere && counts.bypasses == 0) out.proof.record = told;
    out.picture = Picture::Tally;
    out.axis = "Lookups";
    keepFirst(out, mostRows);
    return out;
}

} // namespace dynascope::answers::detail
