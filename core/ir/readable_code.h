// SPDX-License-Identifier: BSD-3-Clause
//
// The right side of a statement of readable code. Internal to the printers.
#pragma once

#include "core/ir/text.h"

#include <string>

namespace dynascope::ir {

/// `: "f32[4][1]cpu"`, ` : torch.Tensor` or nothing.
void appendAnnotation(std::string& out, const Node& node, const ReadableOptions& options);
/// The whole statement of a node that computes something, without its clears.
void appendStatement(std::string& out, const Node& node, const ReadableOptions& options);
/// "self" and "layers.0" -> `getattr(self.layers, "0")`.
[[nodiscard]] std::string attributePath(std::string base, std::string_view target);

} // namespace dynascope::ir
