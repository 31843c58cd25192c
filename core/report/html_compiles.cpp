// SPDX-License-Identifier: BSD-3-Clause
//
// The compiles of an HTML report, each with its stages.
#include "core/base/digest.h"
#include "core/report/html_parts.h"
#include "core/report/html_stages.h"
#include "core/session/break_reasons.h"
#include "core/session/cache_counts.h"
#include "core/session/compile_counts.h"
#include "core/session/resume.h"

#include <algorithm>
#include <map>

namespace dynascope::report {

namespace {

using session::Compile;

std::string functionWords(const Compile& compile) {
    const auto resumed = session::parseResumedFunction(compile.function);
    return resumed ? std::string(resumed->function) + " resumed" : compile.function;
}

std::string verdictOf(const Compile& compile) {
    const bool isBad =
        compile.status == session::Status::Failed || compile.status == session::Status::Skipped;
    const bool isBreak = compile.status == session::Status::GraphBreak;
    return "<span class=\"verdict " +
           std::string(isBad     ? "bad"
                       : isBreak ? "warn"
                                 : "good") +
           "\">" + htmlText(session::statusName(compile.status)) + "</span>";
}

/// What there is to say of a compile besides its stages: why it failed, broke or was made.
std::string factsOf(const PageContext& page, const Compile& compile) {
    std::string out;
    const auto add = [&](std::string_view what, const std::string& text) {
        if (!text.empty()) out += "<div><dt>" + std::string(what) + "</dt><dd>" + text + "</dd></div>";
    };
    if (compile.attempts > 1) add("attempts", std::to_string(compile.attempts));
    for (const std::string& reason : compile.restartReasons)
        add("begun again", htmlText(firstLetters(reason, 200)));
    for (const std::string& reason : compile.recompileReasons)
        add("recompile", htmlCode(firstLetters(reason, 300)));
    for (const session::GraphBreak* known : compile.finalBreaks())
        add("graph break", htmlText(firstLetters(session::shortReason(*known), 200)) + ' ' +
                               (known->location() ? page.lines.link(*known->location()) : std::string()));
    if (!compile.failType.empty())
        add("failed", htmlCode(compile.failType) + ' ' + htmlText(firstLetters(compile.failReason, 400)) +
                          ' ' + page.lines.link(compile.failAt));
    add("caches", htmlText(session::countCaches(compile.caches).words()));
    if (compile.backwardSeconds > 0)
        add("time", formatSeconds(compile.compileSeconds) + " and " + formatSeconds(compile.backwardSeconds) +
                        " for backward");
    return out.empty() ? out : "<dl class=\"facts\">" + out + "</dl>\n";
}

/// `written`: the first compile of each list of guards.
std::string guardsOf(const PageContext& page, std::size_t index, StageWriter& stages,
                     std::map<std::string, std::size_t>& written) {
    const Compile& compile = page.session.compiles[index];
    constexpr std::size_t most = 60;
    std::string rows;
    std::size_t checks = 0;
    for (const session::Guard& guard : compile.guards) {
        if (guard.code.empty() || guard.isManager()) continue;
        if (++checks <= most)
            rows += htmlRow({htmlCode(guard.type), htmlCode(firstLetters(guard.code, 200)),
                             page.lines.link(guard.addedAt)});
    }
    if (rows.empty()) return {};
    const std::string words = count(checks, "guard");
    const auto [known, isNew] = written.try_emplace(toHex(sha256(words + rows)), index);
    if (!isNew)
        return "<p class=\"same\">" + words +
               (checks > most ? ", of which the first " + std::to_string(most) + " are" : std::string(",")) +
               " word for word those of " + page.compileLink(known->second) + ".</p>\n";
    if (!stages.take(rows.size())) return "<p class=\"left\">" + words + ", left out for want of room.</p>\n";
    std::string out = "<details class=\"guards\"><summary>" + words + "</summary>" +
                      htmlTable({"Kind", "Check", "Added at"}, rows);
    if (checks > most) out += "<p class=\"dim\">and " + std::to_string(checks - most) + " more</p>";
    return out + "</details>\n";
}

} // namespace

std::string compilesHtml(const PageContext& page, StageWriter& stages) {
    std::string out;
    std::map<std::string, std::size_t> guards;
    for (std::size_t i = 0; i < page.session.compiles.size(); ++i) {
        const Compile& compile = page.session.compiles[i];
        const double seconds = session::compileTime(compile);
        out += "<details class=\"compile\" id=\"c" + std::to_string(i) + "\"><summary><b>" +
               htmlText(compileName(page.session, compile)) + "</b> " + htmlCode(functionWords(compile)) +
               ' ' + (compile.location() ? page.lines.link(*compile.location()) : std::string()) +
               (compile.id.empty() ? std::string() : ' ' + verdictOf(compile)) + "<span class=\"dim\"> " +
               count(compile.stages.size(), "stage") +
               (seconds > 0 ? ", " + formatSeconds(seconds) : std::string()) + "</span></summary>\n" +
               factsOf(page, compile) + stages.html(i) + guardsOf(page, i, stages, guards) + "</details>\n";
    }
    return out;
}

std::string compileEntries(const PageContext& page) {
    std::string out;
    for (const session::Frame& frame : page.session.frames) {
        if (frame.compiles.empty()) continue;
        const ir::SourceLocation at = frame.location;
        std::string place = at.file.empty() ? std::string() : ' ' + std::string(baseName(at.file));
        if (!place.empty() && at.line != 0) place += ':' + std::to_string(at.line);
        out += "<li><a href=\"#c" + std::to_string(frame.compiles.front()) + "\"><span>" +
               (page.session.ranks.size() > 1 ? "rank " + std::to_string(frame.rank) + ' ' : std::string()) +
               htmlText(frame.function) + "<span class=\"dim\">" + htmlText(place) +
               "</span></span><span class=\"fig\">" + std::to_string(frame.compiles.size()) +
               "</span></a></li>\n";
    }
    return out;
}

} // namespace dynascope::report
