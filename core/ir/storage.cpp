// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/storage.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dynascope::ir {

namespace {

/// Ops that functionalization emits for writes; graphs that were never functional hardly have them.
constexpr std::array<std::string_view, 8> functionalForms{
    "_unsafe_index_put", "as_strided_scatter", "copy",           "diagonal_scatter",
    "index_copy",        "index_put",          "select_scatter", "slice_scatter"};

bool isFunctionalForm(const Node& node) {
    constexpr std::string_view aten = "torch.ops.aten.";
    std::string_view name = node.target;
    if (node.op != Op::CallFunction || !name.starts_with(aten)) return false;
    name.remove_prefix(aten.size());
    name = name.substr(0, name.find('.'));
    return std::find(functionalForms.begin(), functionalForms.end(), name) != functionalForms.end();
}

void addNodes(const Graph& graph, const Argument& argument, std::vector<NodeIndex>& to) {
    argument.forEachNode([&](const std::string& name) {
        if (const NodeIndex found = graph.find(name); found != npos) to.push_back(found);
    });
}

/// What a view shows or a write mutates: the first argument, else the one that methods call self.
std::vector<NodeIndex> bases(const Graph& graph, const Node& node) {
    std::vector<NodeIndex> out;
    if (!node.args.empty()) {
        addNodes(graph, node.args.front(), out);
        return out;
    }
    for (const auto& [key, value] : node.kwargs)
        if (key == "self" || key == "input") addNodes(graph, value, out);
    return out;
}

/// Parts of a tuple are tensors of their own, unless the op cuts one tensor into views (split, unbind).
bool isPartOfTuple(const Graph& graph, const Node& node, NodeIndex base) {
    if (!node.target.ends_with("getitem")) return false;
    const Node& whole = graph.node(base);
    const OpKind kind = opKind(whole);
    if (kind == OpKind::View) return false;
    if (kind == OpKind::HigherOrder) return true;
    // Where tensors are annotated, what is not is no tensor.
    return whole.meta ? !whole.meta->tensor : node.meta && node.meta->tensor;
}

} // namespace

std::vector<NodeIndex> valuesWritten(const Graph& graph, NodeIndex node) {
    const Node& of = graph.node(node);
    const OpKind kind = opKind(of);
    std::vector<NodeIndex> out;
    if (kind == OpKind::FunctionalWrite && isFunctionalForm(of)) return bases(graph, of);
    if (kind != OpKind::Write) return out;
    for (const auto& [key, value] : of.kwargs)
        if (key == "out" || (key.starts_with("out") && key.size() == 4)) addNodes(graph, value, out);
    return out.empty() ? bases(graph, of) : out;
}

std::vector<NodeIndex> storageRoots(const Graph& graph, FunctionalForms forms) {
    std::vector<NodeIndex> roots(graph.size());
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        roots[i] = i;
        const Node& node = graph.node(i);
        const OpKind kind = opKind(node);
        const bool isView = kind == OpKind::View;
        if (!isView && kind != OpKind::Write && kind != OpKind::FunctionalWrite) continue;
        if (kind == OpKind::FunctionalWrite && forms == FunctionalForms::NewStorage) continue;
        std::vector<NodeIndex> from = isView ? bases(graph, node) : valuesWritten(graph, i);
        if (isView && !node.args.empty() && !node.args.front().isNode()) from.clear(); // a list of tensors
        // A malformed graph may read what is made later.
        if (from.empty() || from.front() >= i) continue;
        if (!isView || !isPartOfTuple(graph, node, from.front())) roots[i] = roots[from.front()];
    }
    return roots;
}

std::optional<WriteBackCopy> writeBackCopy(const Graph& graph, NodeIndex node) {
    if (node >= graph.size()) return std::nullopt;
    const Node& copy = graph.node(node);
    const std::string_view target = copy.target;
    const bool copies =
        target.starts_with("torch.ops.aten.copy_.") || (copy.op == Op::CallMethod && target == "copy_");
    if (!copies || copy.args.size() < 2 || !copy.args.front().isNode()) return std::nullopt;
    const std::vector<NodeIndex> roots = storageRoots(graph, FunctionalForms::NewStorage);
    const auto isEpilogue = [&](NodeIndex i) { // writes an input, or is a view to write it through
        const OpKind kind = opKind(graph.node(i));
        return (kind == OpKind::Write || kind == OpKind::View) && graph.node(roots[i]).op == Op::Placeholder;
    };
    if (!isEpilogue(node)) return std::nullopt;
    bool ended = false;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const Node& other = graph.node(i);
        if (other.op != Op::CallFunction && other.op != Op::CallMethod) continue;
        const bool writes = opKind(other) == OpKind::Write;
        ended = ended || writes;
        if (ended && !isEpilogue(i)) return std::nullopt;
    }
    WriteBackCopy out;
    const NodeIndex to = graph.find(copy.args.front().text);
    out.input = roots[node];
    out.inPlace = to == out.input;
    if (copy.args[1].isNode()) out.value = graph.find(copy.args[1].text);
    return out;
}

WritesAround writesAround(const Graph& graph, NodeIndex node) {
    WritesAround out;
    if (node >= graph.size()) return out;
    const std::vector<NodeIndex> roots = storageRoots(graph);
    out.root = roots[node];
    if (out.root != node) out.previous = out.root;
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        const std::vector<NodeIndex> written = valuesWritten(graph, i);
        if (std::none_of(written.begin(), written.end(),
                         [&](NodeIndex value) { return value < i && roots[value] == out.root; }))
            continue;
        ++out.writes;
        if (i < node) out.previous = i;
        if (i > node && out.next == npos) out.next = i;
    }
    return out;
}

} // namespace dynascope::ir
