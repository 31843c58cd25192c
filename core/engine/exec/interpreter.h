// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program, node by node, through PyTorch's dispatcher.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/program.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <functional>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace dynascope::engine {

/// A node that could not run.
struct RunError {
    std::string message; ///< PyTorch's own, first line without its stack
    ir::NodeIndex node = ir::npos;
    bool cancelled = false;
    std::string type = {}; ///< what Python calls it, "IndexError"; empty where no exception was thrown
};

using Attributes = std::map<std::string, at::Tensor>;
using Values = std::vector<c10::IValue>; ///< one per node

/// Binds the operands, calls the operator or function and returns its result: one value, or a tuple of
/// several. Throws what PyTorch throws. `context` is for calls that run graphs and may be null.
[[nodiscard]] c10::IValue call(const Instruction& instruction, const Values& values,
                               const torch_level::Context* context = nullptr);

/// The value of an operand; `values` holds those of the nodes.
[[nodiscard]] c10::IValue evaluate(const Operand& operand, const Values& values);
/// The same as Python sees it.
[[nodiscard]] torch_level::Value evaluateValue(const Operand& operand, const Values& values);

/// Whether it is a tensor: IValue keeps an optional one that is not there as an undefined tensor.
[[nodiscard]] inline bool isDefinedTensor(const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined();
}

/// Leaves of the graph's result in reading order.
[[nodiscard]] std::vector<const Operand*> resultLeaves(const Program& program);

/// Sees a run node by node, on the thread that runs it. What it throws ends the run as an operator's error
/// would.
class RunObserver {
public:
    RunObserver() = default;
    RunObserver(const RunObserver&) = delete;
    RunObserver& operator=(const RunObserver&) = delete;
    virtual ~RunObserver() = default;
    virtual void before(ir::NodeIndex node) = 0;
    virtual void after(ir::NodeIndex node, const c10::IValue& value) = 0;
    /// Asked after each node; false ends the run, which then has no result.
    [[nodiscard]] virtual bool goesOn() const { return true; }
};

/// Runs the whole program; gives the leaves of its result. Writes into `inputs` as the program does. Modes
/// that the program leaves changed are put back.
[[nodiscard]] tl::expected<std::vector<c10::IValue>, RunError>
run(const Program& program, const std::vector<c10::IValue>& inputs, const Attributes& attributes,
    const TaskContext& task = {}, RunObserver* observer = nullptr);

/// Gives the result as it is structured: a value, or a tuple of them.
[[nodiscard]] tl::expected<c10::IValue, RunError>
runStructured(const Program& program, const std::vector<c10::IValue>& inputs, const Attributes& attributes,
              const TaskContext& task = {}, RunObserver* observer = nullptr);

/// The error of a node that was traced, in the words in which it fails when it is run: functionalization
/// tries an in-place operator on meta tensors first, to which a number is a tensor of 64 bits. Unchanged
/// where the run does not fail at that node. Writes into `inputs`, not into the attributes.
[[nodiscard]] RunError inEagersWords(RunError error, const Program& program,
                                     const std::vector<c10::IValue>& inputs, const Attributes& attributes,
                                     const TaskContext& task = {});

/// The class that PyTorch's bindings make of it.
[[nodiscard]] std::string errorType(const std::exception& error);
/// PyTorch's message without its C++ stack.
[[nodiscard]] std::string errorText(const std::exception& error);

} // namespace dynascope::engine
