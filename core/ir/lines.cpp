// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/lines.h"

#include "core/base/text.h"

#include <algorithm>
#include <utility>

namespace dynascope::ir {

std::string_view Line::trimmed() const {
    return dynascope::trimmed(text);
}

std::vector<Line> numberedLines(std::string_view text) {
    std::vector<Line> lines;
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
    std::uint32_t cut = 0;
    if (text.starts_with(byteOrderMark)) {
        text.remove_prefix(byteOrderMark.size());
        cut = byteOrderMark.size();
    }
    lines.reserve(text.size() / 80 + 1);
    std::uint32_t number = 1;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back({line, number++, std::exchange(cut, 0)});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

Error errorAt(const Line& line, std::size_t offset, std::string message) {
    // Columns count characters, not bytes.
    const std::string_view before = line.text.substr(0, std::min(offset, line.text.size()));
    const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    return {std::move(message), {}, line.number, line.cut + static_cast<std::size_t>(characters) + 1};
}

bool isFxHeader(std::string_view line) {
    return line.starts_with("graph(") && line.ends_with(':');
}

bool isClassLine(std::string_view line) {
    constexpr std::string_view keyword = "class ";
    return line.starts_with(keyword) && line.ends_with("):") && line.find('(') != std::string_view::npos;
}

bool isWrapLine(std::string_view line) {
    constexpr std::string_view call = "wrap(\"", end = "\")";
    if (!line.ends_with(end)) return false;
    const std::size_t at = line.find(call);
    if (at == std::string_view::npos || (at > 0 && line[at - 1] != '.' && line[at - 1] != '_')) return false;
    const std::string_view name = line.substr(0, at);
    return name.find_first_of(" ()\"'=") == std::string_view::npos &&
           line.find('"', at + call.size()) == line.size() - end.size();
}

bool isDefLine(std::string_view line) {
    constexpr std::string_view keyword = "def ";
    return line.starts_with(keyword) && line.find('(') != std::string_view::npos;
}

} // namespace dynascope::ir
