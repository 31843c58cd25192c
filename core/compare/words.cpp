// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/utf8.h"
#include "core/compare/parts.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace dynascope::compare {

std::string_view verdictName(CompareVerdict verdict) {
    static constexpr std::array<std::string_view, 5> names = {"same", "differs", "only in A", "only in B",
                                                              "unreadable"};
    return names[static_cast<std::size_t>(verdict)];
}

std::string_view matchName(Match match) {
    static constexpr std::array<std::string_view, 4> names = {"compile id", "source", "structure", "choice"};
    return names[static_cast<std::size_t>(match)];
}

std::string withoutAddresses(std::string_view text, std::size_t digits) {
    constexpr std::string_view decimal = "0123456789", hexadecimal = "0123456789abcdefABCDEF";
    constexpr std::size_t hexDigits = 6;
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const bool hex = text.substr(i).starts_with("0x");
        const std::size_t from = i + (hex ? 2 : 0);
        const std::size_t end =
            std::min(text.find_first_not_of(hex ? hexadecimal : decimal, from), text.size());
        if (end == i) {
            out += text[i++];
            continue;
        }
        out += end - from >= (hex ? hexDigits : digits) ? std::string_view("<id>") : text.substr(i, end - i);
        i = end;
    }
    return out;
}

namespace detail {

std::string shortened(std::string_view text, std::size_t length) {
    const std::size_t line = std::min(text.find('\n'), text.size());
    if (line <= length) return std::string(text.substr(0, line));
    return std::string(text.substr(0, characterStart(text, length - 3))) + "...";
}

std::pair<std::string, std::string> excerpts(std::string_view a, std::string_view b) {
    constexpr std::size_t before = 24, after = 56;
    const auto part = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    const auto excerpt = [&](std::string_view text) {
        std::size_t from = part > before ? characterStart(text, part - before) : 0;
        // Both excerpts are lines, even where the texts are not.
        if (const std::size_t line = text.substr(0, part).rfind('\n'); line != std::string_view::npos)
            from = std::max(from, line + 1);
        return (from > 0 ? "..." : "") + shortened(text.substr(from), part - from + after);
    };
    return {excerpt(a), excerpt(b)};
}

std::string whereTheyPart(std::string_view a, std::string_view b) {
    // A device of one number that is a rank's own on one side only.
    if (a == b) return shortened(a) + " on both, where another device is each rank's own";
    const auto [mine, theirs] = excerpts(a, b);
    return mine + " / " + theirs;
}

ListComparison compareLists(std::vector<std::string> a, std::vector<std::string> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    ListComparison out;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out.onlyA));
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(out.onlyB));
    out.same = a.size() - out.onlyA.size();
    return out;
}

} // namespace detail

} // namespace dynascope::compare
