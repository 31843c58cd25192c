// SPDX-License-Identifier: BSD-3-Clause
//
// The tensors that go with a graph through the passes.
#pragma once

#include "core/engine/exec/interpreter.h"
#include "core/passes/pass.h"

#include <ATen/core/Tensor.h>
#include <memory>
#include <optional>
#include <vector>

namespace dynascope::engine {

/// Constants and example inputs of one graph. Passes run on copies of the inputs.
class TorchValues final : public passes::Values {
public:
    /// `program` is the graph compiled, if it is at hand.
    TorchValues(Attributes attributes, std::vector<c10::IValue> inputs,
                std::shared_ptr<const Program> program = nullptr)
        : m_attributes(std::move(attributes))
        , m_inputs(std::move(inputs))
        , m_program(std::move(program)) {}

    [[nodiscard]] const Attributes& attributes() const { return m_attributes; }
    /// Never to be written into.
    [[nodiscard]] const std::vector<c10::IValue>& inputs() const { return m_inputs; }
    [[nodiscard]] std::vector<c10::IValue> freshInputs() const;
    /// As freshInputs(), but an input that is an earlier one becomes a second tensor on its storage, as in a
    /// traced graph.
    [[nodiscard]] std::vector<c10::IValue> freshDistinctInputs() const;
    [[nodiscard]] std::shared_ptr<const passes::Values> withoutInputs() const override {
        return std::make_shared<const TorchValues>(m_attributes, std::vector<c10::IValue>());
    }
    /// `graph` compiled.
    [[nodiscard]] std::shared_ptr<const Program> program(const ir::GraphPtr& graph) const;
    /// The same inputs with the constants of a graph that was made from this one.
    [[nodiscard]] std::shared_ptr<const TorchValues> with(Attributes attributes) const;

private:
    Attributes m_attributes;
    std::vector<c10::IValue> m_inputs; ///< tensors and numbers
    std::shared_ptr<const Program> m_program;
};

/// Copies whose tensors share storages among each other as the originals do.
[[nodiscard]] std::vector<c10::IValue> copyInputs(const std::vector<c10::IValue>& inputs);

/// The whole storage that a tensor lies in, as a flat tensor of its dtype that shares it.
[[nodiscard]] at::Tensor wholeStorage(const at::Tensor& tensor);

/// The values of a state, or why a pass that needs them cannot run.
[[nodiscard]] passes::PassResult<const TorchValues*> torchValues(const passes::PassState& state);

/// Why a program that runs node by node cannot: a node that the engine does not run, or one that enters a
/// transform of torch.func, which is only resolved in the graphs that AOTAutograd makes.
[[nodiscard]] std::optional<passes::PassError> obstacleOf(const Program& program);
/// Message and node of a node that failed.
[[nodiscard]] passes::PassError passError(const RunError& error);

} // namespace dynascope::engine
