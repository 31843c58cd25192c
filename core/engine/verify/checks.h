// SPDX-License-Identifier: BSD-3-Clause
//
// Compares what a caller can see of two runs.
#pragma once

#include "core/engine/verify/locate.h"
#include "core/engine/wire/verify.h"

#include <string>
#include <vector>

namespace dynascope::engine {

/// One property of one result or input.
struct Check {
    std::string what;     ///< "output #0", "input x after the call", "gradient of x", "the call"
    std::string property; ///< values, dtype, shape, strides, storage, identity, error
    bool ok = true;
    /// Whether a failure makes the graphs different. Functionalization does not keep strides, storages and
    /// identities of outputs.
    bool counts = true;
    wire::Found expected, actual;
    double maxAbsolute = 0, maxRelative = 0;       ///< of values
    std::vector<std::int64_t> cell;                ///< the first that differs, of values
    bool close = false;                            ///< of values: Distance::close
    std::optional<Symptom> symptom = std::nullopt; ///< of values: where to search from
    bool small = false, finite = true;             ///< of values: as in Distance
    double largest = 0;                            ///< the same
    /// Of values that differ: rounding is why. It then does not count.
    bool rounded = false;
};

/// Both runs were made from the same inputs and ran to their end. `names` are the placeholders'.
[[nodiscard]] std::vector<Check> compare(const ProgramRun& expected, const ProgramRun& actual,
                                         const std::vector<std::string>& names, bool strict);
[[nodiscard]] std::vector<Check> compare(const GradientRun& expected, const GradientRun& actual,
                                         const std::vector<std::string>& names);
/// What of it the answer says.
[[nodiscard]] wire::Check wireCheck(const Check& check);

} // namespace dynascope::engine
