// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_values.h"

#include "core/engine/exec/torch_level/functorch.h"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <unordered_map>

namespace dynascope::engine {

using at::Tensor;
using c10::IValue;

std::vector<IValue> TorchValues::freshInputs() const {
    return copyInputs(m_inputs);
}

std::vector<IValue> TorchValues::freshDistinctInputs() const {
    std::vector<IValue> inputs = freshInputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!isDefinedTensor(inputs[i])) continue;
        const Tensor tensor = inputs[i].toTensor();
        const auto isSame = [&](const IValue& earlier) {
            return isDefinedTensor(earlier) && earlier.toTensor().is_same(tensor);
        };
        if (std::any_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i), isSame))
            inputs[i] =
                at::empty({0}, tensor.options())
                    .set_(tensor.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
    }
    return inputs;
}

std::shared_ptr<const Program> TorchValues::program(const ir::GraphPtr& graph) const {
    if (m_program && m_program->graph == graph) return m_program;
    return std::make_shared<const Program>(compile(graph));
}

std::shared_ptr<const TorchValues> TorchValues::with(Attributes attributes) const {
    return std::make_shared<const TorchValues>(std::move(attributes), m_inputs);
}

std::vector<IValue> copyInputs(const std::vector<IValue>& inputs) {
    std::unordered_map<const void*, Tensor> copies; // of whole storages, as bytes
    std::unordered_map<const void*, Tensor> sameObject;
    std::vector<IValue> out;
    out.reserve(inputs.size());
    for (const IValue& input : inputs) {
        if (!isDefinedTensor(input)) {
            out.push_back(input);
            continue;
        }
        const Tensor& tensor = input.toTensor();
        Tensor& known = sameObject[tensor.unsafeGetTensorImpl()];
        if (known.defined()) {
            out.emplace_back(known);
            continue;
        }
        const c10::Storage& storage = tensor.storage();
        Tensor& bytes = copies[storage.unsafeGetStorageImpl()];
        if (!bytes.defined()) {
            const auto count = static_cast<std::int64_t>(storage.nbytes());
            const Tensor whole = at::empty({0}, at::kByte).set_(storage, 0, {count}, {1});
            bytes = whole.clone();
        }
        known = at::empty({0}, tensor.options())
                    .set_(bytes.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
        if (tensor.is_conj()) known._set_conj(true); // asks for a complex dtype either way
        if (tensor.is_neg()) known._set_neg(true);
        out.emplace_back(known);
    }
    return out;
}

Tensor wholeStorage(const Tensor& tensor) {
    const auto cells = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.dtype().itemsize());
    return tensor.as_strided({cells}, {1}, 0);
}

passes::PassResult<const TorchValues*> torchValues(const passes::PassState& state) {
    const auto* values = dynamic_cast<const TorchValues*>(state.values.get());
    if (!values)
        return tl::unexpected(passes::PassError{"this pass needs example inputs", ir::npos, false, {}});
    return values;
}

std::optional<passes::PassError> obstacleOf(const Program& program) {
    for (ir::NodeIndex i = 0; i < program.code.size() && program.unsupported.empty(); ++i) {
        if (program.code[i].kind != Instruction::Kind::Function) continue;
        const ir::Node& node = program.graph->node(i);
        if (torch_level::isFunctorchTarget(node.target))
            return passes::PassError{"'" + node.target +
                                         "' belongs to a transform of torch.func (vmap, grad, jvp): take the "
                                         "graph that AOTAutograd makes of this one, where it is resolved",
                                     i,
                                     false,
                                     {}};
    }
    if (program.unsupported.empty()) return std::nullopt;
    const Unsupported& first = program.unsupported.front();
    std::string message = "the engine cannot run " + first.target + " (" + first.reason + ")";
    if (program.unsupported.size() > 1)
        message += "; and " + std::to_string(program.unsupported.size() - 1) + " more";
    return passes::PassError{std::move(message), first.node, false, {}};
}

passes::PassError passError(const RunError& error) {
    return {error.message, error.node, error.cancelled, {}};
}

} // namespace dynascope::engine
