// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/graph.h"

#include <charconv>

namespace dynascope::ir {

namespace {

bool readNumber(std::string_view text, int& out) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out);
    return error == std::errc() && stop == end;
}

/// Cuts text before the first ":" off and returns it.
std::string_view takeField(std::string_view& text) {
    const std::size_t colon = text.find(':');
    const std::string_view field = text.substr(0, colon);
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
    return field;
}

} // namespace

std::string Address::toString() const {
    std::string out = std::to_string(rank) + ':' + compileId + ':' + std::to_string(attempt) + ':';
    if (!stage.empty()) out += stage + '#' + std::to_string(k);
    return out + ':' + node;
}

std::optional<Address> Address::parse(std::string_view text) {
    Address address;
    if (!readNumber(takeField(text), address.rank)) return std::nullopt;
    address.compileId = takeField(text);
    const std::string_view attempt = takeField(text);
    if (!attempt.empty() && !readNumber(attempt, address.attempt)) return std::nullopt;

    // A stage may be any artifact's name; a node name never holds a colon.
    const std::size_t colon = text.rfind(':');
    std::string_view stage = text;
    if (colon != std::string_view::npos) {
        stage = text.substr(0, colon);
        address.node = text.substr(colon + 1);
    }
    const std::size_t hash = stage.rfind('#');
    if (hash != std::string_view::npos) {
        if (!readNumber(stage.substr(hash + 1), address.k)) return std::nullopt;
        stage = stage.substr(0, hash);
    }
    address.stage = stage;
    return address;
}

} // namespace dynascope::ir
