// SPDX-License-Identifier: BSD-3-Clause
//
// Saved-tensors hooks of a captured compile: the hooks that PyTorch traced are inlined anew into forward and
// backward as they were before, and each saved tensor is told with what stands for it afterwards. Needs no
// engine: the capture holds each hook as operators.
#pragma once

#include "core/ir/symbol_value.h"
#include "core/passes/hooks/hooked_values.h"
#include "core/passes/hooks/saved_tensors_hooks.h"
#include "core/passes/partition/joint.h"
#include "core/session/session.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

struct SavedHooks {
    passes::hooks::Filter filter = passes::hooks::Filter::Donated;
    passes::hooks::FilterSource filterSource = passes::hooks::FilterSource::Default;
    /// Forward and backward before the hooks. Where `recorded` is false these are the ones that the compile
    /// has, since nothing was packed.
    session::StagePtr forwardBefore, backwardBefore;
    bool recorded = false; ///< the capture has graphs from before hooks were inlined
    passes::hooks::Hooked hooked;
    std::vector<passes::hooks::HookedValue> values; ///< in the order of forward's outputs
    std::string note;                               ///< nothingPacked(): empty where something was packed
};

/// Of an attempt's k-th forward; nothing where the capture has no sign of hooks that PyTorch inlines. PyTorch
/// records them only where something is packed: that they were on is also said by Dynamo's graph, which has
/// them as subgraphs, and by the guard on them. Sizes that are symbols count with the values in `hints`.
/// `staticInputs`: parameters and buffers, by their position among forward's placeholders.
[[nodiscard]] std::optional<Result<SavedHooks>>
savedHooks(const session::Session& session, const session::Compile& compile, int attempt, int k,
           const std::vector<std::size_t>& staticInputs, const ir::SymbolValues& hints);

/// What the pass inline_hooks needs to know to run on a captured forward or backward graph, as its options.
/// Fails where the stage is no such graph, has the hooks in it already, or none were on.
[[nodiscard]] Result<std::map<std::string, std::string, std::less<>>>
hookOptions(const session::Session& session, const session::Compile& compile, const session::Stage& stage);
/// The captured stage that the pass inline_hooks makes of `stage`; null where there is none.
[[nodiscard]] session::StagePtr hookedTwin(const session::Compile& compile, const session::Stage& stage);

/// Bytes and reasons of saved values as they are with hooks.
void addHooks(const SavedHooks& hooks, std::vector<passes::partition::Decision>& decisions);

} // namespace dynascope::engine
