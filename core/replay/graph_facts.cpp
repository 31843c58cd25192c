// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/graph_facts.h"

#include "core/base/text.h"
#include "core/ir/storage.h"
#include "core/replay/written_arguments.h"

#include <algorithm>
#include <cctype>

namespace dynascope::replay {

namespace {

/// Calls `fn` for each identifier of an expression until it returns true.
template <typename Fn>
bool anyIdentifier(std::string_view expression, Fn&& fn) {
    for (std::size_t i = 0; i < expression.size();) {
        if (!isNameByte(expression[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < expression.size() && isNameByte(expression[end]))
            ++end;
        const bool number = std::isdigit(static_cast<unsigned char>(expression[i])) != 0;
        if (!number && fn(expression.substr(i, end - i))) return true;
        i = end;
    }
    return false;
}

bool allDigits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

template <typename Predicate>
bool anySize(const ir::TensorMeta& tensor, Predicate&& predicate) {
    return std::any_of(tensor.sizes.begin(), tensor.sizes.end(), predicate) ||
           (tensor.strides && std::any_of(tensor.strides->begin(), tensor.strides->end(), predicate));
}

/// Sparse layouts are not part of an annotation; ops that make them name them.
bool makesSparse(const ir::Node& node) {
    const std::string_view name = operatorName(node);
    if (name.starts_with("to_sparse") || name.starts_with("_to_sparse") ||
        (name.find("sparse") != std::string_view::npos && name.find("_tensor") != std::string_view::npos))
        return true;
    const auto isSparse = [](const ir::Argument& value) {
        return value.kind == ir::Argument::Kind::Layout && value.text.starts_with("torch.sparse");
    };
    return std::any_of(node.kwargs.begin(), node.kwargs.end(),
                       [&](const auto& entry) { return isSparse(entry.second); });
}

/// A text says nothing of values that PyTorch has all the same: all of them where it has no annotations,
/// tuples where it has.
ReplayNodeFacts factsOfNode(const ir::Node& node, bool annotated) {
    ReplayNodeFacts facts;
    if (node.op == ir::Op::Output) return facts;
    facts.known = true;
    facts.tensor = !annotated;
    facts.sparse = makesSparse(node);
    if (!node.meta) return facts;
    if (const auto& tensor = node.meta->tensor) {
        facts.tensor = true;
        facts.device = tensor->device;
        facts.dtype = tensor->dtype;
        facts.symbolic = anySize(*tensor, hasSymbol);
        facts.unbacked = anySize(*tensor, hasUnbackedSymbol);
    } else {
        // "Sym(u0)"; class names of other values have no such word.
        facts.unbacked = node.meta->raw.starts_with("Sym(") && hasUnbackedSymbol(node.meta->raw);
        facts.symbolic = node.meta->raw.starts_with("Sym(");
    }
    return facts;
}

} // namespace

ReplayGraphFacts factsOf(ir::GraphPtr graph, std::span<const std::vector<std::size_t>> inputGroups) {
    ReplayGraphFacts facts{std::move(graph), {}};
    std::vector<ir::NodeIndex> roots = ir::storageRoots(*facts.graph, ir::FunctionalForms::NewStorage);
    std::vector<ir::NodeIndex> placeholders;
    for (ir::NodeIndex i = 0; i < facts.graph->size(); ++i)
        if (facts.graph->node(i).op == ir::Op::Placeholder) placeholders.push_back(i);
    std::vector<ir::NodeIndex> merged(facts.graph->size());
    for (ir::NodeIndex i = 0; i < merged.size(); ++i)
        merged[i] = i;
    for (const std::vector<std::size_t>& group : inputGroups) {
        ir::NodeIndex first = ir::npos;
        for (const std::size_t input : group)
            if (input < placeholders.size()) first = std::min(first, placeholders[input]);
        for (const std::size_t input : group)
            if (input < placeholders.size()) merged[placeholders[input]] = first;
    }
    const bool annotated =
        std::any_of(facts.graph->nodes().begin(), facts.graph->nodes().end(),
                    [](const ir::NodePtr& node) { return node->meta && node->meta->tensor; });
    for (ir::NodeIndex i = 0; i < facts.graph->size(); ++i) {
        ReplayNodeFacts node = factsOfNode(facts.graph->node(i), annotated);
        node.storage = static_cast<int>(merged[roots[i]]);
        facts.nodes.push_back(std::move(node));
    }
    return facts;
}

bool hasUnbackedSymbol(std::string_view expression) {
    return anyIdentifier(expression, [](std::string_view word) {
        return (word.starts_with('u') && allDigits(word.substr(1))) ||
               (word.starts_with("zuf") && allDigits(word.substr(3)));
    });
}

bool hasSymbol(std::string_view expression) {
    return anyIdentifier(expression, [](std::string_view word) {
        return word.find_first_of("0123456789") != std::string_view::npos &&
               (word.front() == 's' || word.front() == 'u' || word.front() == 'z');
    });
}

std::string_view deviceType(std::string_view device) {
    return device.substr(0, device.find(':'));
}

std::string deviceRepr(std::string_view device) {
    const std::string_view type = deviceType(device);
    std::string out = "device(type='" + std::string(type) + '\'';
    if (type.size() < device.size()) out += ", index=" + std::string(device.substr(type.size() + 1));
    return out + ')';
}

std::string stackText(const ir::StackTrace& stack) {
    std::string out;
    for (const ir::SourceLocation& frame : stack) {
        out += "  File \"" + frame.file + "\", line " + std::to_string(frame.line) + ", in " +
               frame.function + '\n';
        if (!frame.code.empty()) out += "    " + frame.code + '\n';
    }
    return out;
}

std::string stackText(const ir::Node& node) {
    return node.stack ? stackText(*node.stack) : std::string();
}

} // namespace dynascope::replay
