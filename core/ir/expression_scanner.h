// SPDX-License-Identifier: BSD-3-Clause
//
// Where a reader of symbols' expressions is in its text: "2*s0 + Max(1, s1)".
#pragma once

#include "core/ir/value_parser.h"

#include <cstddef>
#include <string_view>

namespace dynascope::ir {

/// Goes through a text that it does not own. Readers derive from it.
class ExpressionScanner {
protected:
    explicit ExpressionScanner(std::string_view text)
        : m_text(text) {}

    void skip() {
        while (m_pos < m_text.size() && m_text[m_pos] == ' ')
            ++m_pos;
    }
    /// Past blanks and `expected`, or past blanks alone where that does not come next.
    bool take(std::string_view expected) {
        skip();
        if (!m_text.substr(m_pos).starts_with(expected)) return false;
        m_pos += expected.size();
        return true;
    }
    /// What comes next of a name or number's letters; may be empty.
    [[nodiscard]] std::string_view word() {
        const std::size_t start = m_pos;
        while (m_pos < m_text.size() && isNameChar(m_text[m_pos]))
            ++m_pos;
        return m_text.substr(start, m_pos - start);
    }
    [[nodiscard]] bool atEnd() {
        skip();
        return m_pos == m_text.size();
    }

    std::string_view m_text;
    std::size_t m_pos = 0;
};

} // namespace dynascope::ir
