// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/known_passes.h"
#include "core/passes/pass.h"

namespace dynascope::passes {

/// Drops nodes that nobody reads and that do nothing else. Placeholders, writes, random draws (dropping one
/// would shift the others) and unknown targets stay.
class DeadCodeElimination final : public Pass {
public:
    [[nodiscard]] std::string_view name() const override { return dcePass.name; }
    [[nodiscard]] std::string_view description() const override { return dcePass.description; }
    [[nodiscard]] PassResult<PassState> run(const PassState& source, const PassContext& context,
                                            PassObserver& observer) const override;
};

} // namespace dynascope::passes
