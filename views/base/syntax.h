// SPDX-License-Identifier: BSD-3-Clause
//
// Syntax runs of one line after another. A small scanner for what captures hold (Python, Inductor's output
// code with C++ in strings, dis listings), not a parser: whatever it does not know is plain.
#pragma once

#include "views/base/code_document.h"
#include "views/theme/theme.h"

#include <QColor>

namespace dynascope::views {

/// Feed lines in order; it remembers open triple quotes and block comments.
class Highlighter {
public:
    explicit Highlighter(Language language)
        : m_language(language) {}
    [[nodiscard]] std::vector<CodeSpan> next(const QString& line);

private:
    enum class Inside : std::uint8_t { Code, Text, Cpp };
    void python(const QString& line, int from, std::vector<CodeSpan>& out);
    void cpp(const QString& line, int from, int to, std::vector<CodeSpan>& out);
    void bytecode(const QString& line, std::vector<CodeSpan>& out) const;
    int closeTriple(const QString& line, int from, std::vector<CodeSpan>& out);

    Language m_language;
    Inside m_inside = Inside::Code;
    QChar m_quote;
    bool m_blockComment = false;
    bool m_embeddedCpp = false;    ///< an async_compile.cpp call is open: its string is C++
    bool m_embeddedPython = false; ///< the same for async_compile.triton, whose string is Python
    bool m_pythonBody = false;
};

/// Readable on every row fill of DESIGN_LANGUAGE, in dark and light.
[[nodiscard]] QColor syntaxColour(CodeStyle style, const Colours& colours);

} // namespace dynascope::views
