// SPDX-License-Identifier: BSD-3-Clause
//
// Saved-tensors hooks of a captured compile: the hooks that PyTorch traced are inlined anew into forward and
// backward as they were before, and each saved tensor is told with what stands for it afterwards. Needs no
// engine: the capture holds each hook as operators.
#pragma once

#include "core/ir/symbol_value.h"
#include "core/passes/hooks/saved_tensors_hooks.h"
#include "core/passes/partition/joint.h"
#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

/// What became of one tensor that is saved for backward.
struct HookedValue {
    std::string saved;
    bool packed = false;             ///< else the filter left it as it is
    std::vector<std::string> values; ///< what is saved in its place: outputs of forward
    std::string text;                ///< "f8e4m3fn[4, 6]", of all of them
    std::int64_t bytes = 0;          ///< of all of them; -1 where a size has no value
    std::string why;                 ///< one sentence
};

struct SavedHooks {
    passes::hooks::Filter filter = passes::hooks::Filter::Donated;
    bool filterRecorded = false; ///< else it is PyTorch's default
    session::StagePtr forwardBefore, backwardBefore;
    passes::hooks::Hooked hooked;
    std::vector<HookedValue> values; ///< in the order of forward's outputs
};

/// Of an attempt's k-th forward; nothing where the capture has no graphs from before hooks were inlined.
/// Sizes that are symbols count with the values in `hints`. `staticInputs`: parameters and buffers, by their
/// position among forward's placeholders.
[[nodiscard]] std::optional<Result<SavedHooks>>
savedHooks(const session::Session& session, const session::Compile& compile, int attempt, int k,
           const std::vector<std::size_t>& staticInputs, const ir::SymbolValues& hints);

/// Bytes and reasons of saved values as they are with hooks.
void addHooks(const SavedHooks& hooks, std::vector<passes::partition::Decision>& decisions);

[[nodiscard]] std::string_view filterName(passes::hooks::Filter filter); ///< "donated"

} // namespace dynascope::engine
