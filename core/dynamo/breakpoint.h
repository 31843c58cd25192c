// SPDX-License-Identifier: BSD-3-Clause
//
// Places to halt at on the way through a recording.
#pragma once

#include "core/dynamo/condition.h"

#include <optional>
#include <string>
#include <string_view>

namespace dynascope::dynamo {

/// A line, "cap.py:31", or a condition, "nodes > 10".
class Breakpoint {
public:
    /// Errors are those of Condition::parse.
    [[nodiscard]] static Result<Breakpoint> parse(std::string_view text);
    [[nodiscard]] static Breakpoint atLine(std::string_view file, std::uint32_t line);

    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] const std::string& file() const { return m_file; } ///< empty for a condition
    [[nodiscard]] std::uint32_t line() const { return m_line; }      ///< 0 for a condition
    /// Of a condition, else null.
    [[nodiscard]] const Condition* condition() const { return m_condition ? &*m_condition : nullptr; }

private:
    std::string m_text, m_file;
    std::uint32_t m_line = 0;
    std::optional<Condition> m_condition;
};

} // namespace dynascope::dynamo
