// SPDX-License-Identifier: BSD-3-Clause
//
// Graph text as lines that still know where they came from. Internal to the readers.
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ir {

struct Line {
    std::string_view text;    ///< without the line end and without what was cut off in front
    std::uint32_t number = 0; ///< in the text as given, from 1
    std::uint32_t cut = 0;    ///< bytes cut off in front: a log prefix, a quote mark

    [[nodiscard]] std::size_t indent() const {
        const std::size_t found = text.find_first_not_of(" \t");
        return found == std::string_view::npos ? text.size() : found;
    }
    /// Without blanks on both sides.
    [[nodiscard]] std::string_view trimmed() const;
    [[nodiscard]] bool blank() const { return indent() == text.size(); }
};

/// Splits at line ends of either kind; a byte order mark in front is left out.
[[nodiscard]] std::vector<Line> numberedLines(std::string_view text);

/// An error at byte `offset` of a line.
[[nodiscard]] Error errorAt(const Line& line, std::size_t offset, std::string message);

/// True if the line is "graph():" in any of its forms, or the class or def line that opens readable code.
[[nodiscard]] bool isFxHeader(std::string_view trimmedLine);
[[nodiscard]] bool isClassLine(std::string_view trimmedLine);
/// `torch.fx._symbolic_trace.wrap("f")`, or the name that FX gives it where that one is taken.
[[nodiscard]] bool isWrapLine(std::string_view trimmedLine);
[[nodiscard]] bool isDefLine(std::string_view trimmedLine);

/// What follows the last line of a graph in its text.
struct TextTail {
    bool trailingNewline = false;
    std::string trailer;
};

/// These read the graph that opens at lines[next] and leave `next` behind its last line; after an error it is
/// the line where reading stopped.
[[nodiscard]] Result<GraphPtr> readFxLines(std::span<const Line> lines, std::size_t& next,
                                           const TextTail& tail);
[[nodiscard]] Result<GraphPtr> readReadableLines(std::span<const Line> lines, std::size_t& next,
                                                 const TextTail& tail);

} // namespace dynascope::ir
