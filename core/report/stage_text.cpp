// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/shown_text.h"
#include "core/report/html_stages.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace dynascope::report {

namespace {

/// As a browser counts them.
std::size_t utf16Letters(std::string_view text) {
    std::size_t out = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0U) != 0x80U) out += byte >= 0xF0U ? 2 : 1;
    }
    return out;
}

std::string inOneLine(std::string_view text) {
    std::string out = withoutControlCodes(text);
    std::ranges::replace(out, '\n', ' ');
    std::ranges::replace(out, '\t', ' ');
    return out;
}

/// Name, what stands between it and the target, target, arguments.
std::array<std::string, 4> partsOfLine(const ir::Node& node) {
    const std::string meta = node.meta ? ": " + node.meta->annotation() : std::string();
    const std::string arguments = '(' + argumentsText(node) + ')';
    switch (node.op) {
    case ir::Op::Placeholder:
        return {node.name, meta + " = ", "placeholder",
                node.comment.empty() && node.target == node.name
                    ? std::string()
                    : ' ' + (node.comment.empty() ? node.target : node.comment)};
    case ir::Op::GetAttr:
        return {node.name, meta + " = ", "get_attr", ' ' + node.target};
    case ir::Op::Output:
        return {node.name, " = ", "return", ' ' + argumentsText(node)};
    case ir::Op::CallMethod:
        return {node.name, meta + " = ", "method " + node.target, arguments};
    case ir::Op::CallModule:
        return {node.name, meta + " = ", "module " + node.target, arguments};
    case ir::Op::CallFunction:
        break;
    }
    return {node.name, meta + " = ", ir::shortTarget(node.target), arguments};
}

void addGraph(const ir::Graph& graph, const std::string& indent, StageText* out, std::string& html) {
    std::map<std::tuple<std::string_view, std::uint32_t>, std::size_t> known;
    for (const ir::NodePtr& node : graph.nodes()) {
        html += indent;
        std::size_t number = 0;
        for (const std::string& part : partsOfLine(*node)) {
            const std::string shown = inOneLine(part);
            if (out && number++ < 3) out->lengths.push_back(utf16Letters(shown));
            html += htmlText(shown);
        }
        html += '\n';
        if (!out) continue;
        const ir::SourceLocation* at = node->location();
        if (!at || at->file.empty()) {
            out->places.push_back(SIZE_MAX);
            continue;
        }
        const auto [line, isNew] = known.try_emplace({at->file, at->line}, out->lines.size());
        if (isNew) out->lines.push_back(*at);
        out->places.push_back(line->second);
    }
    for (const std::string& name : graph.subgraphOrder()) {
        const auto inner = graph.subgraphs().find(name);
        if (inner == graph.subgraphs().end()) continue;
        html += indent + htmlText(inOneLine(name)) + ":\n";
        addGraph(*inner->second, indent + "    ", nullptr, html);
    }
}

} // namespace

StageText textOf(const ir::Graph& graph) {
    StageText out;
    addGraph(graph, {}, &out, out.html);
    return out;
}

} // namespace dynascope::report
