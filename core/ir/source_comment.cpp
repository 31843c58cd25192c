// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/source_comment.h"

#include "core/base/text.h"
#include "core/ir/lines.h"

#include <charconv>

namespace dynascope::ir {

namespace {

constexpr std::string_view fileMark = "File: ";
constexpr std::string_view codeMark = ", code:";
constexpr std::string_view noStack = "No stacktrace found for following nodes";

/// "model.py:12 in forward" or "model.py:12".
bool readPlace(std::string_view text, SourceLocation& out) {
    for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
         colon = text.find(':', colon + 1)) {
        const char* begin = text.data() + colon + 1;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(begin, end, out.line);
        const std::string_view rest = text.substr(static_cast<std::size_t>(stop - text.data()));
        if (error != std::errc() || *begin == '0' || !(rest.empty() || rest.starts_with(" in "))) continue;
        out.file = text.substr(0, colon);
        if (!rest.empty()) out.function = rest.substr(4);
        return true;
    }
    return false;
}

} // namespace

bool SourceComment::read(std::string_view comment) {
    comment = trimmed(comment);
    if (comment.starts_with('#')) comment.remove_prefix(1);
    comment = trimmed(comment);
    const std::size_t file = comment.find(fileMark);
    if (file == std::string_view::npos) {
        if (!comment.ends_with(noStack)) return false;
        stack.reset();
        note = trimmed(comment.substr(0, comment.size() - noStack.size()));
        return true;
    }
    const std::string_view rest = comment.substr(file + fileMark.size());
    // Code may hold ", code:" as well, a path hardly ever.
    const std::size_t code = rest.find(codeMark);
    SourceLocation place;
    if (!readPlace(rest.substr(0, code), place)) return false;
    if (code != std::string_view::npos) place.code = trimmed(rest.substr(code + codeMark.size()));
    stack = std::make_shared<const StackTrace>(StackTrace{std::move(place)});
    note = trimmed(comment.substr(0, file));
    return true;
}

std::string SourceComment::print(const Node& node) {
    std::string out = "# ";
    if (!node.note.empty()) {
        out += node.note;
        out += ' ';
    }
    const SourceLocation* place = node.location();
    if (place == nullptr) return out += noStack;
    out += fileMark;
    out += place->file;
    out += ':';
    out += std::to_string(place->line);
    if (!place->function.empty()) {
        out += " in ";
        out += place->function;
    }
    out += codeMark;
    out += ' ';
    out += place->code;
    return out;
}

} // namespace dynascope::ir
