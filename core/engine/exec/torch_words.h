// SPDX-License-Identifier: BSD-3-Clause
//
// PyTorch's enumerations and scalars as graph text spells them, both ways.
#pragma once

#include "core/ir/argument.h"
#include "core/ir/meta.h"

#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::engine {

/// "float32" for kFloat; c10's own name for dtypes that Python does not have.
[[nodiscard]] std::string dtypeName(c10::ScalarType type);
/// Takes "float32", "torch.float32" and aliases such as "torch.float".
[[nodiscard]] std::optional<c10::ScalarType> dtypeFromName(std::string_view name);
/// Takes print_readable's short form, such as "f32".
[[nodiscard]] std::optional<c10::ScalarType> dtypeFromShortName(std::string_view name);

/// A dtype, layout, memory format, device, number, string or None; nothing for any other argument, a device
/// other than "cpu", or a number out of range. Every device name becomes the CPU: graphs from elsewhere run
/// here.
[[nodiscard]] std::optional<c10::IValue> constantFrom(const ir::Argument& argument);

/// The reverse, for a value without tensors. `type` is the argument's declared type: it tells a dtype from an
/// integer. Nothing for values that graph text cannot hold.
[[nodiscard]] std::optional<ir::Argument> argumentFrom(const c10::IValue& value, const c10::Type& type);

/// Dtype, sizes and strides as an annotation shows them.
[[nodiscard]] ir::TensorMeta tensorMeta(const at::Tensor& tensor, std::string device = "cpu");

} // namespace dynascope::engine
