// SPDX-License-Identifier: BSD-3-Clause
//
// The graph that a pattern of Inductor's matcher looks for, from the expression that PyTorch prints of it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::inductor {

/// A node that has to be there: "permute_1 = aten.permute.default(permute, perm2)". Names are made up here but for
/// those of arguments, which match anything.
struct PatternNode {
    std::string name, target;
    std::vector<std::string> arguments; ///< names of nodes and arguments, or values, as text
    std::string users;                  ///< how many nodes must read it, where the pattern says; else empty

    [[nodiscard]] std::string text() const;
};

/// Stands for an argument that may be anything.
inline constexpr std::string_view anyArgument = "anything";

struct PatternGraph {
    std::set<std::string, std::less<>> inputs; ///< names that it binds by keyword; no node has one of them
    std::vector<PatternNode> nodes; ///< each after what it reads, the one that the matcher begins at last
    bool whole = true; ///< false: the expression was cut, or is written in another way than expected
};

/// `CallFunction(aten.mm.default, KeywordArg('mat1'), KeywordArg('mat2'), _users=0)`, or a line for each node with a name for it,
/// the last one called output, as PatternPrettyPrinter writes. What is written twice is one node.
/// Of a text longer than any that the recorder writes only the beginning is looked at.
[[nodiscard]] PatternGraph patternGraph(std::string_view expression);

/// What "aten.mm.default", "torch.ops.aten.mm.default" and "[mm, ...]" have in common: mm.
[[nodiscard]] std::string operatorName(std::string_view target);

} // namespace dynascope::inductor
