// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/engine/aot/autograd_level.h"
#include "core/engine/exec/torch_level/higher_order.h"

namespace dynascope::engine {

/// Traces higher-order operators that stay one node in AOTAutograd's graph, with graphs of their own: the
/// graphs are traced in turn, on inputs like those that they will be given. `cond` is differentiated: its
/// backward is another `cond`, of the branches' backwards, each of which runs its forward again. Others are
/// traced where nothing is differentiated, or declined by name.
class KeptGraphs final : public torch_level::GraphKeeper {
public:
    /// Of the trace that goes on at that level, on the tape that is current when an operator is called.
    explicit KeptGraphs(const AutogradLevel& level)
        : m_level(level) {}

    [[nodiscard]] torch_level::Value keep(const torch_level::Entry& op,
                                          const torch_level::Arguments& a) const override;

private:
    const AutogradLevel& m_level;
};

} // namespace dynascope::engine
