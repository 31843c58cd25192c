// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/guards.h"

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/torch_text/text_lines.h"

#include <cctype>
#include <charconv>
#include <optional>

namespace dynascope::capture {

namespace {

/// "scripts/cap.py:29 in f".
std::optional<ir::SourceLocation> parseAddedAt(std::string_view text) {
    const std::size_t in = text.rfind(" in ");
    if (in == std::string_view::npos) return std::nullopt;
    const std::size_t colon = text.rfind(':', in);
    if (colon == std::string_view::npos) return std::nullopt;
    ir::SourceLocation out;
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + in, out.line);
    if (error != std::errc() || end != text.data() + in) return std::nullopt;
    out.file = trimmed(text.substr(0, colon));
    out.function = trimmed(text.substr(in + 4));
    return out;
}

/// Takes "  # user code  # file.py:29 in f" off the end of a check.
void splitComment(session::Guard& guard, std::string_view& check) {
    constexpr std::string_view mark = "  # ";
    const std::size_t last = check.rfind(mark);
    if (last == std::string_view::npos) return;
    std::optional<ir::SourceLocation> place = parseAddedAt(check.substr(last + mark.size()));
    if (!place) return;
    check = check.substr(0, last);
    const std::size_t first = check.find(mark);
    if (first != std::string_view::npos) {
        guard.userCode = trimmed(check.substr(first + mark.size()));
        check = check.substr(0, first);
    }
    place->code = guard.userCode;
    guard.addedAt = std::move(*place);
}

/// The value of `source=` in a manager's line, which ends at ", accessed_by=" or the next top-level comma.
std::string managerSource(std::string_view text) {
    constexpr std::string_view key = "source=";
    if (!text.starts_with(key)) return {};
    text.remove_prefix(key.size());
    return std::string(text.substr(0, text.find(", accessed_by=")));
}

/// The source a check names itself: the first L['...'] or G['...'] expression in it.
std::string namedSource(std::string_view code) {
    for (std::size_t at = 0; at + 1 < code.size(); ++at) {
        if ((code[at] != 'L' && code[at] != 'G') || code[at + 1] != '[') continue;
        if (at > 0 && (std::isalnum(static_cast<unsigned char>(code[at - 1])) || code[at - 1] == '_'))
            continue;
        const std::size_t end = python::findOutside(code, at + 1, python::Quotes::Strings, [](char c) {
            return c != '[' && c != '.' && c != '_' && std::isalnum(static_cast<unsigned char>(c)) == 0;
        });
        return std::string(code.substr(at, end - at));
    }
    return {};
}

} // namespace

std::vector<session::Guard> parseGuards(std::string_view text) {
    constexpr int maxDepth = 200;
    std::vector<session::Guard> out;
    std::vector<std::string> sources; // of the manager at each depth
    bool inTree = false;
    for (LineReader lines(text); !lines.done();) {
        std::string_view line = lines.next();
        if (line.empty()) {
            inTree = false;
            continue;
        }
        int depth = 0;
        std::string_view rest = line;
        while (rest.starts_with("| ") && depth < maxDepth) {
            rest.remove_prefix(2);
            ++depth;
        }
        if (!rest.starts_with("+- ")) {
            if (inTree && !out.empty() && !line.starts_with('+') && !line.starts_with('|')) {
                out.back().code += '\n';
                out.back().code += line;
            }
            continue;
        }
        inTree = true;
        rest.remove_prefix(3);

        session::Guard guard;
        guard.depth = depth;
        const std::size_t colon = rest.find(": ");
        guard.type = trimmed(rest.substr(0, colon));
        if (guard.type.ends_with(':')) guard.type.pop_back();
        std::string_view check =
            colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 2);
        splitComment(guard, check);
        guard.code = trimmed(check);

        const auto level = static_cast<std::size_t>(depth);
        sources.resize(level + 1);
        if (guard.isManager()) {
            guard.source = managerSource(guard.code);
            sources[level] = guard.source;
        } else {
            guard.source = namedSource(guard.code);
            if (guard.source.empty() && level > 0) guard.source = sources[level - 1];
        }
        out.push_back(std::move(guard));
    }
    return out;
}

} // namespace dynascope::capture
