// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/digest.h"
#include "core/base/log.h"
#include "core/report/html.h"
#include "core/report/html_parts.h"
#include "core/report/html_stages.h"
#include "core/session/compile_counts.h"

#include <algorithm>
#include <array>

namespace dynascope::report {

namespace {

constexpr std::size_t compileBytes = 900; ///< of a compile without its stages and guards

/// RFC 4648.
std::string base64(std::span<const std::uint8_t> bytes) {
    static constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t three = 0;
        for (std::size_t j = 0; j < 3; ++j)
            three = three << 8U | (j < left ? bytes[i + j] : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            out += j > left ? '=' : letters[three >> (18U - 6U * j) & 63U];
    }
    return out;
}

/// Only the script of ours runs: by its digest, so that markup that got in could not bring one of its own.
std::string policy() {
    return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
           base64(sha256(reportScript())) + "'; img-src data:; base-uri 'none'; form-action 'none'";
}

std::string captureWords(const session::Session& session) {
    std::string out(session::kindName(session.kind));
    if (!session.torchVersion.empty()) out += ", PyTorch " + session.torchVersion;
    if (session.ranks.size() > 1) out += ", " + count(session.ranks.size(), "rank");
    const session::CompileCounts counts = session::countCompiles(session);
    out +=
        counts.compiles > 0 ? ", " + count(counts.compiles, "compile") : ", " + count(counts.graphs, "graph");
    if (!session.records.empty()) out += ", " + count(session.records.size(), "record");
    return out;
}

/// "16 graph breaks, 10 recompiles, 2 of 6 budgets exceeded".
std::string headline(const Contents& contents) {
    std::string out;
    for (const Kind kind : {Kind::GraphBreaks, Kind::Recompiles}) {
        const Figure& figure = contents.figures[kind];
        if (!figure.value) continue;
        out += (out.empty() ? "" : ", ") + (*figure.value > 0           ? figureText(kind, *figure.value)
                                            : kind == Kind::GraphBreaks ? "no graph break"
                                                                        : "no recompile");
    }
    const auto exceeded = std::ranges::count(contents.checks, false, &BudgetCheck::holds);
    if (!contents.checks.empty())
        out += (out.empty() ? "" : ", ") + (exceeded == 0
                                                ? "all " + count(contents.checks.size(), "budget") + " hold"
                                                : std::to_string(exceeded) + " of " +
                                                      count(contents.checks.size(), "budget") + " exceeded");
    if (out.empty()) out = "nothing here was compiled by torch.compile";
    if (out.front() >= 'a' && out.front() <= 'z') out.front() = static_cast<char>(out.front() - 'a' + 'A');
    return out;
}

const answers::Answer* mostUrgent(const Contents& contents) {
    const auto first = std::ranges::min_element(contents.answers, {}, &answers::Answer::standing);
    return first == contents.answers.end() || first->standing == answers::Standing::NotHere ? nullptr
                                                                                            : &*first;
}

std::string bannerHtml(const PageContext& page) {
    const Contents& contents = page.contents;
    const answers::Answer* first = mostUrgent(contents);
    const bool exceeded =
        std::ranges::any_of(contents.checks, [](const BudgetCheck& check) { return !check.holds; });
    std::string_view standing = exceeded ? "change" : "inorder";
    if (!exceeded && first && first->standing == answers::Standing::Change) standing = "change";
    if (!exceeded && first && first->standing == answers::Standing::Know) standing = "know";
    std::string out = "<section class=\"banner " + std::string(standing) +
                      "\" id=\"answers\" aria-label=\"Answers\">\n<div class=\"say\"><b>" +
                      htmlText(headline(contents)) + "</b>" +
                      (first ? htmlText(first->sentence) : std::string()) + "</div>\n<dl>\n";
    using answers::Question;
    for (const auto& [question, id] :
         {std::pair{Question::Compiled, "time"}, std::pair{Question::CudaGraphs, "cudagraphs"},
          std::pair{Question::Memory, "memory"}, std::pair{Question::RunTime, "profile"}}) {
        const answers::Answer* answer = page.answer(question);
        if (!answer || answer->figure.empty()) continue;
        out += "<div><dt>" + htmlText(answer->figure) + "</dt><dd>" + htmlText(answer->of) + "</dd></div>\n";
    }
    return out + "</dl>\n</section>\n";
}

std::string cardHtml(const Section& section) {
    return "<section class=\"card" + (section.className.empty() ? "" : ' ' + section.className) + "\" id=\"" +
           section.id + "\" aria-labelledby=\"" + section.id + "-h\">\n<header><h2 id=\"" + section.id +
           "-h\">" + section.title + "</h2><span>" + section.note +
           "</span></header>\n<div class=\"body\">\n" + section.body + "</div>\n</section>\n";
}

std::string entryHtml(const std::string& id, const std::string& title, const std::string& figure) {
    return "<li><a href=\"#" + id + "\"><span>" + title + "</span><span class=\"fig\">" + htmlText(figure) +
           "</span></a></li>\n";
}

std::string navHtml(const PageContext& page, const std::vector<Section>& sections,
                    const std::vector<Section>& more) {
    std::string out =
        "<nav aria-label=\"Contents\">\n<div class=\"brand\">Dynascope report</div>\n"
        "<div class=\"search js-only\"><input id=\"search\" type=\"search\" placeholder=\"Search this "
        "report\" "
        "role=\"combobox\" aria-expanded=\"false\" aria-controls=\"hits\" aria-label=\"Search breaks, nodes, "
        "stages and source\" autocomplete=\"off\"/><kbd aria-hidden=\"true\">/</kbd>"
        "<div id=\"hits\" class=\"hits\" role=\"listbox\" aria-label=\"Hits\" hidden=\"\"></div></div>\n"
        "<h2>Contents</h2>\n<ul>\n" +
        entryHtml("answers", "Answers", {});
    for (const Section& section : sections)
        out += entryHtml(section.id, section.title, section.figure);
    out += "</ul>\n<h2>Appendix</h2>\n<ul>\n";
    for (const Section& section : more)
        out += entryHtml(section.id, section.title, section.figure);
    if (const std::string entries = compileEntries(page); !entries.empty())
        out += "</ul>\n<h2>Compiles of each frame</h2>\n<ul>\n" + entries;
    return out + "</ul>\n<p class=\"foot\">One file, nothing is loaded from elsewhere. It prints with every "
                 "section open.</p>\n"
                 "</nav>\n";
}

std::string headHtml(const Contents& contents) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
           policy() +
           "\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
           htmlText(contents.title) + " - Dynascope report</title>\n<style>\n" + std::string(reportStyle()) +
           "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#answers\">Skip to the answers</a>\n"
           "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"defs\"><defs><marker id=\"tip\" "
           "viewBox=\"0 0 8 8\" refX=\"7\" "
           "refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"7\" markerHeight=\"7\" "
           "orient=\"auto\"><path d=\"M0 0L8 4L0 "
           "8z\"/></marker></defs></svg>\n";
}

} // namespace

std::string html(const Contents& contents, const session::SessionPtr& session, const HtmlOptions& options,
                 const TaskContext& task) {
    const log::Stopwatch watch;
    const ProgramLines lines(*session);
    const PageContext page{contents, session, *session, lines, task};
    std::vector<Section> sections{breaksSection(page),     budgetsSection(page), recompilesSection(page),
                                  cudaGraphsSection(page), timesSection(page),   memorySection(page),
                                  profileSection(page),    ranksSection(page)};
    std::erase_if(sections, [](const Section& section) { return section.id.empty(); });
    const std::vector<Section> more = appendix(page);

    std::string out =
        headHtml(contents) + navHtml(page, sections, more) + "<main>\n<div class=\"top\"><div><h1>" +
        htmlText(contents.title) + "</h1><div class=\"dim\">" + htmlText(captureWords(*session)) +
        "</div></div>\n<button type=\"button\" class=\"js-only\" id=\"theme\">Dark or light</button>"
        "<button type=\"button\" class=\"js-only\" id=\"open-all\">Open all</button>"
        "<button type=\"button\" class=\"js-only\" id=\"print\">Print</button></div>\n" +
        bannerHtml(page) + "<div class=\"grid" + (contents.checks.empty() ? "" : " budgets") + "\">\n";
    // Two columns, so that a short card leaves no gap below it.
    std::string left, right, wide;
    for (const Section& section : sections) {
        const bool isLeft = section.id == "recompiles" || section.id == "time";
        const bool isRight = section.id == "cudagraphs" || section.id == "memory";
        if (section.id == "breaks" || section.id == "budgets")
            out += cardHtml(section);
        else
            (isLeft ? left : isRight ? right : wide) += cardHtml(section);
    }
    out += "<div class=\"col\">\n" + left + "</div>\n<div class=\"col\">\n" + right + "</div>\n" + wide;
    std::string rest = "<h2 class=\"part\">Appendix</h2>\n";
    for (const Section& section : more)
        rest += cardHtml(section);
    rest += "</div>\n</main>\n<script>" + std::string(reportScript()) + "</script>\n</body>\n</html>\n";
    const std::size_t used = out.size() + rest.size() + compileBytes * session->compiles.size();
    StageWriter stages(page, options.mostBytes > used ? options.mostBytes - used : 0);
    out += "<h2 class=\"part\">Compiles and their stages</h2>\n";
    std::string compiles = compilesHtml(page, stages);
    stages.drawInsides(compiles);
    if (stages.notDrawn() + stages.notWritten() > 0)
        out += "<p class=\"part left\">For want of room " + count(stages.notDrawn(), "stage") +
               " without a picture and " + count(stages.notWritten(), "stage") +
               " without the whole text: each says so in its place.</p>\n";
    out += compiles + rest;
    log::write(log::Topic::Report, contents.title, ": ", out.size(), " bytes after ", watch.ms(), " ms, ",
               stages.notDrawn(), " stages without a picture, ", stages.notWritten(),
               " without their whole text", task.cancelled() ? ", cut short" : "");
    return out;
}

} // namespace dynascope::report
