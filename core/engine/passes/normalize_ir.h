// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/known_passes.h"
#include "core/passes/pass.h"

namespace dynascope::engine {

/// The normalize_ir of the first torchdynamo (October 2022), bugs included: rewrites methods to functions,
/// runs the graph once to see which node mutates which alias group, and replaces in-place nodes by
/// out-of-place ones. Views are not tracked, so it is unsound where another name of a replaced tensor is read
/// later; the warnings name such nodes. Every step says alias groups, is_input_mutation and partial_mutation.
class NormalizeIrPass final : public passes::Pass {
public:
    [[nodiscard]] std::string_view name() const override { return passes::normalizeIrPass.name; }
    [[nodiscard]] std::string_view description() const override {
        return passes::normalizeIrPass.description;
    }
    [[nodiscard]] passes::PassResult<passes::PassState> run(const passes::PassState& source,
                                                            const passes::PassContext& context,
                                                            passes::PassObserver& observer) const override;
};

} // namespace dynascope::engine
