// SPDX-License-Identifier: BSD-3-Clause
//
// Compile time, CUDA graphs and memory of an HTML report.
#include "core/ir/place_text.h"
#include "core/replay/coverage.h"
#include "core/report/html_parts.h"
#include "core/session/cache_counts.h"
#include "core/session/compile_counts.h"
#include "core/session/spans.h"

#include <algorithm>
#include <map>

namespace dynascope::report {

namespace {

constexpr std::size_t mostParts = 10, mostPlaces = 5;

std::string partsTable(const PageContext& page, const session::SpanTree& spans) {
    const auto times = session::partTimes(spans);
    std::vector<std::size_t> order;
    double all = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] <= 0) continue;
        order.push_back(i);
        all += times[i];
    }
    if (order.empty()) return {};
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return times[i]; });
    std::string rows;
    for (const std::size_t i : order)
        rows += htmlRow({htmlText(session::compilerPartName(static_cast<session::CompilerPart>(i))),
                         '>' + formatSeconds(times[i] * 1e-6), htmlBar(times[i], times[order.front()])});
    double compiled = 0;
    for (const session::Compile& compile : page.session.compiles)
        compiled += session::compileTime(compile);
    rows += "<tr class=\"sum\"><td>timed events</td><td class=\"num\">" + formatSeconds(all * 1e-6) +
            "</td><td></td></tr>\n";
    if (compiled > 0)
        rows += "<tr class=\"sum\"><td>compile time of all frames</td><td class=\"num\">" +
                formatSeconds(compiled) + "</td><td></td></tr>\n";
    return htmlTable({"Part of the compiler", ">Time", ""}, rows);
}

std::string cachesTable(const PageContext& page) {
    std::map<std::string, std::vector<session::CacheEvent>> events;
    for (const session::Compile& compile : page.session.compiles)
        for (const session::CacheEvent& event : compile.caches)
            events[event.cache].push_back(event);
    std::string rows;
    for (const auto& [cache, of] : events)
        rows += htmlRow({htmlCode(cache), htmlText(session::countCaches(of).words())});
    return rows.empty() ? rows : htmlTable({"Cache", "Lookups"}, rows);
}

/// Parts of a figure: the first few, and the others behind a click.
std::string partsOf(const PageContext& page, const Figure& figure, Kind kind, const char* column) {
    if (figure.parts.empty()) return {};
    const double most = figure.parts.front().value;
    std::string first, rest;
    for (std::size_t i = 0; i < figure.parts.size(); ++i) {
        const Part& part = figure.parts[i];
        const std::string value = kind == Kind::PeakBytes
                                      ? formatBytes(static_cast<std::uint64_t>(part.value))
                                      : formatSeconds(part.value);
        const auto compile = std::ranges::find_if(page.session.compiles, [&](const session::Compile& of) {
            return compileName(page.session, of) == part.compile;
        });
        const std::string id =
            part.compile.empty() || compile == page.session.compiles.end()
                ? htmlText(part.compile)
                : page.compileLink(static_cast<std::size_t>(compile - page.session.compiles.begin()));
        // That it took so long, the figure says already.
        const std::string what = kind == Kind::CompileSeconds && compile != page.session.compiles.end()
                                     ? htmlCode(compile->function)
                                     : htmlText(part.text);
        (i < mostParts ? first : rest) +=
            htmlRow({id, '>' + htmlText(value), htmlBar(part.value, most), what, page.lines.link(part.at)});
    }
    std::string out = htmlTable({"Compile", column, "", "What", "Line"}, first);
    if (!rest.empty())
        out += "<details><summary>" + count(figure.parts.size() - mostParts, "compile") + " more</summary>" +
               htmlTable({"Compile", column, "", "What", "Line"}, rest) + "</details>\n";
    return out;
}

std::string_view meaningClass(answers::Item::Meaning meaning) {
    switch (meaning) {
    case answers::Item::Meaning::Good:
        return "good";
    case answers::Item::Meaning::Bad:
        return "bad";
    case answers::Item::Meaning::Warn:
        return "warn";
    case answers::Item::Meaning::Plain:
        break;
    }
    return "plain";
}

/// Each graph as a cell, with its verdict by shape as well as by colour.
std::string cellsHtml(const PageContext& page, const answers::Answer& answer) {
    if (answer.picture != answers::Picture::Cells || answer.items.empty()) return {};
    std::string out = "<ul class=\"cells\">";
    for (const answers::Item& item : answer.items) {
        const std::string words = htmlText(item.label) + ": " + htmlText(item.text);
        out += "<li class=\"" + std::string(meaningClass(item.meaning)) + "\">";
        out += item.target.compile < page.session.compiles.size()
                   ? "<a href=\"#c" + std::to_string(item.target.compile) + "\" title=\"" + words + "\">" +
                         htmlText(item.label) + "</a>"
                   : "<span title=\"" + words + "\">" + htmlText(item.label) + "</span>";
        out += "</li>";
    }
    out += "</ul>\n";
    if (answer.moreItems > 0)
        out += "<p class=\"dim\">and " + count(answer.moreItems, "graph") + " more below</p>";
    return out;
}

std::string verdictHtml(const replay::GraphCoverage& graph) {
    std::string out(replay::coverageVerdictName(graph.verdict));
    if (graph.onGpu) out += "; on a GPU: " + std::string(replay::coverageVerdictName(*graph.onGpu));
    return htmlText(out);
}

std::string problemsHtml(const PageContext& page, const replay::GraphCoverage& graph) {
    std::string out;
    if (!graph.message.empty()) out += "<p>" + htmlCode(replay::withoutStack(graph.message)) + "</p>";
    if (!graph.messageOnGpu.empty())
        out += "<p>On a GPU: " + htmlCode(replay::withoutStack(graph.messageOnGpu)) + "</p>";
    for (const replay::CoverageProblem& problem : graph.problems) {
        out += "<p>" + std::string(problem.prevents ? "" : "Note: ") + htmlText(problem.what);
        for (std::size_t i = 0; i < problem.places.size() && i < mostPlaces; ++i)
            out += (i == 0 ? ": " : ", ") + htmlCode(problem.places[i].node) + ' ' +
                   page.lines.link(problem.places[i].at);
        if (problem.places.size() > mostPlaces)
            out += " and " + std::to_string(problem.places.size() - mostPlaces) + " more";
        if (!problem.advice.empty()) out += ". Way out: " + htmlText(problem.advice);
        out += "</p>";
    }
    return out;
}

/// What a snapshot says of each device; `most` grows to the highest peak.
std::string devicesHtml(const PageContext& page, const session::MemorySnapshot& snapshot,
                        const std::string& whose, std::uint64_t& most) {
    std::string out;
    for (const session::DeviceMemory& device : session::summarizeMemory(snapshot)) {
        std::string rows;
        for (std::size_t i = 0; i < device.atPeak.size() && i < 2 * mostParts; ++i)
            rows += htmlRow({'>' + formatBytes(device.atPeak[i].bytes),
                             '>' + std::to_string(device.atPeak[i].blocks),
                             device.atPeak[i].at.file.empty() ? "stack not recorded"
                                                              : page.lines.link(device.atPeak[i].at)});
        most = std::max(most, device.peak);
        out += "<h3>Device " + std::to_string(device.device) + htmlText(whose) + ", " +
               formatBytes(device.peak) + " allocated at most</h3>" +
               htmlTable({">Bytes at the peak", ">Blocks", "Line"}, rows);
        if (device.atPeak.size() > 2 * mostParts)
            out +=
                "<p class=\"dim\">and " + count(device.atPeak.size() - 2 * mostParts, "line") + " more</p>";
    }
    return out;
}

} // namespace

Section timesSection(const PageContext& page) {
    Section out{"time", "Compile time", {}, {}, {}, {}};
    const Figure& figure = page.contents.figures[Kind::CompileSeconds];
    out.figure = figure.value ? formatSeconds(*figure.value) : std::string();
    out.note =
        figure.value ? htmlText(out.figure + " in " + count(figure.parts.size(), "compile")) : std::string();
    out.body = page.sentences(answers::Question::Compiled);
    if (!figure.value) out.body += "<p>" + htmlText(figure.unknown) + "</p>";
    out.body += partsTable(page, session::makeSpans(page.session)) +
                partsOf(page, figure, Kind::CompileSeconds, ">Time");
    if (const std::string caches = cachesTable(page); !caches.empty())
        out.body += "<h3>Caches</h3>" + page.sentences(answers::Question::Caches) + caches;
    return out;
}

Section cudaGraphsSection(const PageContext& page) {
    Section out{"cudagraphs", "CUDA graphs", {}, {}, {}, {}};
    out.body = page.sentences(answers::Question::CudaGraphs);
    if (const answers::Answer* answer = page.answer(answers::Question::CudaGraphs)) {
        out.note = htmlText(answer->figure + (answer->of.empty() ? "" : ' ' + answer->of));
        out.body += cellsHtml(page, *answer);
    }
    const replay::CoverageReport report =
        replay::cudagraphCoverage(page.session, replay::GraphBackend::ReduceOverhead, page.task);
    if (report.graphs.empty()) return out;
    const std::size_t good = report.count(replay::CoverageVerdict::CudaGraph) +
                             report.countOnGpu(replay::CoverageVerdict::CudaGraph);
    out.figure = std::to_string(good) + " of " + std::to_string(report.graphs.size());
    std::string rows;
    for (const replay::GraphCoverage& graph : report.graphs) {
        rows += htmlRow({page.compileLink(graph.compile), htmlText(graph.part), verdictHtml(graph),
                         '>' + std::to_string(graph.nodes),
                         '>' + std::to_string(graph.fixedInputs) + " of " + std::to_string(graph.inputs)});
        if (const std::string why = problemsHtml(page, graph); !why.empty())
            rows += "<tr><td></td><td colspan=\"4\">" + why + "</td></tr>\n";
    }
    out.body += "<details class=\"all\"><summary>Every compiled graph, and what keeps it from being a CUDA "
                "graph</summary>" +
                htmlTable({"Compile", "Graph", "Verdict", ">Nodes", ">Inputs at fixed addresses"}, rows) +
                "</details>\n";
    return out;
}

Section memorySection(const PageContext& page) {
    Section out{"memory", "Memory", {}, {}, {}, {}};
    const Figure& figure = page.contents.figures[Kind::PeakBytes];
    const bool isSnapshot = page.session.memory != nullptr;
    out.body = page.sentences(answers::Question::Memory);
    if (figure.value) {
        out.figure = formatBytes(static_cast<std::uint64_t>(*figure.value));
        out.note = std::string(figure.atLeast ? "at least " : "") + out.figure + " at the peak of one graph";
        out.body += partsOf(page, figure, Kind::PeakBytes, ">Peak");
    } else if (!isSnapshot) {
        out.body += "<p>" + htmlText(figure.unknown) + "</p>";
    }
    if (!isSnapshot) return out;
    std::uint64_t most = 0;
    if (page.session.memories.empty()) out.body += devicesHtml(page, *page.session.memory, {}, most);
    for (const session::FoundMemory& found : page.session.memories)
        out.body += devicesHtml(page, *found.snapshot,
                                page.session.memories.size() > 1 ? ", " + found.file : std::string(), most);
    out.figure = formatBytes(most);
    if (figure.value) out.note += "; " + out.figure + " allocated at most on a device";
    return out;
}

} // namespace dynascope::report
