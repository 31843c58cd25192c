// SPDX-License-Identifier: BSD-3-Clause
//
// What an engine says of its plugins, as a list and as text.
#pragma once

#include "core/engine/wire/methods.h"

#include <string>
#include <vector>

namespace dynascope::engine {

/// A file that was found in a plugin folder, a folder that was refused, or a backend module of the engine's
/// own.
struct PluginEntry {
    enum class Kind : unsigned char { Passes, Backend } kind = Kind::Passes;
    std::string path, name;
    std::string owner;               ///< user of the file; empty where not known, as for backends
    std::string torch;               ///< PyTorch that it is built for; empty: any
    std::vector<std::string> passes; ///< that it brought
    bool loaded = false;
    std::vector<std::string> problems; ///< why it, or a part of it, is not loaded
};

struct PluginList {
    std::vector<std::string> folders; ///< that were searched, in order
    std::vector<PluginEntry> plugins; ///< in order of the search, backends last
};

[[nodiscard]] PluginList pluginListOf(const wire::PluginsReply& reply);

/// "passes", "backend".
[[nodiscard]] std::string_view kindName(PluginEntry::Kind kind);
/// "loaded: polish", "loaded in part: ...", "not loaded: it belongs to another user".
[[nodiscard]] std::string stateWords(const PluginEntry& plugin);
/// A line each with path and state, the folders below where there is none; to be copied.
[[nodiscard]] std::string pluginText(const PluginList& list);

} // namespace dynascope::engine
