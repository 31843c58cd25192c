// SPDX-License-Identifier: BSD-3-Clause
//
// The class of each block that is a module.
#pragma once

#include "core/layout/fold.h"

#include <functional>
#include <map>

namespace dynascope::layout {

/// Class names by the qualified name of the module, as session::moduleClasses() has them: "model.layers.0" is a
/// "LlamaDecoderLayer".
using ModuleClasses = std::map<std::string, std::string, std::less<>>;

/// What the notes of an exported graph say: "module layers.0.self_attn (MultiheadAttention)".
[[nodiscard]] ModuleClasses recordedClasses(const ir::Graph& graph);

/// Fills Group::className of the blocks whose module `classes` knows. A module that was cut into several blocks is of
/// one class in all of them.
void nameClasses(GroupTree& tree, const ModuleClasses& classes);

/// The class of the `count` blocks of a run that begins with `first`; empty where they differ in it.
[[nodiscard]] std::string classOfRun(const GroupTree& tree, GroupId first, std::size_t count);

} // namespace dynascope::layout
