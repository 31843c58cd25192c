// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/table.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynascope::cli {

namespace {

bool isTail(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

} // namespace

std::size_t textWidth(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), isTail));
}

std::string elide(std::string_view text, std::size_t width) {
    if (textWidth(text) <= width || width < 4) return std::string(text);
    std::size_t end = 0;
    for (std::size_t characters = 0; end < text.size(); ++end) {
        if (!isTail(text[end]) && ++characters > width - 3) break;
    }
    while (end > 0 && text[end - 1] == ' ')
        --end;
    return std::string(text.substr(0, end)) + "...";
}

std::string Table::toString(std::string_view indent) const {
    std::vector<std::size_t> widths(m_columns.size(), 0);
    for (const auto& row : m_rows)
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
            widths[i] = std::max(widths[i], textWidth(row[i]));

    std::string out;
    for (const auto& row : m_rows) {
        std::string line(indent);
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
            if (widths[i] == 0) continue; // a column that nobody fills
            const std::string padding(widths[i] - textWidth(row[i]), ' ');
            line += m_columns[i] == Align::Right ? padding + row[i] : row[i] + padding;
            line += "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

std::string micros(double us) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), us < 100 ? "%.2f" : "%.1f", us);
    return text.data();
}

} // namespace dynascope::cli
