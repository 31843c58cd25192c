// SPDX-License-Identifier: BSD-3-Clause
//
// The passes that every engine has, by name, for programs that have not asked one yet.
#pragma once

#include <string_view>
#include <vector>

namespace dynascope::passes {

struct KnownPass {
    std::string_view name;        ///< "functionalize"
    std::string_view description; ///< one line
};

inline constexpr KnownPass normalizeIrPass{
    "normalize_ir", "torchdynamo's first way to remove writes, with its limits (legacy)"};
inline constexpr KnownPass functionalizePass{
    "functionalize", "Replace writes by new values, one operator at a time, through PyTorch's dispatcher"};
inline constexpr KnownPass decomposePass{"decompose",
                                         "Replace composite operators by those that their kernels call"};
inline constexpr KnownPass shapesPass{"shapes", "Work out shape, strides and dtype of every value"};
inline constexpr KnownPass dcePass{"dce", "Drop nodes whose value nobody reads"};
inline constexpr KnownPass csePass{"cse", "Compute equal expressions once"};
inline constexpr KnownPass inlineHooksPass{
    "inline_hooks", "Inline saved-tensors hooks: forward packs what it saves, backward unpacks it"};

/// In the order in which the engine lists them; plugins' come behind.
[[nodiscard]] inline std::vector<KnownPass> knownPasses() {
    return {normalizeIrPass, functionalizePass, decomposePass, shapesPass, dcePass, csePass, inlineHooksPass};
}

} // namespace dynascope::passes
