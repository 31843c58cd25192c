// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/operators.h"
#include "core/passes/fx_names.h"
#include "core/passes/hooks/saved_tensors_hooks.h"
#include "core/passes/rename_inputs.h"

#include <algorithm>

namespace dynascope::passes::hooks {

namespace {

using ir::Argument;
using ir::NodeIndex;
using ir::Op;

void appendLeaves(const Argument& argument, std::vector<Argument>& out) {
    using Kind = Argument::Kind;
    if (argument.kind == Kind::List || argument.kind == Kind::Tuple) {
        for (const Argument& item : argument.items)
            appendLeaves(item, out);
    } else if (argument.kind != Kind::None) {
        out.push_back(argument); // as pytree, which counts None as no leaf
    }
}

} // namespace

std::vector<std::string> placeholderNames(const ir::Graph& graph) {
    std::vector<std::string> out;
    for (const ir::NodePtr& node : graph.nodes())
        if (node->op == Op::Placeholder) out.push_back(node->name);
    return out;
}

std::vector<Argument> resultLeaves(const ir::Graph& graph) {
    std::vector<Argument> out;
    if (graph.size() == 0 || graph.nodes().back()->op != Op::Output) return out;
    for (const Argument& argument : graph.nodes().back()->args)
        appendLeaves(argument, out);
    return out;
}

Result<ir::GraphPtr> withTupleTakenApart(const ir::GraphPtr& unpack, std::size_t count) {
    const std::vector<std::string> inputs = placeholderNames(*unpack);
    if (inputs.size() != 1) return failure("an unpack hook takes one value");
    const NodeIndex input = unpack->find(inputs.front());
    const auto users = unpack->users(input);
    const bool apart = !users.empty() && std::all_of(users.begin(), users.end(), [&](NodeIndex user) {
        return unpack->node(user).target == ir::getitemTarget;
    });
    if (!apart) {
        if (count == 1) return unpack;
        return failure("the unpack hook does not take its tuple apart");
    }
    ir::GraphBuilder builder;
    FxNames names;
    for (const ir::NodePtr& node : unpack->nodes())
        (void)names.create(node->name);
    std::vector<std::string> items;
    NewNames renamed;
    for (NodeIndex i = 0; i < unpack->size(); ++i) {
        const ir::NodePtr& node = unpack->nodes()[i];
        if (i == input) {
            for (std::size_t item = 0; item < count; ++item) {
                ir::Node placeholder = *node;
                placeholder.name = placeholder.target = names.create(node->name);
                items.push_back(placeholder.name);
                builder.add(std::move(placeholder));
            }
        } else if (std::find(users.begin(), users.end(), i) != users.end()) {
            const auto index = node->args.size() == 2 ? node->args[1].asInt() : std::nullopt;
            if (!index || *index < 0 || static_cast<std::size_t>(*index) >= count)
                return failure("the unpack hook reads an item that the pack hook does not return");
            renamed[node->name] = items[static_cast<std::size_t>(*index)];
        } else {
            builder.add(withInputsRenamed(node, renamed));
        }
    }
    return builder.build();
}

} // namespace dynascope::passes::hooks
