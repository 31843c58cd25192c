// SPDX-License-Identifier: BSD-3-Clause
//
// Which of torch's own Python functions AOTAutograd's cache takes for safe.
#pragma once

#include <string_view>

namespace dynascope::dynamo {

/// By __module__ and __name__, as PyTorch 2.13 asks: the public functions of torch.functional and
/// torch.nn.functional, and those of Dynamo's list of functions that it puts into a graph.
[[nodiscard]] bool isCacheableTorchFunction(std::string_view module, std::string_view name);

} // namespace dynascope::dynamo
