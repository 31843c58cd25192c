// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/plugin_list.h"

#include "core/base/text.h"

#include <string_view>

namespace dynascope::engine {

PluginList pluginListOf(const wire::PluginsReply& reply) {
    PluginList out;
    out.folders = reply.folders;
    for (const wire::PluginInfo& plugin : reply.plugins)
        out.plugins.push_back({PluginEntry::Kind::Passes, plugin.path, plugin.name, plugin.owner,
                               plugin.torch, plugin.passes, plugin.loaded, plugin.problems});
    for (const wire::BackendInfo& backend : reply.backends)
        out.plugins.push_back({PluginEntry::Kind::Backend,
                               backend.path,
                               backend.name,
                               {},
                               {},
                               {},
                               backend.loaded,
                               backend.problems});
    return out;
}

std::string_view kindName(PluginEntry::Kind kind) {
    return kind == PluginEntry::Kind::Passes ? "passes" : "backend";
}

std::string stateWords(const PluginEntry& plugin) {
    std::string problems = joined(plugin.problems, "; ");
    constexpr std::string_view said = "is not loaded: ";
    if (problems.starts_with(said)) problems.erase(0, said.size());
    if (!plugin.loaded) return problems.empty() ? "not loaded: it brings no pass" : "not loaded: " + problems;
    const std::string brings = plugin.passes.empty() ? std::string() : ": " + joined(plugin.passes, ", ");
    if (problems.empty()) return "loaded" + brings;
    return "loaded in part" + brings + "; " + problems;
}

std::string pluginText(const PluginList& list) {
    std::string out;
    bool found = false;
    for (const PluginEntry& plugin : list.plugins) {
        found = found || plugin.kind == PluginEntry::Kind::Passes;
        std::string facts(kindName(plugin.kind));
        if (!plugin.owner.empty()) facts += ", of " + plugin.owner;
        if (!plugin.torch.empty()) facts += ", built for PyTorch " + plugin.torch;
        out += plugin.path + " (" + facts + "): " + stateWords(plugin) + '\n';
    }
    if (!found)
        out += "no plugin in " + (list.folders.empty() ? "any folder" : joined(list.folders, ", ")) + '\n';
    return out;
}

} // namespace dynascope::engine
