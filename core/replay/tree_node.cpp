// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_node.h"

#include "core/base/text.h"

namespace dynascope::replay {

namespace {

std::string orNone(const std::string& stack) {
    return stack.empty() ? "None" : stack;
}

} // namespace

std::string_view outputClassName(OutputClass outputClass) {
    switch (outputClass) {
    case OutputClass::NoTensor:
        return "no tensor";
    case OutputClass::Persistent:
        return "static input";
    case OutputClass::Foreign:
        return "not in the pool";
    case OutputClass::AliasesPath:
        return "alias of an earlier node's output";
    case OutputClass::AliasesOutput:
        return "alias of an earlier output";
    case OutputClass::New:
        break;
    }
    return "new";
}

std::string_view invariantStatusText(InvariantStatus status) {
    switch (status) {
    case InvariantStatus::Success:
        return "success";
    case InvariantStatus::ManagedAddressChanged:
        return "cudagraph managed tensor data pointer changed";
    case InvariantStatus::ExpectedDeadIsAlive:
        return "expected dead indices before graph are live";
    case InvariantStatus::StaticAddressChanged:
        return "static input data pointer changed";
    case InvariantStatus::InputOutlivesRecording:
        break;
    }
    return "TODO: graph recording observed an input tensor deallocate during graph  recording that did not "
           "occur during replay. Please file an issue.";
}

std::string movedInputsMessage(InvariantStatus status, const TreeFunction& function,
                               const std::vector<MovedInput>& moved) {
    std::string out(invariantStatusText(status));
    out += ".\n";
    for (const MovedInput& input : moved) {
        const std::string stack =
            input.input < function.inputs.size() ? function.inputs[input.input].stack : std::string();
        out += "input name: " + input.name + ". data pointer changed from " + std::to_string(input.recorded) +
               " to " + std::to_string(input.now) + ". input stack trace: " + orNone(stack) + '\n';
    }
    return out;
}

std::string overwrittenMessage(const std::string& outputStack, bool gradient) {
    std::string stack(trimmed(outputStack));
    if (stack.empty()) stack = "[Could not find stack trace]";
    return std::string("Error: accessing ") + (gradient ? "gradient tensor" : "tensor") +
           " output of CUDAGraphs that has been overwritten by a subsequent run. Stack trace: " + stack +
           ". " +
           (gradient ? "Gradients that are accumulated need memory from outside of the recording: run one "
                       "backward eagerly first or allocate zeroed .grad tensors; otherwise set .grad to None "
                       "before each backward."
                     : "To prevent overwriting, clone the tensor outside of torch.compile() or call "
                       "torch.compiler.cudagraph_mark_step_begin() before each model invocation.");
}

} // namespace dynascope::replay
