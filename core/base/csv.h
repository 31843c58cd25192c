// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace dynascope {

/// A cell of comma separated values, quoted where it must be (RFC 4180). A text that a table program would take for
/// a formula gets a quote in front.
[[nodiscard]] inline std::string csvCell(std::string_view text) {
    std::string out;
    if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) out = "'";
    out += text;
    if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
    std::string quoted = "\"";
    for (const char c : out)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

} // namespace dynascope
