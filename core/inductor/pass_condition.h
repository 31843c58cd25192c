// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions on passes, to run to the next or previous one that meets it:
//
//     removes copy_
//     changes permute_4 and not phase is joint
//     pass is reinplace_inplaceable_ops or (nodes > 100 and time > 5)
//
// makes, removes, changes and touches name a node, or an operator: copy_, aten.copy_, aten.copy_.default; alone they mean
// any node. changes is of nodes that stay: other arguments, another target, value or name. touches is any of the
// three. matches and refuses name a pattern that was applied or that something said no to, or stand alone. pass, phase,
// graph and subsystem stand before `is`; nodes (after the pass), before, added, removed, changed, patterns and time (in
// milliseconds) in comparisons of numbers. ran, skipped and failed stand alone.
#pragma once

#include "core/inductor/compile_passes.h"
#include "core/ir/graph.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::inductor {

class PassCondition {
public:
    struct Node;

    /// Errors name the column.
    [[nodiscard]] static Result<PassCondition> parse(std::string_view text);
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    friend class PassSearch;
    std::string m_text;
    std::shared_ptr<const Node> m_root;
};

/// Asks conditions of the passes of one compile, with its stages (addStages()). Graphs are read when an operator is
/// asked for, and kept. For one thread.
class PassSearch {
public:
    explicit PassSearch(const CompilePasses& passes)
        : m_passes(passes) {}

    [[nodiscard]] bool holds(const PassCondition& condition, std::size_t row) const;
    /// The next row after `from`, or the one before where `back`, at which it holds; -1 where there is none, or the task
    /// was cancelled. What a pass changed by those that run in it is told of both.
    [[nodiscard]] int find(const PassCondition& condition, int from, bool back,
                           const TaskContext& task = {}) const;

private:
    [[nodiscard]] bool evaluate(const PassCondition::Node& node, const PassRow& row) const;
    [[nodiscard]] bool touches(const PassCondition::Node& node, const PassRow& row) const;
    [[nodiscard]] bool isNamed(const NodeRef& node, std::uint32_t state, const std::string& name) const;
    [[nodiscard]] const ir::Graph* graph(std::uint32_t state) const;

    const CompilePasses& m_passes;
    mutable std::map<std::uint32_t, ir::GraphPtr> m_graphs; ///< by state; null where one cannot be read
    mutable std::map<std::uint32_t, std::map<std::uint64_t, std::string>> m_names; ///< of nodes, by state
};

} // namespace dynascope::inductor
