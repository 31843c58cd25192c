// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace dynascope::capture {

/// Takes lines off the front of a text, without their ends.
class LineReader {
public:
    explicit LineReader(std::string_view text)
        : m_rest(text) {}
    [[nodiscard]] bool done() const { return m_done; }
    [[nodiscard]] std::string_view next() {
        const std::size_t end = m_rest.find('\n');
        const std::string_view line = m_rest.substr(0, end);
        m_done = end == std::string_view::npos;
        m_rest = m_done ? std::string_view() : m_rest.substr(end + 1);
        return line;
    }
    [[nodiscard]] std::string_view rest() const { return m_rest; }

private:
    std::string_view m_rest;
    bool m_done = false;
};

} // namespace dynascope::capture
