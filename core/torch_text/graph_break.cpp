// SPDX-License-Identifier: BSD-3-Clause
#include "core/torch_text/graph_break.h"

#include "core/base/text.h"
#include "core/torch_text/text_lines.h"
#include "core/torch_text/traceback.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace dynascope::capture {

namespace {

constexpr std::string_view userCodeAt = " in user code at ";
constexpr std::string_view explanationKey = "Explanation:";
constexpr std::string_view hintKey = "Hint:";
constexpr std::string_view contextKey = "Developer debug context:";
constexpr std::string_view pageKey = "For more details about this graph break, please visit:";
constexpr std::string_view tracingKey = "Encountered graph break when attempting to trace ";
constexpr std::string_view skippingWords = "Skipping the function and falling back to eager";
constexpr std::string_view skippingRestWords = "then skipping the rest of the function";
constexpr std::string_view anotherKey = "*** While handling this graph break, another graph break occurred";
constexpr std::string_view sourcesKey = "Stack variable source attribution:";

std::optional<std::string_view> trimmedAfter(std::string_view line, std::string_view key) {
    if (!line.starts_with(key)) return std::nullopt;
    return trimmed(line.substr(key.size()));
}

/// The reason's first line follows one of these; older versions said "Reason:".
std::optional<std::string_view> reasonOf(std::string_view line) {
    for (const std::string_view key : {"Graph Break Reason:", "Reason:", "Graph break:"})
        if (const auto rest = trimmedAfter(line, key)) return rest;
    return std::nullopt;
}

/// The place in "Graph break in user code at cap.py:30"; "Graph break (user stack suppressed due to duplicate
/// graph break) in user code at ..." where TORCH_LOGS has said it before.
std::optional<std::string_view> placeIn(std::string_view line) {
    const std::size_t at = line.find(userCodeAt);
    if (!line.starts_with("Graph break") || at == std::string_view::npos) return std::nullopt;
    return trimmed(line.substr(at + userCodeAt.size()));
}

ir::SourceLocation parsePlace(std::string_view place) {
    ir::SourceLocation out;
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) {
        out.file = place;
        return out;
    }
    out.file = place.substr(0, colon);
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), out.line);
    return out;
}

void appendLine(std::string& to, std::string_view line) {
    if (!to.empty()) to += '\n';
    to += line;
}

} // namespace

void dropComptime(ir::StackTrace& stack) {
    constexpr std::string_view comptime = "torch/_dynamo/comptime.py";
    while (stack.size() > 1 && stack.back().file.ends_with(comptime))
        stack.pop_back();
}

session::GraphBreak parseGraphBreak(std::string_view text) {
    session::GraphBreak out;
    ir::SourceLocation place;
    const std::size_t stackAt = text.find("User code traceback:");
    const std::string_view reason = text.substr(0, stackAt);

    std::string* field = nullptr;
    bool inReason = false;
    for (LineReader lines(reason); !lines.done();) {
        std::string_view line = trimmed(lines.next());
        if (const auto where = placeIn(line)) {
            place = parsePlace(*where);
            continue;
        }
        if (!inReason) {
            if (const auto first = reasonOf(line)) {
                inReason = true;
                line = *first;
            }
        }
        if (line.starts_with(anotherKey)) {
            // What follows ended the attempt to go on behind the break, as a loop around it does: the cause is above.
            break;
        }
        if (line.find(skippingWords) != std::string_view::npos) {
            // "Failed to handle graph break gracefully. Skipping the function ... Graph break encountered:"
            // stands before the reason itself.
            out.skipsFunction = true;
        } else if (line.find(skippingRestWords) != std::string_view::npos) {
            out.skipsRest = true; // "Encountered graph break that we cannot resume from. Compiling up to ..."
        } else if (line.starts_with(sourcesKey)) {
            break;
        } else if (const auto instruction = trimmedAfter(line, tracingKey)) {
            out.instruction = *instruction;
            if (out.instruction.ends_with(':')) out.instruction.pop_back();
        } else if (const auto value = trimmedAfter(line, explanationKey)) {
            out.explanation = *value;
            field = &out.explanation;
        } else if (const auto hint = trimmedAfter(line, hintKey)) {
            field = &out.hints.emplace_back(*hint);
        } else if (const auto context = trimmedAfter(line, contextKey)) {
            out.context = *context;
            field = &out.context;
        } else if (const auto page = trimmedAfter(line, pageKey)) {
            out.url = *page;
            field = nullptr;
        } else if (line.empty()) {
            if (!out.title.empty() && !field) field = &out.explanation;
        } else if (out.title.empty()) {
            out.title = line;
        } else if (field) {
            appendLine(*field, line);
        }
    }

    if (stackAt != std::string_view::npos) {
        std::string_view stack = text.substr(stackAt);
        const std::size_t end =
            std::min(stack.find("\nTraceback (most recent call last)"), stack.find("\nNoneType: None"));
        out.userStack = parseTraceback(stack.substr(0, end));
    }
    if (out.userStack.empty() && !place.file.empty()) out.userStack.push_back(std::move(place));
    dropComptime(out.userStack);
    if (out.title.starts_with("Call to `torch._dynamo.skip_frame()`") || out.title == "graph break in loop")
        out.skipsFunction = true; // exceptions that ask for it
    if (out.title.empty()) out.title = "Unnamed graph break";
    return out;
}

} // namespace dynascope::capture
