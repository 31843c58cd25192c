// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/input_mutations.h"

#include "core/replay/written_arguments.h"

#include <map>
#include <string_view>

namespace dynascope::replay {

namespace {

class Search {
public:
    explicit Search(const ReplayGraphFacts& facts)
        : m_facts(facts)
        , m_graph(*facts.graph) {}

    InputMutations run() {
        for (ir::NodeIndex i = 0; i < m_graph.size(); ++i) {
            const ir::Node& node = m_graph.node(i);
            if (node.op == ir::Op::Placeholder)
                addPlaceholder(i);
            else if (node.op == ir::Op::CallFunction)
                visit(i);
        }
        return std::move(m_out);
    }

private:
    void addPlaceholder(ir::NodeIndex i) {
        const ReplayNodeFacts& facts = m_facts.nodes[i];
        if (!facts.known) raise("KeyError", "'fake_result'");
        if (facts.tensor) m_inputsOf[facts.storage].push_back(m_next);
        ++m_next;
    }

    void visit(ir::NodeIndex i) {
        const WrittenArguments written = writtenArguments(m_graph.node(i));
        for (const ir::Argument* argument : written.marked) {
            if (argument->isNode())
                write(i, argument->text, true);
            else
                eachElement(i, *argument, true);
        }
        for (const ir::Argument* argument : written.unmarked)
            eachElement(i, *argument, false);
    }

    /// PyTorch asks the list itself for its value; every tensor in it is written.
    void eachElement(ir::NodeIndex i, const ir::Argument& argument, bool marked) {
        if (marked &&
            (argument.kind == ir::Argument::Kind::List || argument.kind == ir::Argument::Kind::Tuple))
            raise("AttributeError", argument.kind == ir::Argument::Kind::List
                                        ? "'immutable_list' object has no attribute 'meta'"
                                        : "'tuple' object has no attribute 'meta'");
        argument.forEachNode([&](const std::string& name) { write(i, name, marked); });
    }

    void write(ir::NodeIndex writer, std::string_view name, bool marked) {
        const ir::NodeIndex written = m_graph.find(name);
        if (written == ir::npos) return;
        const ReplayNodeFacts& facts = m_facts.nodes[written];
        if (marked && !facts.known) raise("KeyError", "'fake_result'");
        const auto inputs = m_inputsOf.find(facts.storage);
        if (facts.storage < 0 || inputs == m_inputsOf.end()) return;
        for (const std::size_t input : inputs->second) {
            if (marked) m_out.inputs.insert(input);
            m_out.writes.push_back({input, writer, written, marked});
        }
    }

    void raise(std::string type, std::string message) {
        if (!m_out.error) m_out.error = RaisedError{std::move(type), std::move(message)};
    }

    const ReplayGraphFacts& m_facts;
    const ir::Graph& m_graph;
    std::map<int, std::vector<std::size_t>> m_inputsOf; ///< by storage
    std::size_t m_next = 0;
    InputMutations m_out;
};

bool isCopy(const ir::Node& node) {
    return ir::shortTarget(node.target) == "aten.copy_.default";
}

} // namespace

InputMutations findInputMutations(const ReplayGraphFacts& facts) {
    return Search(facts).run();
}

namespace {

/// Of a copy_ among several users of an input. PyTorch takes the first by when a node came to use the input. A text has
/// not that order; a copy_ into the input is older than those from it, of which Inductor makes writes in place late.
std::string copyTrace(const ir::Graph& graph, std::span<const ir::NodeIndex> users, std::string_view input) {
    std::string first;
    for (const ir::NodeIndex user : users) {
        const ir::Node& node = graph.node(user);
        if (!isCopy(node)) continue;
        std::string trace = stackText(node);
        if (trace.empty()) continue;
        if (!node.args.empty() && node.args.front().isNode() && node.args.front().text == input) return trace;
        if (first.empty()) first = std::move(trace);
    }
    return first;
}

} // namespace

std::vector<PlaceholderInfo> placeholdersOf(const ir::Graph& graph) {
    std::vector<PlaceholderInfo> out;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        if (graph.node(i).op != ir::Op::Placeholder) continue;
        PlaceholderInfo info{graph.node(i).name, stackText(graph.node(i)), {}, {}};
        const std::span<const ir::NodeIndex> users = graph.users(i);
        for (const ir::NodeIndex user : users)
            info.useTraces.push_back(stackText(graph.node(user)));
        info.mutatingUse = users.size() == 1 ? info.useTraces.front() : copyTrace(graph, users, info.name);
        out.push_back(std::move(info));
    }
    return out;
}

} // namespace dynascope::replay
