// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/document.h"

#include <utility>

namespace dynascope::wire {

Any parsed(const std::string& text) {
    std::size_t depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > mostLevels) return {};
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    Any out = Any::parse(text, nullptr, false);
    return out.is_discarded() ? Any() : out;
}

std::string textOf(const Any& document) {
    return document.dump(-1, ' ', false, Any::error_handler_t::replace);
}

Result<int> versionOf(const Any& document, int newest) {
    const auto at = document.find(versionField);
    if (at == document.end()) return 0;
    const bool isNatural =
        at->is_number_integer() && (at->is_number_unsigned() || at->get<std::int64_t>() >= 0);
    if (!isNatural) return failure("version: expected a number from 0 on");
    if (std::cmp_greater(at->get<std::uint64_t>(), newest))
        return failure("it was written by a newer version of Dynascope");
    return at->get<int>();
}

} // namespace dynascope::wire
