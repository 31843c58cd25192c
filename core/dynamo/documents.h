// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of records that are JSON. What is missing or odd is left out.
#pragma once

#include "core/dynamo/recording.h"

#include <memory>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

[[nodiscard]] std::vector<std::string> texts(const simdjson::dom::element& object, std::string_view key);
/// Its "stack": [file, line, function] each.
[[nodiscard]] std::vector<StackEntry> stackOf(const simdjson::dom::element& object);
[[nodiscard]] std::unique_ptr<Code> readCode(const simdjson::dom::element& object);

} // namespace dynascope::dynamo
