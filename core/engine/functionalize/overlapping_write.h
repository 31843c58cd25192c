// SPDX-License-Identifier: BSD-3-Clause
//
// Writes into tensors whose elements share cells. Eager lets some through and makes them element by element,
// so that a cell is written as often as it is seen.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <cstddef>
#include <optional>
#include <vector>

namespace dynascope::engine {

/// Position of the one argument that the operator writes, if it does so element by element: that of add_, or
/// `out` of add.
[[nodiscard]] std::optional<std::size_t> writtenPointwise(const c10::OperatorHandle& op);

/// Whether elements of the tensor share cells; false where there are too many to tell.
[[nodiscard]] bool overlapsItself(const at::Tensor& tensor);

/// Cuts a pointwise write into parts that do not overlap themselves, in the order in which eager's
/// TensorIterator comes by them. `operands` are the written tensor and then the others, broadcast to it where
/// they have dimensions; each part has a view of each of them. One whole part where there would be too many,
/// as with fill_ of a large expanded tensor: which write of a cell comes last is then lost.
[[nodiscard]] std::vector<std::vector<at::Tensor>> partsInOrder(const std::vector<at::Tensor>& operands);

} // namespace dynascope::engine
