// SPDX-License-Identifier: BSD-3-Clause
//
// PyTorch's pass between tracing and splitting a joint graph (torch/fx/passes/_tensorify_python_scalars.py):
// operators that read a symbolic float read a tensor instead, computed from the tensors that the float was
// read out of and from sizes.
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"
#include "core/ir/symbol_number.h"

namespace dynascope::passes::aot {

/// The graph as PyTorch's pass leaves it, with names as it gives them. Needs the values of nodes described:
/// "Sym(zf3)", "f32[s77][1]cpu". What else reads a float that comes of inputs alone gets its value at the
/// captured ones, `floats`. Fails, naming the node, where there is none, or an expression is none that this
/// file knows as PyTorch takes it apart.
[[nodiscard]] Result<ir::GraphPtr> tensorifyScalars(const ir::Graph& joint,
                                                    const ir::FloatSymbolValues& floats);

} // namespace dynascope::passes::aot
