// SPDX-License-Identifier: BSD-3-Clause
//
// Saved-tensors hooks inlined into one half of a split graph, as a pass: forward packs what it saves,
// backward unpacks it. Needs no LibTorch: the hooks come as graphs of operators.
#pragma once

#include "core/passes/known_passes.h"
#include "core/passes/pass.h"

namespace dynascope::passes::hooks {

/// Options, all of them text:
///   partner               the other half, as graph text; a forward's backward or a backward's forward
///   half                  "forward" or "backward": which the source is; worked out where it is left out
///   pack, unpack          the hooks, as graph text: operators on one saved tensor
///   pack:NAME unpack:NAME those of one saved tensor, as they were traced on it; they go first
///   filter                "donated" (PyTorch's default), "no_static" or "all"
///   filter_source         "recorded" or "given" (the default): who says so
///   static                positions of parameters and buffers among forward's placeholders: "0,3"
///   symbols               what symbolic sizes count as: "s77=4,s27=6"
/// What is missing is named in one line. The result does not compute what the source does: forward returns
/// what the hooks make of the saved tensors.
class InlineHooks final : public Pass {
public:
    [[nodiscard]] std::string_view name() const override { return inlineHooksPass.name; }
    [[nodiscard]] std::string_view description() const override { return inlineHooksPass.description; }
    [[nodiscard]] bool keepsValues() const override { return false; }
    [[nodiscard]] PassResult<PassState> run(const PassState& source, const PassContext& context,
                                            PassObserver& observer) const override;
};

} // namespace dynascope::passes::hooks
