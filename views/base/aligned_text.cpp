// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/aligned_text.h"

#include "core/base/text.h"
#include "core/diff/sequence.h"
#include "core/diff/text_diff.h"

#include <algorithm>
#include <string_view>

namespace dynascope::views {

namespace {

using diff::Change;
using ir::NodeIndex;

constexpr std::size_t longestComparedLine = 4000;

std::vector<CodeRange> columnRanges(std::string_view line, const std::vector<diff::WordRange>& words) {
    std::vector<CodeRange> out;
    out.reserve(words.size());
    for (const diff::WordRange& word : words) {
        const auto column = [&](std::size_t byte) {
            return int(QString::fromUtf8(line.data(), qsizetype(std::min(byte, line.size()))).size());
        };
        out.push_back({column(word.begin), column(word.end)});
    }
    return out;
}

void markWords(CodeRow& row, const std::string& a, const std::string& b) {
    if (a.size() > longestComparedLine || b.size() > longestComparedLine) return;
    const diff::TextDiff words = diff::diffTexts(a, b);
    if (words.rows.size() != 1) return;
    row.words[0] = columnRanges(a, words.rows[0].wordsA);
    row.words[1] = columnRanges(b, words.rows[0].wordsB);
}

class Aligner {
public:
    Aligner(const ir::Graph& a, const ir::Graph& b, const std::array<GraphColumnPtr, 2>& columns,
            const diff::GraphDiff& diff, const AlignOptions& options)
        : m_a(a)
        , m_b(b)
        , m_diff(diff)
        , m_options(options)
        , m_columns(columns) {}

    AlignedText run() {
        for (const diff::Row& row : inOrder())
            place(row);
        gap(int(m_columns[0]->lines.size()), int(m_columns[1]->lines.size()));
        AlignedText out;
        for (std::size_t side = 0; side < 2; ++side) {
            out.document[side] = m_columns[side]->document;
            out.nodeOfLine[side] = m_columns[side]->nodeOfLine;
        }
        for (const CodeRow& row : m_rows)
            ++out.counts[std::size_t(row.change)];
        out.rows = std::move(m_rows);
        return out;
    }

private:
    /// The diff's rows with the nodes of both sides in order: a pair that stands elsewhere in B has a row on each side.
    [[nodiscard]] std::vector<diff::Row> inOrder() const {
        std::vector<std::size_t> pairs;
        std::vector<std::uint32_t> positions;
        for (std::size_t i = 0; i < m_diff.rows.size(); ++i) {
            const diff::Row& row = m_diff.rows[i];
            if (row.a == ir::npos || row.b == ir::npos) continue;
            pairs.push_back(i);
            positions.push_back(row.b);
        }
        std::vector<bool> apart(m_diff.rows.size());
        for (const std::size_t i : pairs)
            apart[i] = true;
        for (const std::uint32_t k : diff::detail::longestRising(positions))
            apart[pairs[k]] = false;
        std::vector<diff::Row> alone; // what is to be put in its place in B
        for (const std::size_t i : pairs)
            if (apart[i]) alone.push_back({ir::npos, m_diff.rows[i].b, m_diff.rows[i].change});
        std::ranges::sort(alone, {}, &diff::Row::b);
        std::vector<diff::Row> out;
        out.reserve(m_diff.rows.size() + alone.size());
        auto next = alone.begin();
        for (std::size_t i = 0; i < m_diff.rows.size(); ++i) {
            const diff::Row& row = m_diff.rows[i];
            if (!apart[i] && row.b != ir::npos)
                while (next != alone.end() && next->b < row.b)
                    out.push_back(*next++);
            out.push_back(apart[i] ? diff::Row{row.a, ir::npos, row.change} : row);
        }
        out.insert(out.end(), next, alone.end());
        return out;
    }

    [[nodiscard]] Change shown(Change change) const {
        return change == Change::Respelled && !m_options.quietRespelled ? Change::Changed : change;
    }

    // A placeholder without a line of its own stands in the signature, whose line takes the strongest change.
    void noteSignature(const diff::Row& row) {
        const bool input = (row.a != ir::npos && m_a.node(row.a).op == ir::Op::Placeholder) ||
                           (row.b != ir::npos && m_b.node(row.b).op == ir::Op::Placeholder);
        if (!input) return;
        if (shown(row.change) == Change::Respelled)
            m_signature = std::max(m_signature, Change::Respelled);
        else if (row.change != Change::Same)
            m_signature = Change::Changed;
    }

    void place(const diff::Row& row) {
        const auto range = [&](int side, NodeIndex node) -> std::pair<int, int> {
            const GraphColumn& column = *m_columns[std::size_t(side)];
            if (node == ir::npos || node >= column.firstLine.size()) return {-1, -1};
            const int first = column.firstLine[node];
            return first < m_next[std::size_t(side)] ? std::pair(-1, -1)
                                                     : std::pair(first, column.lastLine[node] + 1);
        };
        const auto [a, aEnd] = range(0, row.a);
        const auto [b, bEnd] = range(1, row.b);
        if (a < 0 && b < 0) return noteSignature(row);
        gap(a < 0 ? before(0) : a, b < 0 ? before(1) : b);
        const int height = std::max(aEnd - a, bEnd - b);
        for (int i = 0; i < height; ++i) {
            CodeRow out;
            out.line = {a >= 0 && a + i < aEnd ? a + i : -1, b >= 0 && b + i < bEnd ? b + i : -1};
            out.change = shown(row.change);
            // Same to the diff, yet another text: a placeholder of another name is spelled otherwise, not the
            // same line.
            if (out.change == Change::Same && out.line[0] >= 0 && out.line[1] >= 0 &&
                line(0, out.line[0]) != line(1, out.line[1]))
                out.change = Change::Respelled;
            if (out.line[0] >= 0 && out.line[1] >= 0 && out.change == Change::Changed)
                markWords(out, line(0, out.line[0]), line(1, out.line[1]));
            m_rows.push_back(std::move(out));
        }
        if (a >= 0) m_next[0] = aEnd;
        if (b >= 0) m_next[1] = bEnd;
    }

    /// How far a side without the node's line comes: at the start past its header, so that one header stands
    /// beside the other although one graph has its inputs in a line each.
    [[nodiscard]] int before(int side) const {
        const int next = m_next[std::size_t(side)];
        for (int i = 0; next == 0 && i < int(m_columns[std::size_t(side)]->lines.size()); ++i) {
            const std::string_view text = line(side, i);
            const std::size_t at = text.find_first_not_of(' ');
            if (at != std::string_view::npos && text.substr(at).starts_with("def forward(")) return i + 1;
        }
        return next;
    }

    [[nodiscard]] const std::string& line(int side, int index) const {
        return m_columns[std::size_t(side)]->lines[std::size_t(index)];
    }

    // Lines between nodes: the header, comments, blank lines. They are never a difference of their own.
    void gap(int aEnd, int bEnd) {
        const int countA = aEnd - m_next[0], countB = bEnd - m_next[1];
        bool equal = countA == countB;
        for (int i = 0; equal && i < countA; ++i)
            equal = line(0, m_next[0] + i) == line(1, m_next[1] + i);
        const bool header = m_next[0] == 0 || m_next[1] == 0;
        if (equal || header || countA <= 0 || countB <= 0)
            for (int i = 0; i < std::max(countA, countB); ++i)
                quiet(i < countA ? m_next[0] + i : -1, i < countB ? m_next[1] + i : -1);
        else
            alignGap(countA, countB);
        m_next = {aEnd, bEnd};
    }

    void alignGap(int countA, int countB) {
        const auto joined = [this](int side, int count) {
            std::string out;
            for (int i = 0; i < count; ++i)
                out += line(side, m_next[std::size_t(side)] + i) + '\n';
            return out;
        };
        const std::string a = joined(0, countA), b = joined(1, countB);
        for (const diff::LineRow& row : diff::diffTexts(a, b).rows)
            if (const bool hasA = row.a < std::size_t(countA), hasB = row.b < std::size_t(countB);
                hasA || hasB)
                quiet(hasA ? m_next[0] + int(row.a) : -1, hasB ? m_next[1] + int(row.b) : -1);
    }

    void quiet(int a, int b) {
        CodeRow row;
        row.line = {a, b};
        const std::string& text = a >= 0 ? line(0, a) : line(1, b);
        const std::size_t at = text.find_first_not_of(' ');
        const bool comment = at == std::string::npos || text[at] == '#';
        const bool same = a >= 0 && b >= 0 && line(0, a) == line(1, b);
        const bool signature =
            at != std::string::npos && std::string_view(text).substr(at).starts_with("def forward(");
        if (signature && a >= 0 && b >= 0) {
            row.change = same ? Change::Same : std::max(m_signature, Change::Respelled);
            if (row.change == Change::Changed) markWords(row, line(0, a), line(1, b));
        } else if (!same && (!comment || a < 0 || b < 0)) {
            row.change = Change::Respelled;
        }
        m_rows.push_back(std::move(row));
    }

    const ir::Graph &m_a, &m_b;
    const diff::GraphDiff& m_diff;
    const AlignOptions& m_options;
    const std::array<GraphColumnPtr, 2>& m_columns;
    std::array<int, 2> m_next{0, 0};
    std::vector<CodeRow> m_rows;
    Change m_signature = Change::Same;
};

} // namespace

AlignedText alignGraphs(const ir::Graph& a, const ir::Graph& b, const diff::GraphDiff& diff,
                        const AlignOptions& options) {
    return alignColumns(a, b, {printColumn(a, options), printColumn(b, options)}, diff, options);
}

AlignedText alignColumns(const ir::Graph& a, const ir::Graph& b, const std::array<GraphColumnPtr, 2>& columns,
                         const diff::GraphDiff& diff, const AlignOptions& options) {
    return Aligner(a, b, columns, diff, options).run();
}

AlignedText singleColumn(const GraphColumn& column) {
    AlignedText out;
    out.document[0] = column.document;
    out.nodeOfLine[0] = column.nodeOfLine;
    out.rows.resize(column.lines.size());
    for (std::size_t i = 0; i < out.rows.size(); ++i)
        out.rows[i].line[0] = int(i);
    out.counts[std::size_t(Change::Same)] = out.rows.size();
    return out;
}

namespace {

/// "  30     0 LOAD_CONST   7 (True)" as "LOAD_CONST (True)"; the target of a jump is left out too.
std::string instruction(std::string_view line) {
    std::size_t at = 0;
    while (at < line.size() && !(line[at] >= 'A' && line[at] <= 'Z'))
        ++at;
    std::size_t end = at;
    while (end < line.size() && line[end] != ' ')
        ++end;
    if (end - at < 3) return std::string(line);
    std::string out(line.substr(at, end - at));
    const std::size_t open = line.find('(', end);
    if (open == std::string_view::npos) return out;
    out += ' ';
    out += line.substr(open, 4) == "(to " ? std::string_view("(to)") : line.substr(open);
    return out;
}

std::string instructions(std::string_view text) {
    if (text.empty()) return "\n"; // its document has one line
    std::string out;
    for (const std::string_view line : splitLines(text))
        out += instruction(line) + '\n';
    return out;
}

/// Lines that the diff set beside each other as one that changed, below each other: LOAD_FAST (h) is not what
/// became of LOAD_FAST (self), but another instruction.
std::vector<diff::LineRow> apart(std::vector<diff::LineRow> rows) {
    using Kind = diff::LineRow::Kind;
    std::vector<diff::LineRow> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size();) {
        std::size_t end = i;
        while (end < rows.size() && rows[end].kind != Kind::Same)
            ++end;
        for (std::size_t k = i; k < end; ++k)
            if (rows[k].a != SIZE_MAX) out.push_back({Kind::Removed, rows[k].a, SIZE_MAX, {}, {}});
        for (std::size_t k = i; k < end; ++k)
            if (rows[k].b != SIZE_MAX) out.push_back({Kind::Added, SIZE_MAX, rows[k].b, {}, {}});
        if (end < rows.size()) out.push_back(std::move(rows[end++]));
        i = end;
    }
    return out;
}

AlignedText align(const std::string& a, const std::string& b, const diff::TextDiff& diff, Language language,
                  bool words) {
    AlignedText out;
    out.document = {makeCodeDocument(QString::fromStdString(a), language),
                    makeCodeDocument(QString::fromStdString(b), language)};
    out.rows.reserve(diff.rows.size());
    for (const diff::LineRow& from : diff.rows) {
        CodeRow row;
        const auto index = [](std::size_t line, const CodeDocument& d) {
            return line < d.lines.size() ? int(line) : -1;
        };
        row.line = {index(from.a, *out.document[0]), index(from.b, *out.document[1])};
        if (row.line[0] < 0 && row.line[1] < 0) continue;
        switch (from.kind) {
        case diff::LineRow::Kind::Same:
            break;
        case diff::LineRow::Kind::Changed:
            row.change = Change::Changed;
            if (words)
                row.words = {columnRanges(diff.linesA[from.a], from.wordsA),
                             columnRanges(diff.linesB[from.b], from.wordsB)};
            break;
        case diff::LineRow::Kind::Added:
            row.change = Change::Added;
            break;
        case diff::LineRow::Kind::Removed:
            row.change = Change::Removed;
            break;
        }
        ++out.counts[std::size_t(row.change)];
        out.rows.push_back(std::move(row));
    }
    return out;
}

} // namespace

AlignedText alignTexts(const std::string& a, const std::string& b, Language language) {
    return align(a, b, diff::diffTexts(a, b), language, true);
}

AlignedText alignBytecode(const std::string& a, const std::string& b) {
    const std::string compareA = instructions(a), compareB = instructions(b);
    diff::TextDiff diff = diff::diffTexts(compareA, compareB);
    diff.rows = apart(std::move(diff.rows));
    return align(a, b, diff, Language::Bytecode, false);
}

} // namespace dynascope::views
