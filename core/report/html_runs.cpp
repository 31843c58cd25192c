// SPDX-License-Identifier: BSD-3-Clause
//
// Profile, ranks and the appendix of an HTML report.
#include "core/ir/place_text.h"
#include "core/profile/figures.h"
#include "core/profile/grouped.h"
#include "core/profile/shown_profile.h"
#include "core/ranks/flight.h"
#include "core/ranks/measured.h"
#include "core/report/html_parts.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynascope::report {

namespace {

using profile::By;

constexpr std::size_t mostTimes = 20, mostRanks = 32, mostWarnings = 200;

std::string microsText(double nanoseconds) {
    char text[48];
    std::snprintf(text, sizeof text, "%.1f us", nanoseconds / 1000);
    return text;
}

std::string_view spentText(profile::Spent spent) {
    switch (spent) {
    case profile::Spent::Computed:
        return "kernels and nodes of compiled graphs";
    case profile::Spent::Collective:
        return "collectives of compiled graphs, waits for other ranks included";
    case profile::Spent::Guards:
        return "guards";
    case profile::Spent::Wrappers:
        return "wrappers and bytecode around graphs";
    case profile::Spent::Broken:
        return "eager code after graph breaks";
    case profile::Spent::Outside:
        return "outside compiled code";
    case profile::Spent::Groups:
        return "collectives on threads of process groups";
    case profile::Spent::Other:
        break;
    }
    return "operators that are no node, or unknown";
}

std::string sharesTable(profile::Facts& facts) {
    const profile::Joined& joined = *facts.joined();
    const int device = mainGpu(*joined.profile);
    const profile::Shares shares = sharesOf(facts, profile::allSteps, device);
    const double all = shares.all();
    std::string rows;
    for (std::size_t i = 0; i < profile::spentCount; ++i) {
        const auto spent = static_cast<profile::Spent>(i);
        if (shares.on(spent) <= 0) continue;
        rows += htmlRow({htmlText(spentText(spent)), '>' + microsText(shares.on(spent)),
                         '>' + htmlText(profile::shareText(shares.on(spent) / all)),
                         htmlBar(shares.on(spent), all)});
    }
    const std::string what =
        device == profile::everyDevice
            ? std::string("Where the time goes")
            : "Where the time of " + joined.profile->devices[static_cast<std::size_t>(device)] + " goes";
    return htmlTable({what, ">Time", ">Share", ""}, rows);
}

std::string timesTable(const PageContext& page, profile::Facts& facts, By by, std::string_view title) {
    std::vector<profile::GroupedRow> all = grouped(facts, by);
    // The CPU's time is mostly that of launching what a GPU runs, and added to it says nothing; what a break costs is the CPU's.
    const int device = by == By::Break ? profile::everyDevice : mainGpu(*facts.joined()->profile);
    if (device != profile::everyDevice)
        std::erase_if(all, [&](const profile::GroupedRow& row) { return row.device != device; });
    if (all.empty()) return {};
    double whole = 0, shown = 0;
    for (const profile::GroupedRow& row : all)
        whole += row.self;
    std::string rows;
    for (std::size_t i = 0; i < all.size() && i < mostTimes; ++i) {
        const profile::GroupedRow& row = all[i];
        shown += row.self;
        rows += htmlRow({htmlCode(firstLetters(row.key, 90)), htmlText(row.compile),
                         page.lines.link({row.file, row.line, {}, {}}), '>' + std::to_string(row.count),
                         '>' + (row.median ? microsText(*row.median) : std::string()),
                         '>' + microsText(row.self), htmlBar(row.self, whole)});
    }
    if (all.size() > mostTimes)
        rows += "<tr class=\"sum\"><td>" + count(all.size() - mostTimes, "row") +
                " more</td><td></td><td></td><td></td><td></td><td class=\"num\">" +
                microsText(whole - shown) + "</td><td></td></tr>\n";
    return "<details><summary>" + std::string(title) + "</summary>" +
           htmlTable({"What", "Compile", "Line", ">Events", ">Median in a step", ">Time by itself", ""},
                     rows) +
           "</details>\n";
}

std::string reasonRows(const PageContext& page, const ranks::Report& report) {
    std::string rows;
    for (const ranks::Reason& reason : report.reasons) {
        const bool isBad = reason.verdict >= ranks::RanksVerdict::MayBeWrong;
        rows += htmlRow({"<span class=\"verdict " + std::string(isBad ? "bad" : "warn") + "\">" +
                             htmlText(verdictName(reason.verdict)) + "</span>",
                         htmlText(ranks::rankWords(reason.ranks)),
                         reason.at == ranks::none ? htmlText(reason.compile) : page.compileLink(reason.at),
                         htmlText(reason.text), htmlCode(reason.node),
                         page.lines.link({reason.file, reason.line, {}, {}})});
    }
    return rows;
}

/// Ranks with the same letter compiled the same graphs.
std::string rankRows(const PageContext& page, const ranks::Report& report) {
    std::string rows;
    for (const ranks::CompileRow& row : report.rows) {
        std::string letters;
        for (std::size_t i = 0; i < row.letters.size() && i < mostRanks; ++i) {
            const int letter = row.letters[i];
            letters += letter < 0 ? '-' : letter < 26 ? static_cast<char>('a' + letter) : '+';
            letters += ' ';
        }
        if (row.letters.size() > mostRanks)
            letters += "and " + std::to_string(row.letters.size() - mostRanks) + " more";
        std::size_t calls = 0;
        for (const ranks::Lane& lane : row.lanes)
            calls = std::max(calls, lane.calls.size());
        const auto first =
            std::ranges::find_if(row.compiles, [](std::size_t at) { return at != ranks::none; });
        rows += htmlRow({first == row.compiles.end() ? htmlText(row.id) : page.compileLink(*first),
                         htmlCode(row.function) + ' ' + page.lines.link(row.at), htmlCode(letters),
                         '>' + std::to_string(calls), htmlText(verdictName(row.verdict))});
    }
    return rows;
}

Section unansweredSection(const PageContext& page) {
    Section out{"unanswered", "Not answered", {}, {}, {}, {}};
    std::size_t left = 0;
    std::string rows;
    for (const answers::Answer& answer : page.contents.answers) {
        if (answer.standing != answers::Standing::NotHere) continue;
        ++left;
        rows += htmlRow({htmlText(questionText(answer.question)), htmlText(answer.sentence),
                         htmlCode(answers::commandFor(answer, page.session.path))});
    }
    out.figure = std::to_string(left);
    if (left == 0) return {};
    out.body = htmlTable({"Question", "Why not", "What would tell"}, rows);
    return out;
}

Section readingSection(const PageContext& page) {
    const std::vector<session::Warning>& warnings = page.session.warnings;
    Section out{"reading", "Reading", count(warnings.size(), "warning"), {}, {}, {}};
    out.body = page.sentences(answers::Question::Reading);
    std::string rows;
    for (std::size_t i = 0; i < warnings.size() && i < mostWarnings; ++i)
        rows += htmlRow({htmlText(warnings[i].error.toString())});
    if (!rows.empty()) out.body += htmlTable({"Warning"}, rows);
    if (warnings.size() > mostWarnings)
        out.body += "<p class=\"dim\">and " + std::to_string(warnings.size() - mostWarnings) + " more</p>";
    return out;
}

Section methodSection(const PageContext& page) {
    Section out{"method", "How it was counted", {}, {}, {}, {}};
    out.body =
        "<ul>"
        "<li>Made by Dynascope " DYNASCOPE_VERSION " from " +
        htmlText(session::kindName(page.session.kind)) +
        (page.session.torchVersion.empty() ? std::string()
                                           : " of PyTorch " + htmlText(page.session.torchVersion)) +
        ". Nothing of the capture was run.</li>"
        "<li>Graph breaks that come up again when Dynamo restarts are counted once. The time after a break "
        "is "
        "the compile "
        "time of the frames that exist because of it: an upper bound, since a later break would have cut the "
        "graph as "
        "well.</li>"
        "<li>Compile time is that of all frames, with their backward graphs. Of spans that run at once in "
        "one process the "
        "one that began last counts, so that no moment counts twice.</li>"
        "<li>CUDA graphs are judged by the checks that PyTorch makes when it compiles, a graph on the CPU as "
        "if it were on "
        "one GPU.</li>"
        "<li>Memory of a graph is what it holds when it holds most, by the lifetimes of what it makes, "
        "without its inputs. "
        "Symbolic sizes count with the values of the call that was compiled.</li>"
        "<li>What changed between two stages is aligned by shared nodes, structure, names and position. "
        "<b>≈</b> only names or the spelling of the target differ, <b>~</b> an argument, the target or "
        "metadata differs, "
        "<b>+</b> only in this stage, <b>−</b> only in the stage before, <b>↕</b> in another order.</li>"
        "</ul>\n";
    return out;
}

} // namespace

Section profileSection(const PageContext& page) {
    const int number = profile::shownProfile(page.session);
    if (number < 0) return {};
    Section out{"profile", "Run time", {}, {}, {}, "wide"};
    const auto known =
        session::attachedAs<profile::Profile>(page.session.profiles[static_cast<std::size_t>(number)]);
    const auto joined = profile::join(page.shared, known, page.task);
    if (!joined) {
        out.body = "<p>" + htmlText(joined.error().toString()) + "</p>";
        return out;
    }
    profile::Facts facts(*joined);
    const answers::Answer answer = answers::runTimeAnswer(facts);
    out.figure = answer.figure;
    out.note = htmlText(answer.figure + ' ' + answer.of);
    out.body = "<p>" + htmlText(answer.sentence) + "</p>\n";
    if (!answer.note.empty()) out.body += "<p class=\"dim\">" + htmlText(answer.note) + "</p>\n";
    out.body += sharesTable(facts);
    if (page.session.compiles.empty())
        return out.body += timesTable(page, facts, By::Operator, "Time of each operator"), out;
    out.body += timesTable(page, facts, By::Node, "Time of each node, kernel and wrapper") +
                timesTable(page, facts, By::Line, "Time of each source line") +
                timesTable(page, facts, By::Module, "Time of each module") +
                timesTable(page, facts, By::Compile, "Time of each compile") +
                timesTable(page, facts, By::Break, "Time of each graph break");
    return out;
}

Section ranksSection(const PageContext& page) {
    if (page.session.ranks.size() < 2) return {};
    Section out{"ranks", "Ranks", std::to_string(page.session.ranks.size()), {}, {}, "wide"};
    auto report = ranks::examineMeasured(page.session, page.task);
    if (!report) return out;
    out.note = htmlText(verdictName(report->verdict));
    out.body = "<p>" + htmlText(ranks::summaryOf(*report)) + "</p>\n";
    for (const std::string& note : report->notes)
        out.body += "<p class=\"dim\">" + htmlText(note) + "</p>\n";
    if (const std::string rows = reasonRows(page, *report); !rows.empty())
        out.body += htmlTable({"Verdict", "Ranks", "Compile", "What does not fit", "Node", "Line"}, rows);
    if (const std::string rows = rankRows(page, *report); !rows.empty())
        out.body +=
            "<details><summary>Compiles by rank; ranks with the same letter compiled the same graphs, - has "
            "none</summary>" +
            htmlTable({"Compile", "Frame", "Ranks", ">Collectives", "Verdict"}, rows) + "</details>\n";
    return out;
}

std::vector<Section> appendix(const PageContext& page) {
    std::vector<Section> out;
    if (page.lines.files() > 0)
        out.push_back({"source", "Source", count(page.lines.files(), "file"), "lines that the capture quotes",
                       page.lines.all(), "wide"});
    if (Section left = unansweredSection(page); !left.id.empty()) out.push_back(std::move(left));
    out.push_back(readingSection(page));
    out.push_back(methodSection(page));
    return out;
}

} // namespace dynascope::report
