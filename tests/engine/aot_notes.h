// SPDX-License-Identifier: BSD-3-Clause
//
// What AOTAutograd notes beside the inputs and results of its graphs: "PlainAOTOutput(idx=0)".
#pragma once

#include "core/ir/graph.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::test {

/// One note for each result, in order.
inline std::vector<std::string> resultNotes(const ir::Graph& graph) {
    const std::string& text = graph.nodes().back()->comment;
    std::vector<std::string> out;
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        out.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return out;
}

/// The number behind `open`, where a note begins with it.
inline std::optional<std::size_t> indexAfter(const std::string& note, const std::string& open) {
    if (!note.starts_with(open)) return std::nullopt;
    return static_cast<std::size_t>(std::stoul(note.substr(open.size())));
}

} // namespace dynascope::test
