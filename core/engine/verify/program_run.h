// SPDX-License-Identifier: BSD-3-Clause
//
// One run of a program on a case's inputs, with all that can be asked about it afterwards.
#pragma once

#include "core/engine/exec/case_values.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/wire/pass.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace dynascope::engine {

/// What a graph's caller does after it, one for each changed input. Those with `nodes` are nodes of the graph
/// and need nothing.
using WriteBackList = std::vector<wire::WriteBack>;

/// A program with what it needs besides inputs.
struct Side {
    std::shared_ptr<const Program> program;
    Attributes attributes;
    WriteBackList writeBacks = {};
    bool isWide = false; ///< runs in double precision, on wide inputs (double_precision.h)
};

struct ProgramRun {
    CaseInputs inputs; ///< as the call left them
    std::vector<c10::IValue> results;
    std::vector<const void*> storagesBefore; ///< of the inputs
    std::optional<RunError> error;
};

/// Seeds PyTorch's numbers, so that what two programs draw in the same order is the same.
void seedRandomNumbers(std::uint64_t seed);

/// Makes the inputs anew, seeds the random numbers, and runs without gradients. Throws where `inputs` are no
/// inputs.
[[nodiscard]] ProgramRun runSide(const Side& side, const nlohmann::json& inputs, std::uint64_t seed,
                                 const TaskContext& task, RunObserver* observer = nullptr);

/// Runs under autograd, without write-backs (which come after the backward pass), and differentiates.
struct GradientRun {
    std::vector<at::Tensor> gradients;
    std::optional<std::string> error;
};
[[nodiscard]] GradientRun runForGradients(const Side& side, const nlohmann::json& inputs, std::uint64_t seed,
                                          const TaskContext& task);

} // namespace dynascope::engine
