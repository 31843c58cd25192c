// SPDX-License-Identifier: BSD-3-Clause
//
// Graph breaks, and what of the capture could not be read.
#include "core/answers/parts.h"

#include "core/base/words.h"

#include <algorithm>
#include <map>

namespace dynascope::answers::detail {

using session::BreakGroup;
using session::Session;

namespace {

/// "of 3 compiles 1 failed and 1 was skipped"; empty where every compile ended in code or a graph break.
std::string withoutCode(const Session& session) {
    const auto times = [&session](session::Status status) {
        return static_cast<std::size_t>(
            std::ranges::count(session.compiles, status, &session::Compile::status));
    };
    std::vector<std::string> parts;
    const auto add = [&parts](std::size_t n, const char* one, const char* many) {
        if (n > 0) parts.push_back(std::to_string(n) + ' ' + (n == 1 ? one : many));
    };
    add(times(session::Status::Failed), "failed", "failed");
    add(times(session::Status::Skipped), "was skipped", "were skipped");
    add(times(session::Status::Incomplete), "has no end in the log", "have no end in the log");
    if (parts.empty()) return {};
    // Of one compile no number is needed.
    if (session.compiles.size() == 1) return "the one compile" + parts.front().substr(1);
    std::string out = "of " + count(session.compiles.size(), "compile") + ' ';
    for (std::size_t i = 0; i < parts.size(); ++i)
        out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return out;
}

} // namespace

Answer breaksAnswer(const Session& session) {
    Answer out;
    out.question = Question::Breaks;
    if (!hasCompiles(session)) return noRun(session, out.question);
    const session::BreakSummary summary = session::summarizeBreaks(session);
    if (summary.groups.empty() && session.kind != session::Kind::TorchTrace)
        return notHere(out.question, "None is in this capture, which need not have all of them; a trace has.",
                       std::string(traceCommand));
    out.figure = std::to_string(summary.breaks);
    out.of = summary.breaks == 1 ? "graph break" : "graph breaks";
    if (summary.groups.empty()) {
        const std::string other = withoutCode(session);
        out.standing = Standing::InOrder;
        out.sentence =
            other.empty() ? "Every frame was captured whole." : "No break is recorded; " + other + '.';
        return out;
    }
    if (summary.groups.size() > 1) out.of += " for " + count(summary.groups.size(), "reason");
    if (summary.secondsAfterBreaks > 0)
        out.of += "; up to " + formatSeconds(summary.secondsAfterBreaks) + " of " +
                  formatSeconds(summary.compileSeconds) + " is spent after a break";

    out.standing = Standing::Change;
    for (std::size_t g = 0; g < summary.groups.size(); ++g) {
        const BreakGroup& group = summary.groups[g];
        Item item;
        item.label = group.reason;
        item.place = placeText(group.location);
        item.count = group.occurrences.size();
        item.value = group.secondsAfter;
        item.text = formatSeconds(group.secondsAfter);
        if (!group.waysOut.empty()) item.chip = group.waysOut.front().kind;
        item.target.group = g;
        if (!group.occurrences.empty()) item.target.compile = group.occurrences.front().compile;
        out.items.push_back(std::move(item));
    }
    out.proof.group = session::firstToChange(summary);
    const BreakGroup& first = summary.groups[out.proof.group];
    const std::string at = placeText(first.location);
    const std::size_t n = first.occurrences.size();
    if (first.waysOut.empty()) {
        out.sentence = "Somebody asked for " + std::string(n == 1 ? "it" : "them") +
                       " in live mode: the program itself has no such break.";
        out.standing = Standing::Know;
    } else if (first.waysOut.front().kind == "leave") {
        out.sentence = first.waysOut.front().text;
        out.standing = Standing::Know;
    } else {
        const session::BreakOccurrence& once = first.occurrences.front();
        const ir::SourceLocation* caller =
            session::callerInProgram(session.compiles[once.compile].breaks[once.index]);
        std::string sentence = at.empty() ? "Change what makes this first: " + first.reason + ". "
                               : caller   ? "Look first at what " + placeText(*caller) + " calls: "
                                          : "Change " + at + " first: ";
        const std::string there = caller ? " in " + at : " there";
        // One line may break the graph for several reasons.
        std::size_t here = 0, reasons = 0;
        double after = 0;
        for (const BreakGroup& group : summary.groups) {
            if (&group != &first &&
                (at.empty() || placeText(group.location) != at || group.location.file != first.location.file))
                continue;
            here += group.occurrences.size();
            after += group.secondsAfter;
            ++reasons;
        }
        if (here == summary.breaks)
            sentence += (here == 1   ? "the break is"
                         : here == 2 ? "both breaks are"
                                     : "all " + std::to_string(here) + " breaks are") +
                        there;
        else
            sentence += std::to_string(here) + " of the " + std::to_string(summary.breaks) + " breaks " +
                        (here == 1 ? "is" : "are") + there;
        if (after > 0)
            sentence += ", and up to " + formatSeconds(after) + " of compile time comes after " +
                        (here == 1 ? "it" : "them");
        out.sentence = sentence + '.';
        if (reasons > 1) out.sentence += " Of its reasons the costliest: " + first.reason + '.';
        const session::WayOut& way = first.waysOut.front();
        // A setting leaves the line as it is.
        out.change = {way.title, way.kind == "setting" ? std::string() : first.location.code, way.code,
                      way.text};
    }
    out.picture = Picture::Ranking;
    out.axis = "Time after it is an upper bound: a later break may cut the graph as well";
    keepFirst(out, mostRows);
    return out;
}

Answer readingAnswer(const Session& session) {
    Answer out;
    out.question = Question::Reading;
    std::size_t unknown = 0;
    std::map<std::string, std::size_t> types;
    for (std::size_t i = 0; i < session.records.size(); ++i)
        if (!session.records.known(i)) {
            ++unknown;
            ++types[std::string(session.records.type(i))];
        }
    out.figure = std::to_string(session.warnings.size());
    out.of = session.warnings.size() == 1 ? "warning" : "warnings";
    if (!session.records.empty()) out.of += " in " + count(session.records.size(), "record");
    for (const session::Warning& warning : session.warnings) {
        Item item;
        item.label = warning.error.toString();
        item.count = 1;
        item.meaning = Item::Meaning::Warn;
        item.target.record = warning.record;
        out.items.push_back(std::move(item));
        if (out.items.size() == mostRows) break;
    }
    out.moreItems = session.warnings.size() - out.items.size();
    if (!out.items.empty()) {
        out.standing = Standing::Know;
        out.sentence = "What could not be used as meant is kept raw; everything else is open.";
        out.picture = Picture::Tally;
    } else {
        out.standing = Standing::InOrder;
        out.sentence = "Everything was read.";
    }
    if (unknown > 0) {
        const auto most = std::max_element(types.begin(), types.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        out.note = count(unknown, "record") + " of " + count(types.size(), "type") +
                   " that this program does not know, such as " + most->first +
                   (unknown == 1 ? ", is kept raw." : ", are kept raw.");
        if (session.warnings.empty()) {
            out.standing = Standing::Know;
            out.sentence = "Every record was read, though not every one is known.";
        }
    }
    return out;
}

} // namespace dynascope::answers::detail
