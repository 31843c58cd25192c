// SPDX-License-Identifier: BSD-3-Clause
//
// Loads pass plugins (plugins/dynascope_plugin.h).
#pragma once

#include "core/passes/registry.h"

#include <string>
#include <vector>

namespace dynascope::engine {

/// The installation's plugin folder and the user's. Nothing else is searched, no matter what a session says.
[[nodiscard]] std::vector<std::string> pluginFolders();

/// Adds the passes of every *.so in `folder`, in order of their names; a folder that does not exist has none.
/// A plugin runs as this process: file and folder belong to the user or to root, and nobody else can write
/// them. Gives one line for each plugin or pass that could not be added: path, then cause. Plugins stay
/// loaded as long as their passes live.
[[nodiscard]] std::vector<std::string> loadPlugins(const std::string& folder, passes::Registry& registry);

} // namespace dynascope::engine
