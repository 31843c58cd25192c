// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/ir/node.h"

#include <string>
#include <unordered_map>

namespace dynascope::passes {

/// Node names by what they are now called.
using NewNames = std::unordered_map<std::string, std::string>;

/// Renames what the node reads; false if it reads none of them.
bool renameInputs(ir::Node& node, const NewNames& names);
/// The same for one argument.
bool renameInputs(ir::Argument& argument, const NewNames& names);

/// The node itself where it reads none of them, else a copy that reads the new names.
[[nodiscard]] ir::NodePtr withInputsRenamed(const ir::NodePtr& node, const NewNames& names);

} // namespace dynascope::passes
