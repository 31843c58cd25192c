// SPDX-License-Identifier: BSD-3-Clause
//
// JSON that is too long to be read whole.
#pragma once

#include "core/base/task.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::capture {

/// Longest JSON text that is read whole: a tree of it takes ten times as much.
inline constexpr std::size_t longestJson = std::size_t{16} << 20U;

/// A JSON object with its members of up to 64 KiB; longer ones are null. Nothing where the text is no object,
/// does not end where the object does, or the task is cancelled; what is within a member is not checked.
/// Linear.
[[nodiscard]] std::optional<std::string> abridged(std::string_view json, const TaskContext& task = {});

} // namespace dynascope::capture
