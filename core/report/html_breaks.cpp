// SPDX-License-Identifier: BSD-3-Clause
//
// Graph breaks, budgets and recompiles of an HTML report.
#include "core/dynamo/recompiles.h"
#include "core/ir/place_text.h"
#include "core/report/html_parts.h"

#include <algorithm>
#include <map>

namespace dynascope::report {

namespace {

constexpr std::size_t longestSource = 60, mostOccurrences = 40;

/// A row that opens the one below it.
std::string openerRow(const std::string& id, const std::string& number, const std::string& opener,
                      const std::string& cells) {
    return "<tr class=\"opener\" id=\"" + id + "\"><td class=\"num\">" + number +
           "</td><td><button type=\"button\" class=\"open\" aria-expanded=\"true\" aria-controls=\"" + id +
           "-d\">" + opener + "</button></td>" + cells + "</tr>\n";
}

std::string openedRow(const std::string& id, std::size_t columns, const std::string& body) {
    return "<tr class=\"detail\" id=\"" + id + "-d\"><td></td><td colspan=\"" + std::to_string(columns - 1) +
           "\">" + body + "</td></tr>\n";
}

std::string stackHtml(const PageContext& page, const ir::StackTrace& stack) {
    if (stack.empty()) return {};
    std::string out = "<h4>User stack, innermost last</h4><ol class=\"stack\">";
    for (const ir::SourceLocation& at : stack)
        out += "<li>" + page.lines.link(at) +
               (at.function.empty() ? std::string() : " in " + htmlCode(at.function)) + ' ' +
               htmlCode(page.lines.codeOf(at)) + "</li>";
    return out + "</ol>\n";
}

std::string waysHtml(const std::vector<session::WayOut>& ways) {
    if (ways.empty()) return {};
    std::string out = "<h4>Ways out</h4><ul class=\"ways\">";
    for (const session::WayOut& way : ways)
        out += "<li><span class=\"chip\">" + htmlText(way.kind) + "</span> <b>" + htmlText(way.title) +
               "</b> " + htmlText(way.text) +
               (way.code.empty() ? std::string() : "<pre>" + htmlText(way.code) + "</pre>") + "</li>";
    return out + "</ul>\n";
}

std::string breakDetail(const PageContext& page, const session::BreakGroup& group) {
    const session::BreakOccurrence& first = group.occurrences.front();
    const session::GraphBreak& known = page.session.compiles[first.compile].breaks[first.index];
    std::string out = page.lines.around(group.location);
    if (const ir::SourceLocation* caller = session::callerInProgram(known))
        out += "<p>Called at " + page.lines.link(*caller) + ".</p>" + page.lines.around(*caller);
    if (!known.explanation.empty()) out += "<p>" + htmlText(known.explanation) + "</p>\n";
    if (const std::string after = session::afterwards(group); !after.empty())
        out += "<p>" + htmlText(after) + "</p>\n";
    out += waysHtml(group.waysOut) + stackHtml(page, known.userStack);
    out += "<p>In ";
    for (std::size_t i = 0; i < group.occurrences.size() && i < mostOccurrences; ++i)
        out += (i == 0 ? "" : ", ") + page.compileLink(group.occurrences[i].compile);
    if (group.occurrences.size() > mostOccurrences)
        out += " and " + std::to_string(group.occurrences.size() - mostOccurrences) + " more";
    return out + ".</p>\n";
}

std::string wayCell(const session::BreakGroup& group) {
    if (group.waysOut.empty()) return {};
    const session::WayOut& way = group.waysOut.front();
    return way.kind == "setting" ? htmlCode(way.title) : htmlText(way.title);
}

/// What one guard made compile again.
struct GuardRow {
    const dynamo::FailedGuard* guard = nullptr; ///< null: the trace does not say why
    std::vector<const dynamo::Recompile*> recompiles;
};

/// The caches must outlive the result.
std::vector<GuardRow> guardRows(const std::vector<dynamo::FrameCache>& caches) {
    std::vector<GuardRow> rows;
    std::map<std::string, std::size_t> byKey;
    for (const dynamo::FrameCache& cache : caches)
        for (const dynamo::Recompile& one : cache.recompiles) {
            const dynamo::FailedGuard* guard = one.failed.empty() ? nullptr : &one.failed.front();
            const std::string key =
                guard ? guard->check + '\n' + guard->expected + '\n' + guard->actual : std::string();
            const auto [at, isNew] = byKey.try_emplace(key, rows.size());
            if (isNew) rows.push_back({guard, {}});
            rows[at->second].recompiles.push_back(&one);
        }
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [](const GuardRow& row) { return row.recompiles.size(); });
    return rows;
}

/// The same compile's function and line.
std::string frameHtml(const PageContext& page, const session::Compile& compile) {
    return htmlCode(compile.function) + ' ' +
           (compile.location() ? page.lines.link(*compile.location()) : std::string());
}

/// Each entry that was asked said no in its own words.
std::string lookupHtml(const PageContext& page, const dynamo::Recompile& one) {
    std::string out =
        "<li>" + page.compileLink(one.compile) + ' ' + frameHtml(page, page.session.compiles[one.compile]) +
        (one.refused ? " was refused, the cache being full, so that its call runs eagerly" : " was compiled");
    for (std::size_t i = 0; i < one.failed.size(); ++i) {
        const dynamo::FailedGuard& guard = one.failed[i];
        out += (i == 0 ? ": " : "; ") + htmlText(guard.entry) + (guard.entry.empty() ? "" : " failed ") +
               htmlCode(guard.check);
        if (guard.addedAt.line != 0) out += ", added at " + page.lines.link(guard.addedAt);
    }
    return out + "</li>";
}

std::string guardDetail(const PageContext& page, const GuardRow& row) {
    std::string out;
    if (!row.guard) out += "<p>The trace does not say why.</p>";
    if (row.guard && !row.guard->advice.empty()) out += "<p>Way out: " + htmlText(row.guard->advice) + "</p>";
    if (row.guard && row.guard->addedAt.line != 0) out += page.lines.around(row.guard->addedAt);
    out += "<ul>";
    for (const dynamo::Recompile* one : row.recompiles)
        out += lookupHtml(page, *one);
    return out + "</ul>";
}

} // namespace

Section breaksSection(const PageContext& page) {
    Section out{"breaks", "Graph breaks", {}, {}, {}, "wide"};
    const session::BreakSummary summary = session::summarizeBreaks(page.session);
    const Figure& figure = page.contents.figures[Kind::GraphBreaks];
    out.figure = figure.value ? std::to_string(summary.breaks) : std::string();
    out.body = page.sentences(answers::Question::Breaks);
    if (!figure.value) {
        out.body += "<p>" + htmlText(figure.unknown) + "</p>";
        return out;
    }
    if (summary.groups.empty()) {
        out.note = "none";
        return out;
    }
    out.note = std::to_string(summary.breaks) + " for " + count(summary.groups.size(), "reason");
    if (summary.secondsAfterBreaks > 0)
        out.note += ", " + formatSeconds(summary.secondsAfterBreaks) + " of " +
                    formatSeconds(summary.compileSeconds) + " is compiled after a break, an upper bound";
    double most = 0;
    for (const session::BreakGroup& group : summary.groups)
        most = std::max(most, group.secondsAfter);
    std::string rows;
    for (std::size_t i = 0; i < summary.groups.size(); ++i) {
        const session::BreakGroup& group = summary.groups[i];
        const std::string id = 'b' + std::to_string(i + 1);
        rows += openerRow(id, std::to_string(i + 1), htmlText(firstLetters(group.reason, 120)),
                          "<td>" + page.lines.link(group.location) + "</td><td class=\"code\">" +
                              htmlCode(firstLetters(page.lines.codeOf(group.location), longestSource)) +
                              "</td><td class=\"num\">" + std::to_string(group.occurrences.size()) +
                              "</td><td class=\"num\">" + formatSeconds(group.secondsAfter) + "</td><td>" +
                              htmlBar(group.secondsAfter, most) + "</td><td>" + wayCell(group) + "</td>") +
                openedRow(id, 8, breakDetail(page, group));
    }
    out.body += htmlTable({"", "Reason", "Line", "Source", ">Breaks", ">Time after it", "", "Way out"}, rows,
                          "breaks");
    return out;
}

Section budgetsSection(const PageContext& page) {
    Section out{"budgets", "Budgets", {}, {}, {}, {}};
    const std::vector<BudgetCheck>& checks = page.contents.checks;
    if (checks.empty()) return {};
    const auto exceeded = std::ranges::count(checks, false, &BudgetCheck::holds);
    out.figure = exceeded == 0
                     ? std::to_string(checks.size()) + " hold"
                     : std::to_string(exceeded) + " of " + std::to_string(checks.size()) + " exceeded";
    out.note =
        std::to_string(std::ssize(checks) - exceeded) + " hold, " + std::to_string(exceeded) + " exceeded";
    std::string rows;
    for (const BudgetCheck& check : checks) {
        std::string text =
            "<code class=\"name\">" + htmlText(check.name) + "</code><br/>" + htmlText(check.text);
        if (!check.parts.empty())
            text += "; first: " + htmlText(firstLetters(check.parts.front().text, 160)) + ' ' +
                    page.lines.link(check.parts.front().at);
        rows += htmlRow({check.holds ? "<span class=\"verdict good\">✓ holds</span>"
                                     : "<span class=\"verdict bad\">✕ exceeded</span>",
                         text});
    }
    out.body = htmlTable({"Result", "Budget"}, rows);
    return out;
}

Section recompilesSection(const PageContext& page) {
    Section out{"recompiles", "Recompiles", {}, {}, {}, {}};
    const Figure& figure = page.contents.figures[Kind::Recompiles];
    out.body = page.sentences(answers::Question::Recompiles);
    if (!figure.value) {
        out.body += "<p>" + htmlText(figure.unknown) + "</p>";
        return out;
    }
    out.figure = std::to_string(static_cast<std::size_t>(*figure.value));
    const std::vector<dynamo::FrameCache> caches = dynamo::explainRecompiles(page.session);
    out.note = caches.empty() ? "none" : out.figure + " in " + count(caches.size(), "frame");
    std::string rows;
    std::size_t number = 0;
    for (const GuardRow& row : guardRows(caches)) {
        const std::string id = 'r' + std::to_string(++number);
        std::string ids;
        for (std::size_t i = 0; i < row.recompiles.size() && i < mostOccurrences; ++i)
            ids += (i == 0 ? "" : " ") + page.compileLink(row.recompiles[i]->compile);
        if (row.recompiles.size() > mostOccurrences)
            ids += " and " + std::to_string(row.recompiles.size() - mostOccurrences) + " more";
        const dynamo::FailedGuard none, &guard = row.guard ? *row.guard : none;
        rows += openerRow(id, std::to_string(row.recompiles.size()),
                          row.guard ? htmlCode(firstLetters(guard.check, 110)) : "not in the trace",
                          "<td>" + htmlCode(guard.expected) + "</td><td>" + htmlCode(guard.actual) +
                              "</td><td>" + page.lines.link(guard.addedAt) + "</td><td>" + ids + "</td>") +
                openedRow(id, 6, guardDetail(page, row));
    }
    if (!rows.empty())
        out.body +=
            htmlTable({">Times", "Guard that failed", "Expected", "The call had", "Added at", "Compiles"},
                      rows, "recompiles");
    return out;
}

} // namespace dynascope::report
