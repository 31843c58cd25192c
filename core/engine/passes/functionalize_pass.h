// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/known_passes.h"
#include "core/passes/pass.h"

namespace dynascope::engine {

/// Options: remove = mutations | mutations_and_views; write_back = graph | caller; cells = yes; faithful =
/// yes for PyTorch's own graph even where it parts from eager. Without it such a program is functionalized
/// cell by cell (cells/functionalize_cells.h), and the warnings name the cause. detach_constants = yes:
/// constants are those of torch.tensor (FunctionalizeOptions).
class FunctionalizePass final : public passes::Pass {
public:
    [[nodiscard]] std::string_view name() const override { return passes::functionalizePass.name; }
    [[nodiscard]] std::string_view description() const override {
        return passes::functionalizePass.description;
    }
    [[nodiscard]] passes::PassResult<passes::PassState> run(const passes::PassState& source,
                                                            const passes::PassContext& context,
                                                            passes::PassObserver& observer) const override;
};

} // namespace dynascope::engine
