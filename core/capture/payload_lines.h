// SPDX-License-Identifier: BSD-3-Clause
//
// A record's payload as it was logged: a log sets a tab before each of its lines. PyTorch's hash is of this
// text.
#pragma once

#include <cstddef>
#include <string_view>

namespace dynascope::capture {

/// Calls `take` with the pieces of the text that was logged: lines without their tab, and without the CR of a
/// file that went through Windows, unless those are kept. Ends early where `take` is false.
template <typename Take>
void eachPayloadLine(std::string_view payload, bool keepCarriageReturns, Take take) {
    for (std::size_t at = 0;;) {
        if (at < payload.size() && payload[at] == '\t') ++at;
        const std::size_t end = payload.find('\n', at);
        const bool last = end == std::string_view::npos;
        std::string_view line = payload.substr(at, last ? end : end + 1 - at);
        const std::string_view ending = last ? "\r" : "\r\n";
        if (!keepCarriageReturns && line.ends_with(ending)) {
            line.remove_suffix(ending.size());
            if (!take(line) || (!last && !take("\n"))) return;
        } else if (!take(line)) {
            return;
        }
        if (last) return;
        at = end + 1;
    }
}

} // namespace dynascope::capture
