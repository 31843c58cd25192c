// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/module_classes.h"

#include <algorithm>

namespace dynascope::layout {

namespace {

/// "layers.0" of "layers.0 (2)", the second block of that module.
std::string_view withoutNumber(std::string_view name) {
    const std::size_t open = name.rfind(" (");
    return open == std::string_view::npos || !name.ends_with(')') ? name : name.substr(0, open);
}

} // namespace

ModuleClasses recordedClasses(const ir::Graph& graph) {
    ModuleClasses out;
    for (const ir::NodePtr& node : graph.nodes()) {
        constexpr std::string_view before = "module ";
        std::string_view note = node->note;
        if (!note.starts_with(before) || !note.ends_with(')')) continue;
        note.remove_prefix(before.size());
        const std::size_t open = note.rfind(" (");
        if (open == std::string_view::npos) continue;
        out.try_emplace(std::string(note.substr(0, open)), note.substr(open + 2, note.size() - open - 3));
    }
    return out;
}

void nameClasses(GroupTree& tree, const ModuleClasses& classes) {
    if (classes.empty()) return;
    // Children have larger ids than their parents.
    std::vector<std::string> modules(tree.groups.size());
    for (std::size_t id = 1; id < tree.groups.size(); ++id) {
        Group& group = tree.groups[id];
        const std::string& above = modules[group.parent];
        if (group.kind != Group::Kind::Module) {
            modules[id] = above;
            continue;
        }
        const std::string name(withoutNumber(group.name));
        // The halves of a joint graph are no modules.
        if (group.parent == 0 && (name == "forward" || name == "backward") && !classes.contains(name))
            continue;
        modules[id] = above.empty() ? name : above + '.' + name;
        if (const auto known = classes.find(modules[id]); known != classes.end())
            group.className = known->second;
    }
}

std::string classOfRun(const GroupTree& tree, GroupId first, std::size_t count) {
    const Group& group = tree.groups[first];
    if (group.parent == noGroup || group.className.empty()) return group.className;
    std::size_t seen = 0;
    for (const GroupId id : tree.groups[group.parent].children) {
        const Group& member = tree.groups[id];
        if (member.alike != group.alike || group.alike == noGroup) continue;
        if (member.className != group.className) return {};
        if (++seen == count) break;
    }
    return group.className;
}

} // namespace dynascope::layout
