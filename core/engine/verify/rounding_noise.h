// SPDX-License-Identifier: BSD-3-Clause
//
// What rounding can make of a program. Two precisions that agree do not prove that a difference in the
// coarser one is rounding: a kernel may act otherwise there. So the program runs in double precision with
// each value that a node makes moved by up to one rounding of the dtype that it has in eager; how far the
// results go from those without is what rounding can do (a random-rounding analysis, as in Verrou and CADNA).
#pragma once

#include "core/engine/exec/interpreter.h"

#include <ATen/core/Generator.h>
#include <cstdint>

namespace dynascope::engine {

/// Moves what each node makes, in place, by up to `unit` of itself. Exact values (whole numbers, truths) and
/// constants of the program stay as they are; so do tensors that share cells among themselves. Give the run
/// attributes that are its own: views of them are written.
class RoundingNoise final : public RunObserver {
public:
    /// `unit` is the largest relative error of one rounding, 2^-24 in float32.
    RoundingNoise(const ir::Graph& graph, double unit, std::uint64_t seed);

    void before(ir::NodeIndex /*node*/) override {}
    void after(ir::NodeIndex node, const c10::IValue& value) override;

private:
    const ir::Graph& m_graph;
    double m_unit;
    at::Generator m_numbers; ///< of its own: the program's random numbers stay what they are
};

/// The error of one rounding of the coarsest real or complex dtype in a value, 0 where there is none.
[[nodiscard]] double roundingUnit(const c10::IValue& value);

} // namespace dynascope::engine
