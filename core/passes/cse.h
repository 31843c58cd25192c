// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/known_passes.h"
#include "core/passes/pass.h"

namespace dynascope::passes {

/// Computes equal expressions once. Two nodes are equal when target and arguments are, after earlier merges.
/// Left alone: impure nodes; every node that reads memory which some node of the graph may write (so run it
/// after functionalization); and results of the graph, which would lose their identity.
class CommonSubexpressionElimination final : public Pass {
public:
    [[nodiscard]] std::string_view name() const override { return csePass.name; }
    [[nodiscard]] std::string_view description() const override { return csePass.description; }
    [[nodiscard]] PassResult<PassState> run(const PassState& source, const PassContext& context,
                                            PassObserver& observer) const override;
};

} // namespace dynascope::passes
