// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/bytecode_run.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

namespace dynascope::session {

namespace {

bool isOpName(std::string_view word) {
    return word.size() > 1 && std::isupper(static_cast<unsigned char>(word.front())) != 0 &&
           std::all_of(
               word.begin(), word.end(),
               [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; }) &&
           word.find_first_not_of("L0123456789") != std::string_view::npos;
}

std::string_view nextWord(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(word.size());
    return word;
}

std::optional<CodeOp> opOf(std::string_view line) {
    CodeOp out;
    for (std::string_view word = nextWord(line); !word.empty(); word = nextWord(line)) {
        if (isOpName(word)) {
            out.name = word;
            break;
        }
        // The line of the source, then the offset; or a label, as newer versions print.
        if (word.ends_with(':') && word.starts_with('L')) {
            out.label = word.substr(0, word.size() - 1);
        } else if (decimal(word) && !out.label.starts_with('L')) {
            out.label = word;
        } else if (word != ">>" && word != "-->") {
            return {};
        }
    }
    if (out.name.empty()) return {};
    const std::string_view argument = nextWord(line);
    out.argument = static_cast<int>(decimal(argument).value_or(0));
    if (const std::size_t open = line.find('('); open != std::string_view::npos)
        if (const std::size_t close = line.rfind(')'); close != std::string_view::npos && close > open)
            out.detail = line.substr(open + 1, close - open - 1);
    return out;
}

} // namespace

std::optional<std::int64_t> decimal(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
    return status == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

std::string_view jumpTarget(const CodeOp& op) {
    const std::string_view detail = op.detail;
    return detail.starts_with("to ") ? detail.substr(3) : std::string_view();
}

std::vector<CodeOp> readBytecode(std::string_view listing) {
    std::vector<CodeOp> out;
    std::string pending; // the label of what is left out counts for the next
    while (!listing.empty()) {
        const std::size_t end = std::min(listing.find('\n'), listing.size());
        auto op = opOf(listing.substr(0, end));
        listing.remove_prefix(std::min(end + 1, listing.size()));
        if (!op) continue;
        if (op->name == "EXTENDED_ARG") {
            if (pending.empty()) pending = op->label;
            continue;
        }
        if (!pending.empty()) op->label = std::exchange(pending, {});
        if (op->name != "CACHE" && op->name != "NOP") out.push_back(std::move(*op));
    }
    return out;
}

std::size_t opsFrom(const std::vector<CodeOp>& code, std::string_view label) {
    const auto found =
        std::find_if(code.begin(), code.end(), [&](const CodeOp& op) { return op.label == label; });
    return static_cast<std::size_t>(code.end() - found);
}

namespace {

/// Whether the last `count` instructions of both are the same, but for where jumps go.
bool endAlike(const std::vector<CodeOp>& a, const std::vector<CodeOp>& b, std::size_t count) {
    if (count > a.size() || count > b.size()) return false;
    return std::equal(
        a.end() - static_cast<std::ptrdiff_t>(count), a.end(), b.end() - static_cast<std::ptrdiff_t>(count),
        [](const CodeOp& one, const CodeOp& other) {
            return one.name == other.name && (one.detail == other.detail || !jumpTarget(one).empty());
        });
}

} // namespace

std::string targetOf(const std::vector<ResumeCall>& calls, const std::vector<CodeOp>& original,
                     const std::vector<CodeOp>& resumed) {
    const std::size_t rest = opsFrom(resumed, resumedLabel(resumed));
    if (rest == 0 || !endAlike(original, resumed, rest)) return {};
    std::map<std::int64_t, std::string> targets; // by offset
    for (const ResumeCall& call : calls)
        if (const auto offset = decimal(call.target)) targets.emplace(*offset, call.target);
    if (targets.size() == 1) return targets.begin()->second;
    if (targets.size() != 2) return {};
    // A break at a branch: one goes on behind the jump, the other where it leads.
    const std::size_t at = original.size() - rest;
    for (std::size_t i = 0; i < original.size(); ++i) {
        if (jumpTarget(original[i]).empty()) continue;
        const std::size_t to = original.size() - opsFrom(original, jumpTarget(original[i]));
        if (at != i + 1 && at != to) continue;
        const bool first = at == std::min(i + 1, to);
        return first ? targets.begin()->second : targets.rbegin()->second;
    }
    return {};
}

std::string resumedLabel(const std::vector<CodeOp>& code) {
    for (const CodeOp& op : code) {
        if (op.name == "JUMP_FORWARD") return std::string(jumpTarget(op));
        if (op.name.find("JUMP") != std::string::npos || op.name.starts_with("RETURN")) break;
    }
    return {};
}

} // namespace dynascope::session
