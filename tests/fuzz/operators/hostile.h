// SPDX-License-Identifier: BSD-3-Clause
//
// Makes up calls that lie. A call begins as one that is right, where the operator's name has one, or as
// arguments of sizes that may belong together; then one to four of them are spoiled.
#pragma once

#include "tests/fuzz/operators/recipe.h"

namespace dynascope::fuzz {

/// A recipe for each argument of the schema. The same for the same schema, seed and known calls.
[[nodiscard]] std::vector<Recipe> hostileCall(const c10::FunctionSchema& schema, const KnownCalls& known,
                                              std::uint64_t seed);

} // namespace dynascope::fuzz
