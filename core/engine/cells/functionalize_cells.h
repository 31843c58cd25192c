// SPDX-License-Identifier: BSD-3-Clause
//
// Functionalization over cells, for programs on which PyTorch's own parts from eager (deviations.h): inputs
// that share memory, as_strided on rearranged values, geometry changed in place, set_, windows with gaps. A
// storage is one flat value; each view is read as as_strided of it, and each write is put back by
// as_strided_scatter. Eager runs in lock step and says which tensor lies where, so nothing about aliases is
// assumed. Operators are still made functional one by one by PyTorch's kernels.
#pragma once

#include "core/engine/functionalize/functionalize.h"

namespace dynascope::engine {

/// As functionalize(), but right for inputs that alias each other. `inputs` are left alone. The error is
/// eager's, or names what has no functional form.
[[nodiscard]] tl::expected<Functionalized, RunError>
functionalizeCells(const Program& program, const std::vector<c10::IValue>& inputs,
                   const Attributes& attributes, const FunctionalizeOptions& options,
                   const TaskContext& task = {});

} // namespace dynascope::engine
