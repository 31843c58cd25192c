// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the inputs that a function writes forbid to run it as a CUDA graph, and the four categories that
// decide it: torch/_inductor/cudagraph_utils.py, check_for_mutation (SPEC section 13.1).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::replay {

/// In order of severity. Only `Other` forbids a CUDA graph: a warm-up run would write the tensor, and the
/// first replay again.
enum class MutationCategory : unsigned char {
    None,     ///< nothing is written
    Static,   ///< parameters and buffers, whose addresses stay
    Recorded, ///< outputs of a recording on the current path, which lie in the pool
    Other,    ///< any other tensor of the caller's
};
/// "none", "parameters and buffers", "recorded tensors", "other tensors".
[[nodiscard]] std::string_view mutationCategoryName(MutationCategory category);

struct CategorizedInput {
    std::size_t input = 0;
    MutationCategory category = MutationCategory::None;
    friend bool operator==(const CategorizedInput&, const CategorizedInput&) = default;
};

struct MutationCheck {
    MutationCategory category = MutationCategory::None; ///< the most severe
    std::vector<CategorizedInput> inputs;               ///< the written ones, in the order given
    /// PyTorch's words where the function must run eagerly.
    std::optional<std::string> message;
};

struct MutationQuestion {
    /// With CUDA graph trees a warm-up does no harm to the first two categories; without them every write
    /// does.
    bool trees = true;
    std::span<const std::size_t> staticInputs;
    std::span<const std::size_t> mutatedInputs;
    /// By input: where it is written, as text; empty where not known. May be shorter than the inputs.
    std::span<const std::string> mutatingUses;
};

/// `isRecorded` is asked for written inputs that are not static.
[[nodiscard]] MutationCheck checkForMutation(const MutationQuestion& question,
                                             const std::function<bool(std::size_t)>& isRecorded);

/// "skipping cudagraphs due to mutated inputs (2 instances). Found from : \n ...", the place being that of
/// the first input that has one.
[[nodiscard]] std::string mutationMessage(std::span<const std::string> mutatingUses,
                                          std::span<const std::size_t> inputs);

/// "skipping cudagraphs due to " + reason.
[[nodiscard]] std::string skipMessage(std::string_view reason);
/// The same with "Found from" where the place is known.
[[nodiscard]] std::string skipMessage(std::string_view reason, std::string_view foundFrom);

} // namespace dynascope::replay
