// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/text.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::cli {

/// Rows of text in aligned columns; widths follow the contents and count UTF-8 characters. Trailing blanks
/// are left off.
class Table {
public:
    enum class Align : unsigned char { Left, Right };

    explicit Table(std::vector<Align> columns)
        : m_columns(std::move(columns)) {}
    void add(std::vector<std::string> row) { m_rows.push_back(std::move(row)); }
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    [[nodiscard]] std::string toString(std::string_view indent) const;

private:
    std::vector<Align> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// Characters of a UTF-8 text.
[[nodiscard]] std::size_t textWidth(std::string_view text);
/// At most `width` characters, the last three being dots where something was cut.
[[nodiscard]] std::string elide(std::string_view text, std::size_t width);

/// Microseconds for a column: "12.34", "123.4".
[[nodiscard]] std::string micros(double us);

} // namespace dynascope::cli
