// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/fx_names.h"
#include "core/passes/partition/work.h"
#include "core/passes/rename_inputs.h"

#include "core/ir/operators.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::passes::partition {

using ir::Argument;
using ir::NodeIndex;

namespace {

/// One draw and its new names.
struct Replay {
    std::string run, state, value;  ///< of forward
    std::string placeholder, again; ///< of backward
};
using Replays = std::unordered_map<std::string, Replay>; ///< by the draw's old name

ir::Node call(std::string name, std::string_view target, std::vector<Argument> args, const ir::Node& like) {
    ir::Node out;
    out.name = std::move(name);
    out.target = target;
    out.args = std::move(args);
    out.stack = like.stack;
    return out;
}

/// The draw as an argument of a higher-order op, as FX prints an overload.
Argument overload(const ir::Node& draw) {
    return Argument::raw(ir::shortTarget(draw.target));
}

std::vector<Argument> followedBy(std::vector<Argument> first, const std::vector<Argument>& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

class Rewrite {
public:
    Rewrite(const ir::Graph& graph, const Replays& replays)
        : m_graph(graph)
        , m_replays(replays) {
        for (const std::string& name : graph.subgraphOrder())
            m_builder.addSubgraph(name, graph.subgraphs().find(name)->second);
    }

    ir::GraphPtr forward(const std::vector<std::string>& states, std::size_t symbols) {
        for (const ir::NodePtr& node : m_graph.nodes()) {
            const auto found = m_replays.find(node->name);
            if (found != m_replays.end()) {
                const Replay& replay = found->second;
                ir::Node run = call(replay.run, "torch.ops.higher_order.run_and_save_rng_state",
                                    followedBy({overload(*node)}, node->args), *node);
                run.kwargs = node->kwargs;
                add(std::move(run));
                const Argument pair = Argument::node(replay.run);
                add(call(replay.state, ir::getitemTarget, {pair, Argument::integer(0)}, *node));
                ir::Node value = call(replay.value, ir::getitemTarget, {pair, Argument::integer(1)}, *node);
                value.meta = node->meta;
                add(std::move(value));
                m_renamed[node->name] = replay.value;
            } else if (node->op == ir::Op::Output) {
                ir::Node output = *node;
                renameInputs(output, m_renamed);
                auto& items = output.args.front().items;
                for (const std::string& state : states)
                    items.insert(items.end() - static_cast<std::ptrdiff_t>(symbols), Argument::node(state));
                m_builder.add(std::move(output));
            } else {
                m_builder.add(withInputsRenamed(node, m_renamed));
            }
        }
        return m_builder.build();
    }

    ir::GraphPtr backward(const std::vector<std::string>& placeholders) {
        bool placed = false;
        for (const ir::NodePtr& node : m_graph.nodes()) {
            const bool tangent =
                node->op == ir::Op::Placeholder && node->name.find("tangent") != std::string::npos;
            if (!placed && (tangent || node->op != ir::Op::Placeholder)) {
                for (const std::string& name : placeholders) {
                    ir::Node placeholder;
                    placeholder.name = placeholder.target = name;
                    placeholder.op = ir::Op::Placeholder;
                    m_builder.add(std::move(placeholder));
                }
                placed = true;
            }
            const auto found = m_replays.find(node->name);
            if (found == m_replays.end()) {
                m_builder.add(withInputsRenamed(node, m_renamed));
                continue;
            }
            const Replay& replay = found->second;
            ir::Node again =
                call(replay.again, "torch.ops.higher_order.run_with_rng_state",
                     followedBy({Argument::node(replay.placeholder), overload(*node)}, node->args), *node);
            again.kwargs = node->kwargs;
            again.meta = node->meta;
            add(std::move(again));
            m_renamed[node->name] = replay.again;
        }
        return m_builder.build();
    }

private:
    void add(ir::Node node) {
        renameInputs(node, m_renamed);
        m_builder.add(std::move(node));
    }

    const ir::Graph& m_graph;
    const Replays& m_replays;
    NewNames m_renamed;
    ir::GraphBuilder m_builder;
};

FxNames namesOf(const Work& work, const Module& module) {
    FxNames out;
    for (const NodeIndex i : module.nodes)
        (void)out.create(work.node(i).name);
    return out;
}

} // namespace

std::vector<std::string> replayRandomState(const Work& work, Split& split) {
    Replays replays;
    std::vector<std::string> states, placeholders;
    if (std::none_of(work.facts.begin(), work.facts.end(),
                     [](const NodeFacts& facts) { return facts.recomputed() && facts.seededRandom; }))
        return states;
    FxNames forwardNames = namesOf(work, split.forward), backwardNames = namesOf(work, split.backward);
    for (NodeIndex i = 0; i < work.facts.size(); ++i) {
        const std::string& name = work.node(i).name;
        if (!work.facts[i].recomputed() || !work.facts[i].seededRandom ||
            split.forward.graph->find(name) == ir::npos || split.backward.graph->find(name) == ir::npos)
            continue;
        Replay replay;
        replay.run = forwardNames.create("run_and_save_rng_state");
        replay.state = forwardNames.create("getitem");
        replay.value = forwardNames.create("getitem");
        replay.placeholder = "rng_state_output_" + std::to_string(states.size());
        replay.again = backwardNames.create("run_with_rng_state");
        states.push_back(replay.state);
        placeholders.push_back(replay.placeholder);
        replays.emplace(name, std::move(replay));
    }
    if (states.empty()) return states;
    split.forward.graph = Rewrite(*split.forward.graph, replays).forward(states, split.symbols.size());
    split.backward.graph = Rewrite(*split.backward.graph, replays).backward(placeholders);
    return states;
}

} // namespace dynascope::passes::partition
