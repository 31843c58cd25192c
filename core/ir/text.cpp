// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/text.h"

#include "core/ir/lines.h"

namespace dynascope::ir {

namespace {

bool isFiller(const Line& line) {
    const std::string_view text = line.trimmed();
    return text.empty() || text.starts_with('#');
}

bool opensReadable(std::string_view text) {
    return isClassLine(text) || isDefLine(text) || isWrapLine(text) || text.starts_with("import ") ||
           text.starts_with("from ");
}

} // namespace

Result<GraphPtr> readGraph(std::string_view text) {
    const std::vector<Line> all = numberedLines(text);
    std::size_t first = 0;
    while (first < all.size() && isFiller(all[first]))
        ++first;
    if (first == all.size()) return failure("The text holds no graph");
    std::size_t last = all.size() - 1;
    while (isFiller(all[last]))
        --last;

    TextTail tail;
    const std::string_view lastText = all[last].text;
    std::string_view rest =
        text.substr(static_cast<std::size_t>(lastText.data() + lastText.size() - text.data()));
    tail.trailingNewline = rest.find('\n') != std::string_view::npos;
    if (tail.trailingNewline) tail.trailer = rest.substr(rest.find('\n') + 1);

    const std::span<const Line> lines(all.data(), last + 1);
    const std::string_view opening = lines[first].trimmed();
    std::size_t next = first;
    Result<GraphPtr> graph = tl::unexpected(errorAt(
        lines[first], lines[first].indent(), "Expected 'graph():' or 'class GraphModule(torch.nn.Module):'"));
    if (isFxHeader(opening))
        graph = readFxLines(lines, next, tail);
    else if (opensReadable(opening))
        graph = readReadableLines(lines, next, tail);
    if (!graph) return graph;
    while (next < lines.size() && isFiller(lines[next]))
        ++next;
    if (next < lines.size())
        return tl::unexpected(
            errorAt(lines[next], lines[next].indent(), "Expected the end of the text after the graph"));
    return graph;
}

} // namespace dynascope::ir
