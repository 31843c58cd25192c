// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/breakpoint.h"

#include "core/ir/lines.h"

#include <charconv>

namespace dynascope::dynamo {

namespace {

/// The number after the last colon; 0 where the text is no place in a file.
std::uint32_t lineIn(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return 0;
    if (text.find_first_of("=<>\"'") != std::string_view::npos) return 0;
    std::uint32_t line = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, line);
    return error == std::errc() && stop == end ? line : 0;
}

} // namespace

Breakpoint Breakpoint::atLine(std::string_view file, std::uint32_t line) {
    Breakpoint out;
    out.m_file = file;
    out.m_line = line;
    out.m_text = out.m_file + ':' + std::to_string(line);
    return out;
}

Result<Breakpoint> Breakpoint::parse(std::string_view text) {
    text = ir::trim(text);
    if (const std::uint32_t line = lineIn(text); line > 0)
        return atLine(text.substr(0, text.rfind(':')), line);
    Result<Condition> condition = Condition::parse(text);
    if (!condition) return tl::unexpected(condition.error());
    Breakpoint out;
    out.m_text = text;
    out.m_condition = std::move(*condition);
    return out;
}

} // namespace dynascope::dynamo
