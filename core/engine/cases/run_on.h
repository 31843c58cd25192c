// SPDX-License-Identifier: BSD-3-Clause
//
// What a graph is to run on, from where a user has it: a file of inputs, an oracle case that was opened, or
// values made in the shapes that a capture or the graph's own text describes.
#pragma once

#include "core/engine/cases/graph_inputs.h"
#include "core/engine/wire/wire.h"

#include <string>

namespace dynascope::engine {

/// Of a whole oracle case, of its `inputs` with `before_attrs` beside them, or of the inputs alone
/// (docs/inputs.md). `path` begins errors.
[[nodiscard]] Result<wire::RunOn> runOnOfText(const std::string& text, const std::string& path);

/// A compile that was read from an oracle case brings its own values; else those of graph_inputs.h, of the
/// capture where `compile` is given.
[[nodiscard]] Result<wire::RunOn> runOnOfGraph(const session::Compile* compile, const ir::Graph& graph,
                                               const GraphInputOptions& options = {});

} // namespace dynascope::engine
