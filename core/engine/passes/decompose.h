// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/known_passes.h"
#include "core/passes/pass.h"

namespace dynascope::engine {

/// Replaces operators that PyTorch defines by others (CompositeImplicitAutograd: linear, reshape, dropout,
/// ...) and torch-level calls by the operators that their kernels call. The rest keeps name and arguments.
class DecomposePass final : public passes::Pass {
public:
    [[nodiscard]] std::string_view name() const override { return passes::decomposePass.name; }
    [[nodiscard]] std::string_view description() const override { return passes::decomposePass.description; }
    [[nodiscard]] passes::PassResult<passes::PassState> run(const passes::PassState& source,
                                                            const passes::PassContext& context,
                                                            passes::PassObserver& observer) const override;
};

} // namespace dynascope::engine
