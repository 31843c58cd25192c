// SPDX-License-Identifier: BSD-3-Clause
//
// Real values for a calling convention: what the arguments held before and after one call of the function,
// and what it returned.
#pragma once

#include "core/computed/aot_convention.h"
#include "core/computed/tensor_value.h"
#include "views/inspector/facts.h"

#include <optional>
#include <vector>

namespace dynascope::views {

struct ConventionValues {
    struct Argument {
        std::optional<computed::TensorValue> before, after;
        bool changed = false; ///< as far as both are known
    };
    std::vector<Argument> outer; ///< as Convention::outer
    struct Result {
        std::optional<computed::TensorValue> value; ///< nothing for what is no tensor
        int input = -1;                             ///< the argument that it is
    };
    std::vector<Result> results; ///< of the user, in order
};

/// The captured graph that takes the outer arguments; null where there is none.
[[nodiscard]] session::StagePtr calledStage(const session::Compile& compile,
                                            const computed::AotConvention& convention);
/// What the engine said to "execute" on that graph with the values of its nodes.
[[nodiscard]] ConventionValues conventionValues(const wire::ExecuteReply& reply, const ir::Graph& graph);
/// "[4, 0, −4, ...]": the first few elements.
[[nodiscard]] QString firstValues(const computed::TensorValue& value);
/// What a step shows of them. No facts where it has nothing to show.
[[nodiscard]] Section valuesSection(const computed::AotConvention& convention, const ConventionValues& values,
                                    computed::AotConventionStep step);

} // namespace dynascope::views
