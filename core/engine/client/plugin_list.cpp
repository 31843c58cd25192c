// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/plugin_list.h"

#include <string_view>

namespace dynascope::engine {

namespace {

using nlohmann::json;

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? std::string() : std::string(between)) + part;
    return out;
}

PluginEntry entry(const json& said, PluginEntry::Kind kind) {
    PluginEntry out;
    out.kind = kind;
    out.path = said.at("path").get<std::string>();
    out.name = said.at("name").get<std::string>();
    out.owner = said.value("owner", std::string());
    out.torch = said.value("torch", std::string());
    out.passes = said.value("passes", std::vector<std::string>());
    out.loaded = said.at("loaded").get<bool>();
    out.problems = said.at("problems").get<std::vector<std::string>>();
    return out;
}

} // namespace

Result<PluginList> readPluginList(const json& answer) {
    PluginList out;
    try {
        out.folders = answer.at("folders").get<std::vector<std::string>>();
        for (const json& plugin : answer.at("plugins"))
            out.plugins.push_back(entry(plugin, PluginEntry::Kind::Passes));
        for (const json& backend : answer.at("backends"))
            out.plugins.push_back(entry(backend, PluginEntry::Kind::Backend));
    } catch (const json::exception& error) {
        return failure(std::string("the engine's list of plugins cannot be read: ") + error.what());
    }
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
