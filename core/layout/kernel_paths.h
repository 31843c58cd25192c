// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels as blocks among modules. Internal to core/layout.
#pragma once

#include "core/layout/fold.h"
#include "core/layout/module_paths.h"

#include <vector>

namespace dynascope::layout {

/// Gives the calls of each kernel a place of their own in the innermost module that holds them all. Calls that
/// several kernels compute stay where they are, and so does a kernel of one call. Linear in the graph and in the
/// kernels' nodes but for the depth of modules. Joint graphs, of which nothing is generated, stay as they are.
void placeKernels(const ir::Graph& graph, const std::vector<KernelBlock>& kernels, ModulePaths& paths);

} // namespace dynascope::layout
