// SPDX-License-Identifier: BSD-3-Clause
//
// JSON documents that this program writes and reads again: what processes say to each other and what files
// keep. Each is a struct with one encoder and one decoder, which core/base/codec.h makes of a list of its
// fields. Values only: any thread.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::wire {

/// A value whose form is left open. Nested no deeper than mostLevels once it was decoded.
using Any = nlohmann::json;

/// Levels of a document that is read.
inline constexpr std::size_t mostLevels = 100;

/// What a field that is not there means.
enum class Missing : std::uint8_t {
    Fails,   ///< the document is not what it should be
    NotSaid, ///< the field keeps its default: for documents that an earlier version wrote
};

/// Defined for every type that DYNASCOPE_WIRE names.
template <typename T>
[[nodiscard]] Any encode(const T& value);

/// Total: a field that is missing, null or of another kind or range is an Error with its path, such as
/// "pass reply: steps[3].emitted[0].node: expected a string, not null". Unknown fields are passed over.
template <typename T>
[[nodiscard]] Result<T> decode(const Any& document, Missing missing = Missing::Fails);

/// What a document's text says, or null where it is no JSON or nests deeper than any document of ours, whose
/// copies would recurse as deep.
[[nodiscard]] Any parsed(const std::string& text);
/// Text that holds no more than Unicode, whatever bytes names and messages have.
[[nodiscard]] std::string textOf(const Any& document);

/// Where a stored document has its version.
inline constexpr const char* versionField = "version";
/// 0 where there is none. An Error for one above `newest`, which a newer program wrote, and for what is no
/// version.
[[nodiscard]] Result<int> versionOf(const Any& document, int newest);

} // namespace dynascope::wire
