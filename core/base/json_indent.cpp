// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/json_indent.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace dynascope {

namespace {

// Deeper than what anybody wrote by hand or program: indenting it would be mostly blanks.
constexpr std::size_t mostDepth = 64;

bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Where the string that begins at `at` ends, behind its quote. Of valid JSON.
std::size_t endOfString(std::string_view text, std::size_t at) {
    for (++at; text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return at + 1;
}

/// For each bracket that opens, how long it is on one line with ", " and ": "; 0 for other places.
std::vector<std::size_t> lengths(std::string_view text, std::size_t& depth) {
    std::vector<std::size_t> out(text.size()), open, start;
    std::size_t written = 0;
    depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isBlank(c)) continue;
        if (c == '"') {
            const std::size_t end = endOfString(text, i);
            written += end - i;
            i = end - 1;
            continue;
        }
        if (c == '{' || c == '[') {
            open.push_back(i);
            start.push_back(written);
            depth = std::max(depth, open.size());
        }
        written += c == ',' || c == ':' ? 2 : 1;
        if (c == '}' || c == ']') {
            out[open.back()] = written - start.back();
            open.pop_back();
            start.pop_back();
        }
    }
    return out;
}

} // namespace

std::optional<std::string> indentJson(std::string_view text, std::size_t width) {
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    if (text.empty() || (text.front() != '{' && text.front() != '[') || !nlohmann::json::accept(text))
        return {};
    std::size_t depth = 0;
    const std::vector<std::size_t> length = lengths(text, depth);
    if (depth > mostDepth) return {};
    std::string out;
    std::size_t column = 0;
    std::vector<bool> broken; // of each bracket that is open: over several lines
    const auto breakLine = [&] {
        out += '\n';
        out.append(2 * broken.size(), ' ');
        column = 2 * broken.size();
    };
    const auto put = [&](std::string_view token) {
        out += token;
        column += token.size();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isBlank(c)) continue;
        if (c == '"') {
            const std::size_t end = endOfString(text, i);
            put(text.substr(i, end - i));
            i = end - 1;
            continue;
        }
        if (c == '}' || c == ']') {
            const bool was = broken.back();
            broken.pop_back();
            if (was) breakLine();
            put(text.substr(i, 1));
            continue;
        }
        put(text.substr(i, 1));
        if (c == '{' || c == '[') {
            broken.push_back(length[i] > 2 && column + length[i] - 1 > width); // {} and [] stay whole
            if (broken.back()) breakLine();
        } else if (c == ',') {
            if (!broken.empty() && broken.back())
                breakLine();
            else
                put(" ");
        } else if (c == ':') {
            put(" ");
        }
    }
    return out;
}

} // namespace dynascope
