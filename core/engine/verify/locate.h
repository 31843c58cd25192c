// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the node at which a computed graph parts from eager, by running both again and again and comparing
// pairs of nodes that should hold the same value.
#pragma once

#include "core/engine/verify/program_run.h"
#include "core/engine/verify/tensor_compare.h"

namespace dynascope::engine {

/// Nodes whose values are the same right after each has run, where the computed graph is right.
struct MatchedPair {
    ir::NodeIndex source = ir::npos;
    ir::NodeIndex computed = ir::npos;
};

struct FirstDifference {
    ir::NodeIndex source = ir::npos;   ///< npos where no node of the source stands for `computed`
    ir::NodeIndex computed = ir::npos; ///< all matched nodes that it reads are right, and it is not
    ValueDifference difference;
    /// Unmatched nodes of the computed graph between it and the matched ones that it reads: the fault may as
    /// well lie in one of these.
    std::vector<ir::NodeIndex> among;
    std::size_t runs = 0; ///< of each program, for finding it
    std::string how;      ///< one sentence
};

/// Why the search starts: a result of the source and of the computed graph, in reading order, or an input
/// after the call.
struct Symptom {
    bool input = false;
    std::size_t position = 0;
};

class Locator {
public:
    /// `pairs` in any order; a node of the computed graph occurs at most once.
    Locator(const Side& source, const Side& computed, std::vector<MatchedPair> pairs,
            const nlohmann::json& inputs, std::uint64_t seed, const TaskContext& task);

    /// Nothing where no matched pair parts, or the search was cancelled.
    [[nodiscard]] std::optional<FirstDifference> find(const Symptom& symptom);

    /// The same for a node of the computed graph that could not run: nothing where all that it reads is
    /// right.
    [[nodiscard]] std::optional<FirstDifference> findBefore(ir::NodeIndex computed);

private:
    /// Differences of the pairs at these positions, from one run of each program up to the last of them.
    std::vector<std::optional<ValueDifference>> probe(const std::vector<std::size_t>& pairs);
    [[nodiscard]] std::optional<ValueDifference> probeOne(std::size_t pair);
    /// Positions of the nearest matched nodes that a computed node reads, directly or through unmatched ones.
    /// `between`: the unmatched ones.
    [[nodiscard]] std::vector<std::size_t> readBy(ir::NodeIndex computed,
                                                  std::vector<ir::NodeIndex>* between = nullptr) const;
    /// Of everything that a computed node depends on, itself included, ascending by computed node.
    [[nodiscard]] std::vector<std::size_t> ancestry(ir::NodeIndex computed) const;
    [[nodiscard]] ir::NodeIndex leafOf(const Symptom& symptom, bool ofSource) const;
    [[nodiscard]] std::optional<FirstDifference> bisect(std::size_t differing);
    /// Where every pair is right when made but a result is not at the end: the write that one side missed.
    [[nodiscard]] std::optional<FirstDifference> findMissedWrite(ir::NodeIndex source,
                                                                 ir::NodeIndex computed);

    const Side& m_source;
    const Side& m_computed;
    std::vector<MatchedPair> m_pairs;  ///< ascending by computed node
    std::vector<std::size_t> m_pairOf; ///< by computed node; npos
    const nlohmann::json& m_inputs;
    std::uint64_t m_seed;
    const TaskContext& m_task;
    std::size_t m_runs = 0;
    std::optional<double> m_tolerance; ///< in double precision
};

} // namespace dynascope::engine
