// SPDX-License-Identifier: BSD-3-Clause
//
// Finds graphs in text as people paste it: logs, issue comments, chats.
#include "core/base/text.h"
#include "core/ir/lines.h"
#include "core/ir/text.h"
#include "core/ir/value_parser.h"

#include <algorithm>
#include <utility>

namespace dynascope::ir {

namespace {

void cutFront(Line& line, std::size_t count) {
    line.text.remove_prefix(count);
    line.cut += static_cast<std::uint32_t>(count);
}

bool allDigits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

/// "[0/0]", "[__graph_code]": a tag of the logger, not a list. Returns its length.
std::size_t tagLength(std::string_view text) {
    if (!text.starts_with('[')) return 0;
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return 0;
    const std::string_view inside = text.substr(1, close - 1);
    const bool isTag = std::all_of(inside.begin(), inside.end(), [](char c) {
        return isNameChar(c) || c == '/' || c == '.' || c == '!' || c == '-';
    });
    return isTag ? close + 1 : 0;
}

/// "[rank0]:", then "V1121 01:35:46.526000 13588 torch/_dynamo/output_graph.py:2835] [0/0] [__graph_code] ".
std::size_t logPrefixLength(std::string_view text) {
    std::size_t at = 0;
    if (text.starts_with("[rank")) {
        const std::size_t end = text.find("]:");
        if (end == std::string_view::npos) return 0;
        at = end + 2;
        if (text.substr(at).starts_with(' ')) ++at;
    }
    const std::size_t level = at;
    constexpr std::size_t dateLength = 6; // "V1121 "
    if (text.size() < at + dateLength || std::string_view("VDIWECF").find(text[at]) == std::string_view::npos)
        return 0;
    if (!allDigits(text.substr(at + 1, 4)) || text[at + 5] != ' ') return 0;
    const std::size_t place = text.find("] ", level);
    if (place == std::string_view::npos) return text.ends_with(']') ? text.size() : 0;
    at = place + 2;
    while (const std::size_t tag = tagLength(text.substr(at))) {
        at += tag;
        if (!text.substr(at).starts_with(' ')) break;
        ++at;
    }
    return at;
}

Line cleaned(Line line) {
    const std::size_t indent = line.indent();
    if (line.text.substr(indent).starts_with('>')) {
        std::size_t end = indent;
        while (end < line.text.size() && line.text[end] == '>')
            end += line.text.substr(end).starts_with("> >") ? 2 : 1;
        if (line.text.substr(end).starts_with(' ')) ++end;
        cutFront(line, end);
    }
    if (const std::size_t prefix = logPrefixLength(line.text); prefix != 0) cutFront(line, prefix);
    return line;
}

/// Where a graph opens in a line that may have a label or a path in front: "fw_graph:graph():",
/// ".../_lazy_graph_module.py class GraphModule(torch.nn.Module):". npos if none does.
std::size_t openingAt(const Line& line) {
    const std::string_view text = line.text;
    const std::string_view trimmed = line.trimmed();
    const auto startsWord = [&](std::size_t at) {
        return at == 0 || text[at - 1] == ':' || text[at - 1] == ' ' || text[at - 1] == '\t';
    };
    if (trimmed.ends_with("(torch.nn.Module):") || isClassLine(trimmed)) {
        const std::size_t at = text.rfind("class ");
        if (at != std::string_view::npos && startsWord(at) &&
            isClassLine(dynascope::trimmed(text.substr(at))))
            return at;
    }
    if (trimmed.ends_with(':')) {
        const std::size_t at = text.find("graph(");
        if (at != std::string_view::npos && startsWord(at)) return at;
    }
    return isDefLine(trimmed) && trimmed.find("(self") != std::string_view::npos ? line.indent()
                                                                                 : std::string_view::npos;
}

/// A node without a header, as in an excerpt.
bool startsExcerpt(std::string_view trimmed) {
    return trimmed.starts_with('%') && trimmed.find("[target=") != std::string_view::npos;
}

/// "===== Forward graph 3 =====" gives "Forward graph 3".
std::string_view headerTitle(std::string_view trimmed) {
    constexpr std::string_view mark = "===";
    if (!trimmed.starts_with(mark) || !trimmed.ends_with(mark)) return {};
    const std::size_t first = trimmed.find_first_not_of("= ");
    if (first == std::string_view::npos) return {};
    return trimmed.substr(first, trimmed.find_last_not_of("= ") - first + 1);
}

/// The words before the opening, if they are a label and not a path.
std::string_view labelTitle(std::string_view before) {
    before = dynascope::trimmed(before);
    if (!before.ends_with(':')) return {};
    return dynascope::trimmed(before.substr(0, before.size() - 1));
}

class Finder {
public:
    explicit Finder(std::string_view text)
        : m_lines(numberedLines(text)) {
        for (Line& line : m_lines)
            line = cleaned(line);
    }

    PastedGraphs find();

private:
    void readAt(std::size_t& next, std::size_t opening);

    std::vector<Line> m_lines;
    PastedGraphs m_found;
    std::string m_header;
};

void Finder::readAt(std::size_t& next, std::size_t opening) {
    const std::size_t first = next;
    std::string title{labelTitle(m_lines[first].text.substr(0, opening))};
    // A label is no indentation; without one the indentation of the opening line counts.
    const bool labelled = m_lines[first].indent() < opening;
    if (labelled) cutFront(m_lines[first], opening);

    const bool isFx = isFxHeader(m_lines[first].trimmed());
    Result<GraphPtr> graph = isFx ? readFxLines(m_lines, next, {}) : readReadableLines(m_lines, next, {});
    if (!graph) {
        m_found.problems.push_back(std::move(graph.error()));
        next = std::max(next, first + 1);
        return;
    }
    if (title.empty()) title = std::exchange(m_header, {});
    if (title.empty()) title = (*graph)->name();
    if (title.empty()) title = "graph " + std::to_string(m_found.graphs.size() + 1);
    std::size_t last = next - 1;
    while (last > first && m_lines[last].blank())
        --last;
    m_found.graphs.push_back(
        {std::move(*graph), std::move(title), m_lines[first].number, m_lines[last].number});
    m_header.clear();
}

PastedGraphs Finder::find() {
    constexpr std::string_view defaultHeader = "graph():";
    for (std::size_t next = 0; next < m_lines.size();) {
        const std::string_view text = m_lines[next].trimmed();
        if (const std::size_t opening = openingAt(m_lines[next]); opening != std::string_view::npos) {
            readAt(next, opening);
            continue;
        }
        if (startsExcerpt(text)) {
            std::size_t end = next + 1;
            while (end < m_lines.size() && !m_lines[end].blank() &&
                   !m_lines[end - 1].trimmed().starts_with("return"))
                ++end;
            std::vector<Line> excerpt{{defaultHeader, m_lines[next].number, 0}};
            excerpt.insert(excerpt.end(), m_lines.begin() + static_cast<std::ptrdiff_t>(next),
                           m_lines.begin() + static_cast<std::ptrdiff_t>(end));
            std::size_t used = 0;
            Result<GraphPtr> graph = readFxLines(excerpt, used, {});
            if (graph)
                m_found.graphs.push_back({std::move(*graph),
                                          "graph " + std::to_string(m_found.graphs.size() + 1),
                                          m_lines[next].number, excerpt[used - 1].number});
            else
                m_found.problems.push_back(std::move(graph.error()));
            next = graph ? next + used - 1 : end;
            continue;
        }
        if (const std::string_view title = headerTitle(text); !title.empty()) m_header = title;
        if (text == "ExportedProgram:") m_header = text.substr(0, text.size() - 1);
        ++next;
    }
    return std::move(m_found);
}

} // namespace

PastedGraphs readPasted(std::string_view text) {
    return Finder(text).find();
}

bool looksLikeGraph(std::string_view text) {
    constexpr std::size_t longestPreamble = std::size_t{64} * 1024;
    for (const Line& raw : numberedLines(text.substr(0, longestPreamble))) {
        const Line line = cleaned(raw);
        const std::string_view trimmed = line.trimmed();
        if (openingAt(line) != std::string_view::npos || startsExcerpt(trimmed)) return true;
        const bool preamble = trimmed.empty() || isWrapLine(trimmed) || trimmed.starts_with('#') ||
                              trimmed.starts_with("```") || trimmed.starts_with("import ") ||
                              trimmed.starts_with("from ") || trimmed == "TRACED GRAPH" ||
                              trimmed == "ExportedProgram:" || !headerTitle(trimmed).empty();
        if (!preamble) return false;
    }
    return false;
}

} // namespace dynascope::ir
