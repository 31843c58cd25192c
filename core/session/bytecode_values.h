// SPDX-License-Identifier: BSD-3-Clause
//
// Values that are followed through bytecode: making, reading and changing them as Python would lists.
#pragma once

#include "core/session/bytecode_run.h"

#include <cstddef>
#include <map>
#include <optional>

namespace dynascope::session {

inline constexpr std::size_t mostCodeItems = 10'000; ///< a list of more is not followed

[[nodiscard]] CodeValuePtr codeValue(CodeValue::Kind kind, std::int64_t number = 0, std::string text = {});
/// container[key]; unknown where that is not known.
[[nodiscard]] CodeValuePtr itemOf(const CodeValue& container, const CodeValue& key);
/// container[key] = stored, or, where that is null, del container[key]. What is not known makes the container
/// unknown.
void storeItem(CodeValue& container, const CodeValue& key, const CodeValuePtr& stored);
[[nodiscard]] std::optional<std::size_t> itemPosition(const CodeValue& key, std::size_t size);

/// Lists that were copied, by what they are copies of.
using CodeCopies = std::map<const CodeValue*, CodeValuePtr>;
/// Lists anew, everything else shared.
[[nodiscard]] CodeValuePtr copyOf(const CodeValuePtr& from, CodeCopies& copies, int depth = 0);

} // namespace dynascope::session
