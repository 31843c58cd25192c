// SPDX-License-Identifier: BSD-3-Clause
//
// The tensors that go with a graph through the passes.
#pragma once

#include "core/engine/interpreter.h"
#include "core/passes/pass.h"

#include <ATen/core/Tensor.h>
#include <memory>
#include <vector>

namespace dynascope::engine {

/// Constants and example inputs of one graph. Passes run on copies of the inputs.
class TorchValues final : public passes::Values {
public:
    /// `program` is the graph compiled, if it is at hand.
    TorchValues(Attributes attributes, std::vector<at::Tensor> inputs,
                std::shared_ptr<const Program> program = nullptr)
        : m_attributes(std::move(attributes))
        , m_inputs(std::move(inputs))
        , m_program(std::move(program)) {}

    [[nodiscard]] const Attributes& attributes() const { return m_attributes; }
    /// Never to be written into.
    [[nodiscard]] const std::vector<at::Tensor>& inputs() const { return m_inputs; }
    [[nodiscard]] std::vector<at::Tensor> freshInputs() const;
    /// As freshInputs(), but an input that is an earlier one becomes a second tensor on its storage, as in a
    /// traced graph.
    [[nodiscard]] std::vector<at::Tensor> freshDistinctInputs() const;
    /// `graph` compiled.
    [[nodiscard]] std::shared_ptr<const Program> program(const ir::GraphPtr& graph) const;
    /// The same inputs with the constants of a graph that was made from this one.
    [[nodiscard]] std::shared_ptr<const TorchValues> with(Attributes attributes) const;

private:
    Attributes m_attributes;
    std::vector<at::Tensor> m_inputs;
    std::shared_ptr<const Program> m_program;
};

/// Copies that share storages among each other as the originals do.
[[nodiscard]] std::vector<at::Tensor> copyTensors(const std::vector<at::Tensor>& tensors);

/// The whole storage that a tensor lies in, as a flat tensor of its dtype that shares it.
[[nodiscard]] at::Tensor wholeStorage(const at::Tensor& tensor);

/// The values of a state, or why a pass that needs them cannot run.
[[nodiscard]] passes::PassResult<const TorchValues*> torchValues(const passes::PassState& state);

/// Message and node of a program that cannot run, or of a node that failed.
[[nodiscard]] passes::PassError unsupportedError(const Program& program);
[[nodiscard]] passes::PassError passError(const RunError& error);

} // namespace dynascope::engine
