// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/describe.h"

#include "core/dynamo/graph_window.h"
#include "core/ir/meta.h"

#include <algorithm>
#include <utility>

namespace dynascope::dynamo {

namespace {

constexpr int deepestShown = 6;

/// "[2, 3]" as Python writes a tuple: "(2, 3)", "(2,)".
std::string tupleText(std::string_view sizes) {
    if (sizes.size() < 2) return "()";
    std::string out(sizes);
    out.front() = '(';
    out.back() = ')';
    if (out.size() > 2 && out.find(',') == std::string::npos) out.insert(out.size() - 1, ",");
    return out;
}

std::string describe(const Recording& recording, const State& state, ValueId id, int depth) {
    const ValueInfo value = recording.value(state, id);
    if (value.kind.empty()) return "?";
    std::string out(value.kind);
    const auto add = [&out](std::string_view text) {
        if (!text.empty()) out.append(" ").append(text);
    };
    if (value.field("realized") != nullptr) {
        if (value.number("realized") != 0 && depth < deepestShown)
            return describe(recording, state, value.value("inner"), depth + 1);
        add(value.text("source"));
        add(value.text("peek_type"));
        return out + ", not realized";
    }
    if (const std::string_view dtype = value.text("dtype"); !dtype.empty()) {
        add(std::string(dtype) + std::string(value.text("shape")));
        add(value.text("device"));
        if (value.number("requires_grad") != 0) add("requires_grad");
        if (const auto node = value.number("node"); node > 0 && node <= state.nodes.size())
            add(recording.text(state.nodes[node - 1].name));
    } else {
        add(value.text("value"));
        add(value.text("object"));
        add(value.text("name"));
        if (value.text("value").empty() && value.text("object").empty()) add(value.text("type"));
    }
    if (value.field("len") != nullptr) add("len " + std::to_string(value.number("len")));
    if (value.number("modified") != 0) add("modified");
    add(value.text("source"));
    if (const ValueId contents = value.value("contents"); contents != 0 && depth < deepestShown)
        out += " -> " + describe(recording, state, contents, depth + 1);
    return out;
}

std::string nodeLine(const NodeInfo& node, std::size_t users) {
    if (node.op == "output") return "    return " + node.arguments;
    std::string out = "    %" + std::string(node.name) + " : ";
    if (!node.type.empty()) out += std::string(node.type) + ' ';
    return out + "[num_users=" + std::to_string(users) + "] = " + std::string(node.op) +
           "[target=" + std::string(node.target) + ']' + node.arguments;
}

} // namespace

ValueInfo unwrapped(const Recording& recording, const State& state, ValueId id) {
    ValueInfo value = recording.value(state, id);
    for (int depth = 0; depth < deepestShown && value.number("realized") != 0; ++depth)
        value = recording.value(state, value.value("inner"));
    return value;
}

ValueId holderOf(const Recording& recording, const State& state, ValueId inner) {
    constexpr ValueId near = 8; // the recorder numbers an object and what it holds one soon after the other
    const ValueId last = static_cast<ValueId>(std::min<std::size_t>(state.values.size(), inner + near));
    for (ValueId id = inner > near ? inner - near : 1; inner != 0 && id <= last; ++id) {
        if (id == inner) continue;
        const ValueInfo value = recording.value(state, id);
        if (value.field("realized") == nullptr && value.value("inner") == inner) return id;
    }
    return 0;
}

std::string changedText(const Recording& recording, const State& state, ValueId id) {
    const ValueId holder = holderOf(recording, state, unwrapped(recording, state, id).id);
    std::string out = valueText(recording, state, id);
    return holder == 0 ? out : out + ", the items of " + valueText(recording, state, holder);
}

std::string valueText(const Recording& recording, const State& state, ValueId id) {
    return describe(recording, state, id, 0);
}

std::string comptimeText(const Recording& recording, const State& state, ValueId id) {
    const ValueInfo value = unwrapped(recording, state, id);
    if (const std::string_view dtype = value.text("dtype"); !dtype.empty()) {
        const std::string full = ir::fullDtype(dtype);
        return "Tensor(shape=" + tupleText(value.text("shape")) +
               ", dtype=" + (full.empty() ? std::string(dtype) : full) + ')';
    }
    if (value.kind == "ConstantVariable") return std::string(value.text("value"));
    if (value.field("index") != nullptr) {
        // A constant to Dynamo, and printed as one, as long as nothing was taken from it.
        const ValueInfo::Field* items = value.field("items");
        const bool constant = value.number("index") == 0 && items != nullptr &&
                              items->values.size() == value.number("len") &&
                              std::all_of(items->values.begin(), items->values.end(), [&](ValueId item) {
                                  return unwrapped(recording, state, item).kind == "ConstantVariable";
                              });
        return constant ? "<list_iterator object>"
                        : std::string(value.kind) + "(length=" + std::to_string(value.number("len")) +
                              ", index=" + std::to_string(value.number("index")) + ')';
    }
    const bool generator = value.kind.ends_with("GeneratorObjectVariable");
    return std::string(value.kind) + '(' + std::string(generator ? value.text("name") : "") + ')';
}

std::string graphText(const Recording& recording, const State& state) {
    return graphText(recording, state, state.graph);
}

std::vector<GraphLine> graphLines(const Recording& recording, const State& state,
                                  std::span<const std::uint32_t> ids) {
    std::vector<GraphLine> out;
    std::vector<std::uint32_t> users(state.nodes.size() + 1, 0), counted(state.nodes.size() + 1, 0);
    for (const std::uint32_t id : ids)
        for (const std::uint32_t input : recording.nodeInputs(state, id)) {
            // A node that is used twice by another one has one user more.
            if (std::exchange(counted[input], id) != id) ++users[input];
        }
    out.reserve(ids.size() + 1);
    for (const std::uint32_t id : ids) {
        const NodeInfo node = recording.node(state, id);
        out.push_back({id, nodeLine(node, users[id]), node.value});
    }
    return out;
}

std::vector<GraphLine> graphLines(const Recording& recording, const State& state, std::uint32_t graph) {
    std::vector<GraphLine> out = graphLines(recording, state, newestNodes(state, graph, 0).nodes);
    out.insert(out.begin(), {0, "graph():"});
    return out;
}

std::string graphText(const Recording& recording, const State& state, std::uint32_t graph) {
    std::string out;
    for (const GraphLine& line : graphLines(recording, state, graph))
        out += (out.empty() ? "" : "\n") + line.text;
    return out;
}

std::string guardText(const Recording& recording, const GuardState& guard) {
    std::string out(recording.text(guard.source));
    for (const TextId text : {guard.name, guard.create})
        if (text != 0) out.append(" ").append(recording.text(text));
    return out;
}

std::uint32_t lineOf(const Recording& recording, const FrameState& frame) {
    const Code* code = recording.code(frame.code);
    if (code == nullptr) return 0;
    const std::uint32_t line =
        frame.instruction < code->instructions.size() ? code->instructions[frame.instruction].line : 0;
    return line != 0 ? line : code->firstLine; // MAKE_CELL and its like have none
}

std::vector<const FrameState*> callStack(const State& state) {
    std::vector<const FrameState*> out;
    for (const FrameState* frame = state.frameState(state.frame); frame != nullptr;
         frame = state.frameState(frame->parent))
        out.push_back(frame);
    return out;
}

ValueId localNamed(const Recording& recording, const FrameState& frame, std::string_view name) {
    const TextId id = recording.idOf(name);
    for (const Local& local : frame.locals)
        if (id != 0 && local.name == id) return local.value;
    return 0;
}

ValueId cellContents(const Recording& recording, const State& state, ValueId cell) {
    return recording.value(state, cell).value("contents");
}

} // namespace dynascope::dynamo
