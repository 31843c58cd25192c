// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/joined_parts.h"

#include "core/ir/text.h"
#include "core/passes/rename_inputs.h"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::passes::partition {

namespace {

using ir::Argument;
using ir::NodePtr;
using ir::Op;

/// What a graph gives back; nothing where it ends otherwise.
std::span<const Argument> resultsOf(const ir::Graph& graph) {
    if (graph.size() == 0 || graph.nodes().back()->op != Op::Output || graph.nodes().back()->args.empty())
        return {};
    return graph.nodes().back()->args.front().items;
}

class Joined {
public:
    explicit Joined(const ir::Graph& joint) {
        m_builder.setName(joint.name()).setStyle(joint.style());
        for (const NodePtr& node : joint.nodes())
            if (node->op == Op::Placeholder) add(node);
        m_inputs = m_names;
    }

    Result<void> addForward(const ir::Graph& forward) {
        for (const NodePtr& node : forward.nodes()) {
            if (node->op == Op::Placeholder && !m_inputs.contains(node->name))
                return failure("forward takes '" + node->name + "', which the joint graph does not take");
            if (node->op != Op::Placeholder && node->op != Op::Output) add(node);
        }
        return addSubgraphs(forward);
    }

    /// `saved`: what forward gives back.
    Result<void> addBackward(const ir::Graph& backward, const std::set<std::string_view>& saved) {
        for (const NodePtr& node : backward.nodes()) {
            if (node->op == Op::Output) continue;
            if (node->op == Op::Placeholder) {
                // A primal that forward gives back is the primal.
                if (!m_inputs.contains(node->name) && !saved.contains(node->name))
                    return failure("backward reads '" + node->name + "', which forward does not give back");
                continue;
            }
            ir::Node copy = *withInputsRenamed(node, m_renamed);
            if (m_names.contains(copy.name)) m_renamed[node->name] = copy.name = freeName(copy.name);
            add(std::make_shared<const ir::Node>(std::move(copy)));
        }
        return addSubgraphs(backward);
    }

    [[nodiscard]] Argument inBackward(Argument result) const {
        renameInputs(result, m_renamed);
        return result;
    }

    ir::GraphPtr finish(ir::Node output) {
        m_builder.add(std::move(output));
        return m_builder.build();
    }

private:
    void add(const NodePtr& node) {
        m_names.insert(node->name);
        m_builder.add(node);
    }

    [[nodiscard]] std::string freeName(const std::string& name) const {
        std::string out = name + "_backward";
        for (int n = 1; m_names.contains(out); ++n)
            out = name + "_backward_" + std::to_string(n);
        return out;
    }

    Result<void> addSubgraphs(const ir::Graph& graph) {
        for (const std::string& name : graph.subgraphOrder()) {
            const ir::GraphPtr& inner = graph.subgraphs().find(name)->second;
            const auto [known, fresh] = m_subgraphs.emplace(name, ir::printReadable(*inner).text);
            if (fresh)
                m_builder.addSubgraph(name, inner);
            else if (known->second != ir::printReadable(*inner).text)
                return failure("forward and backward each have a graph '" + name + "', which differ");
        }
        return {};
    }

    ir::GraphBuilder m_builder;
    std::set<std::string> m_names, m_inputs;
    std::map<std::string, std::string> m_subgraphs; ///< texts
    NewNames m_renamed;
};

} // namespace

Result<ir::GraphPtr> joinedParts(const ir::Graph& joint, const ir::Graph& forward,
                                 const ir::Graph& backward) {
    const auto wanted = resultsOf(joint), given = resultsOf(forward), gradients = resultsOf(backward);
    if (wanted.size() < gradients.size() || given.size() < wanted.size() - gradients.size())
        return failure("forward and backward do not give back as much as the joint graph");
    const std::size_t own =
        wanted.size() - gradients.size(); // results of the program; values for backward follow
    std::set<std::string_view> saved;
    for (const Argument& value : given)
        if (value.isNode()) saved.insert(value.text);
    Joined out(joint);
    if (const auto added = out.addForward(forward); !added) return tl::unexpected(added.error());
    if (const auto added = out.addBackward(backward, saved); !added) return tl::unexpected(added.error());
    ir::Node output = *joint.nodes().back();
    std::vector<Argument>& results = output.args.front().items;
    for (std::size_t i = 0; i < results.size(); ++i)
        results[i] = i < own ? given[i] : out.inBackward(gradients[i - own]);
    return out.finish(std::move(output));
}

} // namespace dynascope::passes::partition
