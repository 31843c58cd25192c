// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/graph_column.h"

#include "core/base/text.h"
#include "core/ir/text.h"

#include <algorithm>
#include <utility>

namespace dynascope::views {

namespace {

using ir::NodeIndex;

/// "# File: /a/b/cap.py:43 in f, code: y = y + 3" as "# cap.py:43 in f: y = y + 3".
void shortenComment(std::string& line) {
    const std::size_t at = line.find_first_not_of(' ');
    constexpr std::string_view file = "# File: ", code = ", code: ";
    if (at == std::string::npos || std::string_view(line).substr(at, file.size()) != file) return;
    const std::size_t begin = at + file.size();
    const std::size_t codeAt = line.find(code, begin);
    const std::size_t pathEnd = std::min(line.find(" in ", begin), line.size());
    const std::size_t slash = line.rfind('/', pathEnd);
    if (codeAt != std::string::npos) line.replace(codeAt, code.size(), ": ");
    const std::size_t from = slash != std::string::npos && slash >= begin ? slash + 1 : begin;
    line.replace(at, from - at, "# ");
}

CodeDocumentPtr documentOf(const std::vector<std::string>& lines) {
    QString text;
    for (const std::string& line : lines) {
        text += QString::fromStdString(line);
        text += u'\n';
    }
    return makeCodeDocument(text, Language::Python);
}

} // namespace

GraphColumnPtr printColumn(const ir::Graph& graph, const AlignOptions& options) {
    ir::ReadableOptions print;
    print.strides = options.strides;
    print.clears = options.clears;
    print.shortTargets = options.shortNames;
    ir::ReadableText text = ir::printReadable(graph, print);
    GraphColumn column;
    const std::vector<std::string_view> lines = splitLines(text.text);
    column.lines.assign(lines.begin(), lines.end());
    column.nodeOfLine = std::move(text.nodeOfLine);
    column.nodeOfLine.resize(column.lines.size(), ir::npos);
    if (options.shortNames)
        for (std::string& line : column.lines)
            shortenComment(line);
    column.firstLine.assign(graph.size(), -1);
    column.lastLine.assign(graph.size(), -1);
    for (std::size_t i = 0; i < column.lines.size(); ++i) {
        const NodeIndex node = column.nodeOfLine[i];
        if (node == ir::npos || node >= graph.size()) continue;
        if (column.firstLine[node] < 0)
            column.firstLine[node] = column.lastLine[node] = int(i);
        else if (column.lastLine[node] == int(i) - 1)
            column.lastLine[node] = int(i);
    }
    column.document = documentOf(column.lines);
    return std::make_shared<const GraphColumn>(std::move(column));
}

GraphColumnPtr ColumnCache::of(const ir::GraphPtr& graph, const AlignOptions& options) {
    AlignOptions printed = options;
    printed.quietRespelled = false; // says how columns are compared
    if (GraphColumnPtr column = find(graph, printed)) return column;
    GraphColumnPtr column = printColumn(*graph, printed);
    const std::lock_guard lock(m_mutex);
    m_kept.push_front({graph, printed, column});
    if (m_kept.size() > mostKept) m_kept.pop_back();
    return column;
}

GraphColumnPtr ColumnCache::find(const ir::GraphPtr& graph, const AlignOptions& options) {
    const std::lock_guard lock(m_mutex);
    const auto at = std::ranges::find_if(
        m_kept, [&](const Kept& kept) { return kept.graph == graph && kept.options == options; });
    if (at == m_kept.end()) return nullptr;
    std::rotate(m_kept.begin(), at, at + 1);
    return m_kept.front().column;
}

void ColumnCache::clear() {
    const std::lock_guard lock(m_mutex);
    m_kept.clear();
}

} // namespace dynascope::views
