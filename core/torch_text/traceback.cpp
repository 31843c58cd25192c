// SPDX-License-Identifier: BSD-3-Clause
#include "core/torch_text/traceback.h"

#include "core/base/text.h"
#include "core/torch_text/text_lines.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace dynascope::capture {

namespace {

std::optional<ir::SourceLocation> parseFrame(std::string_view line) {
    line = trimmed(line);
    constexpr std::string_view open = "File \"";
    constexpr std::string_view middle = "\", line ";
    if (!line.starts_with(open)) return std::nullopt;
    const std::size_t quote = line.find(middle, open.size());
    if (quote == std::string_view::npos) return std::nullopt;
    ir::SourceLocation out;
    out.file = line.substr(open.size(), quote - open.size());
    std::string_view rest = line.substr(quote + middle.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.line);
    if (error != std::errc()) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    constexpr std::string_view in = ", in ";
    if (rest.starts_with(in)) out.function = rest.substr(in.size());
    return out;
}

bool isUnderline(std::string_view line) {
    return line.find_first_not_of("^~ ") == std::string_view::npos;
}

/// "torch._dynamo.exc.Unsupported: text" -> the length of the dotted name, or 0.
std::size_t exceptionName(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return 0;
    const std::string_view name = line.substr(0, colon);
    const bool identifier = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return c == '.' || c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
               (c >= 'a' && c <= 'z');
    });
    if (!identifier) return 0;
    const std::string_view last = name.substr(name.rfind('.') + 1);
    const bool exception = last.ends_with("Error") || last.ends_with("Exception") ||
                           last.ends_with("Unsupported") || last.ends_with("Exit") ||
                           last.ends_with("Interrupt") || last.ends_with("Warning") ||
                           name.find(".exc.") != std::string_view::npos;
    return exception ? colon : 0;
}

} // namespace

ir::StackTrace parseTraceback(std::string_view text) {
    ir::StackTrace out;
    bool wantsCode = false;
    for (LineReader lines(text); !lines.done();) {
        const std::string_view line = lines.next();
        if (std::optional<ir::SourceLocation> frame = parseFrame(line)) {
            out.push_back(std::move(*frame));
            wantsCode = true;
        } else if (wantsCode) {
            const std::string_view code = trimmed(line);
            if (line.starts_with("    ") && !isUnderline(code)) out.back().code = code;
            wantsCode = false;
        }
    }
    return out;
}

PythonError parsePythonError(std::string_view traceback) {
    PythonError out;
    for (LineReader lines(traceback); !lines.done();) {
        const std::string_view line = lines.next();
        const std::size_t name = exceptionName(line);
        if (name == 0) continue;
        const std::string_view full = line.substr(0, name);
        out.type = full.substr(full.rfind('.') + 1);
        out.message = trimmed(line.substr(name + 1));
        // The message goes on until a blank line that is followed by an unindented one.
        for (LineReader more(lines.rest()); !more.done();) {
            const std::string_view next = more.next();
            if (!next.starts_with("  ")) break;
            out.message += '\n';
            out.message += next;
        }
    }
    return out;
}

} // namespace dynascope::capture
