// SPDX-License-Identifier: BSD-3-Clause
//
// Loads pass plugins (plugins/dynascope_plugin.h).
#pragma once

#include "core/engine/wire/methods.h"
#include "core/passes/registry.h"

#include <string>
#include <vector>

namespace dynascope::engine {

/// The installation's plugin folder and the user's. Nothing else is searched, no matter what a session says.
[[nodiscard]] std::vector<std::string> pluginFolders();

/// A plugin that was found, whether it could be loaded or not.
struct PluginReport {
    std::string path;
    std::string owner;                 ///< a user's name, or number; empty where the file cannot be looked at
    std::string torch;                 ///< PyTorch that it is built for; empty: any
    std::vector<std::string> passes;   ///< that it brought
    std::vector<std::string> problems; ///< why it, or a pass of it, was not added
};

/// Adds the passes of every *.so in `folder`, in order of their names; a folder that does not exist has none.
/// A plugin runs as this process: file and folder belong to the user or to root, and nobody else can write
/// them. Gives what was found, in that order; a folder that is not trusted is one report. Plugins stay loaded
/// as long as their passes live.
[[nodiscard]] std::vector<PluginReport> loadPlugins(const std::string& folder, passes::Registry& registry);

/// The answer of the method "plugins" (protocol.h).
[[nodiscard]] wire::PluginsReply pluginList(std::vector<std::string> folders,
                                            const std::vector<PluginReport>& plugins);

} // namespace dynascope::engine
