// SPDX-License-Identifier: BSD-3-Clause
#include "views/timeline/stage_help.h"

#include <QCoreApplication>
#include <array>
#include <utility>

namespace dynascope::views {

namespace {

using Entry = std::pair<std::string_view, const char*>;

constexpr auto entries = std::to_array<Entry>({
    {"dynamo_output_graph", "What Dynamo captured by evaluating the bytecode symbolically: torch-level "
                            "calls, in-place ops and all, before any "
                            "lowering."},
    {"before_pre_grad_graph", "The Dynamo graph as Inductor received it, before its pre-grad passes. These "
                              "still see torch-level calls."},
    {"after_pre_grad_graph",
     "The graph after Inductor's pre-grad passes, just before AOTAutograd traces it."},
    {"aot_joint_graph", "Forward and backward in one graph, as AOTAutograd traced them: functional aten ops, "
                        "inputs are primals and tangents. "
                        "The partitioner cuts it in two."},
    {"before_joint_graph", "The joint or inference graph before Inductor's joint-graph passes."},
    {"after_joint_graph", "The joint or inference graph after Inductor's joint-graph passes."},
    {"aot_inference_graph", "AOTAutograd's functional graph where no gradient is needed: aten ops without "
                            "mutation, except write-backs to inputs "
                            "at the end."},
    {"aot_forward_graph",
     "The forward half of the joint graph. Besides the results it returns the tensors saved for backward."},
    {"aot_backward_graph", "The backward half of the joint graph. It takes the saved tensors and the "
                           "tangents and returns the gradients."},
    {"before_post_grad_graph", "The graph that Inductor compiles, decomposed, before its post-grad passes."},
    {"after_post_grad_graph", "The graph after Inductor's post-grad passes."},
    {"inductor_post_grad_graph",
     "The graph after Inductor's post-grad passes: what the scheduler fuses and generates code for."},
    {"inductor_output_code", "The program that Inductor generated: kernels and the wrapper that calls them."},
    {"aot_forward_graph_pre_saved_tensors_hooks",
     "The forward graph before the saved-tensors hooks' pack functions were traced into its end."},
    {"aot_backward_graph_pre_saved_tensors_hooks",
     "The backward graph before the saved-tensors hooks' unpack functions were traced into its start."},
    {"saved_tensors_pack_hook", "The pack function of a saved-tensors hook, traced on one saved tensor."},
    {"saved_tensors_unpack_hook",
     "The unpack function of a saved-tensors hook, traced on one packed tensor."},
    {"compiled_autograd_graph", "The whole backward pass as compiled autograd captured it."},
});

} // namespace

QString stageHelp(std::string_view stageName) {
    for (const auto& [name, text] : entries) {
        if (name == stageName) return QCoreApplication::translate("stage", text);
    }
    return QCoreApplication::translate("stage", "A graph that PyTorch wrote to the trace under this name.");
}

} // namespace dynascope::views
