// SPDX-License-Identifier: BSD-3-Clause
//
// Watches an eager run for what has no defined result: reads that a write disturbs, random numbers, and
// memory that nobody wrote; and for how coarse its numbers are.
#pragma once

#include "core/engine/exec/interpreter.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dynascope::engine {

struct Hazard {
    ir::NodeIndex node = ir::npos; ///< the first with such an operator
    std::string text;              ///< one sentence without the node's name
};

/// Sees every operator that runs on this thread while it lives. At most one at a time on a thread.
class Monitor final : public RunObserver {
public:
    Monitor();
    ~Monitor() override;

    void before(ir::NodeIndex node) override { m_node = node; }
    void after(ir::NodeIndex node, const c10::IValue& value) override;

    /// A tensor is written while a partly overlapping view of it is read: the result depends on the order in
    /// which cells are visited (SPEC: eager hazards). PyTorch refuses what it can prove to be so.
    [[nodiscard]] const std::optional<Hazard>& orderDependent() const { return m_order; }
    /// An operator drew random numbers.
    [[nodiscard]] const std::optional<Hazard>& random() const { return m_random; }
    /// An operator gave memory that holds anything.
    [[nodiscard]] const std::optional<Hazard>& uninitialized() const { return m_empty; }
    /// roundingUnit() of the coarsest value so far.
    [[nodiscard]] double unit() const { return m_unit; }

private:
    friend struct MonitorCallback;
    void look(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments);
    void lookForDisturbedReads(const c10::FunctionSchema& schema, c10::ArrayRef<const c10::IValue> arguments);

    ir::NodeIndex m_node = ir::npos;
    std::optional<Hazard> m_order, m_random, m_empty;
    double m_unit = 0;
    std::uint64_t m_callback = 0;
};

} // namespace dynascope::engine
