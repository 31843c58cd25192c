// SPDX-License-Identifier: BSD-3-Clause
//
// Inputs of a case, moved onto memory that they share. Free of LibTorch.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::engine {

struct InputVariant {
    std::string name; ///< "as given", "one storage", "overlapping", "one tensor twice"
    nlohmann::json inputs;
};

/// The inputs as they are, and what of these there is: inputs of one dtype side by side on one storage, so
/// that they overlap, and the same tensor given twice. Values of cells are kept where a cell has one owner.
[[nodiscard]] std::vector<InputVariant> inputVariants(const nlohmann::json& inputs);

} // namespace dynascope::engine
