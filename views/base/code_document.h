// SPDX-License-Identifier: BSD-3-Clause
//
// Code as the code panes show it: lines with syntax runs. Made once, on any thread, and then only read.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

namespace dynascope::views {

enum class CodeStyle : std::uint8_t { Plain, Keyword, String, Number, Comment, Function, Error };

/// OutputCode is Inductor's Python with C++ or Triton sources in triple-quoted strings.
enum class Language : std::uint8_t { Plain, Python, Bytecode, OutputCode };

/// Columns are UTF-16 units of the line, end not included.
struct CodeSpan {
    int begin = 0, end = 0;
    CodeStyle style = CodeStyle::Plain;
};
struct CodeLink {
    int begin = 0, end = 0;
    QString target;
};
struct CodeRange {
    int begin = 0, end = 0;
};

struct CodeLine {
    QString text;
    int number = 0; ///< as shown in the gutter; 0 shows none
    std::vector<CodeSpan> spans;
    std::vector<CodeLink> links;
    /// Where each unit of the text begins, in cells of the code font, and where the last one ends. Empty
    /// where every unit takes one cell. Marks that stand on a letter take none, but for those that pile up.
    std::vector<std::uint32_t> cells = {};

    [[nodiscard]] std::uint32_t cellOf(int column) const {
        return cells.empty() ? std::uint32_t(column) : cells[std::size_t(column)];
    }
    /// The last unit that begins at or before a cell.
    [[nodiscard]] int columnAt(std::uint32_t cell) const;
    /// Whether a unit is shown as a sign: it hides or turns what stands beside it, or is one mark of a pile.
    [[nodiscard]] bool isSign(int column) const;
};

struct CodeDocument {
    std::vector<CodeLine> lines;
    int longest = 0; ///< cells of the longest line

    [[nodiscard]] QString text() const;
};
using CodeDocumentPtr = std::shared_ptr<const CodeDocument>;

/// Whether a name of Python's or C++'s may go on with it.
[[nodiscard]] inline bool isNamePart(QChar c) {
    return c.isLetterOrNumber() || c == u'_';
}

/// Tabs become four blanks and control codes U+FFFD. Linear in the text.
[[nodiscard]] std::shared_ptr<CodeDocument> makeCodeDocument(const QString& text, Language language);

} // namespace dynascope::views
