// SPDX-License-Identifier: BSD-3-Clause
//
// One form for the many spellings of an operation, so that `y = x + 3`, `x.add(3)` and `aten.add.Tensor(x,
// 3)` compare equal.
#pragma once

#include "core/ir/graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::diff::detail {

/// "add" for operator.add, torch.add, Tensor.add and aten.add.Tensor; "add_" for operator.iadd and
/// aten.add_.Tensor. By rule: the last name without its overload; a table holds what Python's operator module
/// calls otherwise.
[[nodiscard]] std::string canonicalTarget(const ir::Node& node);

/// The op without what lowering adds: "layer_norm" for native_layer_norm and native_layer_norm_backward.
[[nodiscard]] std::string_view opFamily(std::string_view canonicalTarget);

/// A node's operation and arguments in the canonical spelling. `x[:, 0]` becomes select(x, 1, 0) where x is a
/// tensor.
struct Form {
    std::string op;
    std::optional<std::vector<ir::Argument>> rewritten; ///< arguments, where they are not the node's own
    const ir::Node* node = nullptr;
    /// Nodes read, in reading order, repeats included; npos where undefined
    std::vector<ir::NodeIndex> operands;

    [[nodiscard]] const std::vector<ir::Argument>& args() const {
        return rewritten ? *rewritten : node->args;
    }
    /// Of op and arguments; the nodes among them count as "some node".
    [[nodiscard]] std::uint64_t hash() const;
};

[[nodiscard]] std::vector<Form> formsOf(const ir::Graph& graph);

/// True for a keyword argument that says no more than its absence does.
[[nodiscard]] bool isDefaultLike(const ir::Argument& value);

/// Equal up to the spelling of numbers, devices and sequences. `sameNode(a, b)` compares node names.
template <typename SameNode>
[[nodiscard]] bool sameArgument(const ir::Argument& a, const ir::Argument& b, const SameNode& sameNode,
                                int depth = 0);

/// A scalar's value in one spelling: 1e-05 for 1e-5, "cpu" for device(type='cpu').
[[nodiscard]] std::string canonicalScalar(const ir::Argument& argument);
[[nodiscard]] bool isSequence(const ir::Argument& argument);

inline constexpr int maxArgumentDepth = 200;

[[nodiscard]] inline std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
    std::uint64_t h = seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
    h ^= h >> 30;
    h *= 0xbf58476d1ce4e5b9ULL;
    h ^= h >> 27;
    h *= 0x94d049bb133111ebULL;
    return h ^ (h >> 31);
}
[[nodiscard]] std::uint64_t hashText(std::string_view text);

template <typename SameNode>
bool sameArgument(const ir::Argument& a, const ir::Argument& b, const SameNode& sameNode, int depth) {
    if (depth > maxArgumentDepth) return false;
    if (a.isNode() || b.isNode()) return a.isNode() && b.isNode() && sameNode(a.text, b.text);
    const bool sequences = isSequence(a) && isSequence(b);
    if (!sequences && a.kind != b.kind) return false;
    if (a.items.size() != b.items.size()) return false;
    if (!sequences && a.text != b.text && canonicalScalar(a) != canonicalScalar(b)) return false;
    for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!sameArgument(a.items[i], b.items[i], sameNode, depth + 1)) return false;
    return true;
}

} // namespace dynascope::diff::detail
