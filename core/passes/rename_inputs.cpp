// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/rename_inputs.h"

namespace dynascope::passes {

bool renameInputs(ir::Argument& argument, const NewNames& names) {
    bool changed = false;
    if (argument.isNode()) {
        if (const auto found = names.find(argument.text); found != names.end()) {
            argument.text = found->second;
            changed = true;
        }
    }
    for (ir::Argument& item : argument.items)
        changed |= renameInputs(item, names);
    return changed;
}

bool renameInputs(ir::Node& node, const NewNames& names) {
    bool changed = false;
    for (ir::Argument& argument : node.args)
        changed |= renameInputs(argument, names);
    for (auto& [key, argument] : node.kwargs)
        changed |= renameInputs(argument, names);
    return changed;
}

ir::NodePtr withInputsRenamed(const ir::NodePtr& node, const NewNames& names) {
    bool reads = false;
    node->forEachInput([&](const std::string& name) { reads |= names.contains(name); });
    if (!reads) return node;
    ir::Node copy = *node;
    renameInputs(copy, names);
    return std::make_shared<const ir::Node>(std::move(copy));
}

} // namespace dynascope::passes
