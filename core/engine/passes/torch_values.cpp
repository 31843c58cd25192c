// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/torch_values.h"

#include <ATen/ops/empty.h>
#include <algorithm>
#include <unordered_map>

namespace dynascope::engine {

using at::Tensor;

std::vector<Tensor> TorchValues::freshInputs() const {
    return copyTensors(m_inputs);
}

std::vector<Tensor> TorchValues::freshDistinctInputs() const {
    std::vector<Tensor> inputs = freshInputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool again = std::any_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i),
                                       [&](const Tensor& earlier) { return earlier.is_same(inputs[i]); });
        if (again)
            inputs[i] = at::empty({0}, inputs[i].options())
                            .set_(inputs[i].storage(), inputs[i].storage_offset(), inputs[i].sizes(),
                                  inputs[i].strides());
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

std::vector<Tensor> copyTensors(const std::vector<Tensor>& tensors) {
    std::unordered_map<const void*, Tensor> copies; // of whole storages, as bytes
    std::unordered_map<const void*, Tensor> sameObject;
    std::vector<Tensor> out;
    out.reserve(tensors.size());
    for (const Tensor& tensor : tensors) {
        Tensor& known = sameObject[tensor.unsafeGetTensorImpl()];
        if (known.defined()) {
            out.push_back(known);
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
        out.push_back(known);
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

passes::PassError unsupportedError(const Program& program) {
    const Unsupported& first = program.unsupported.front();
    std::string message = "the engine cannot run " + first.target + " (" + first.reason + ")";
    if (program.unsupported.size() > 1)
        message += "; and " + std::to_string(program.unsupported.size() - 1) + " more";
    return {std::move(message), first.node, false, {}};
}

passes::PassError passError(const RunError& error) {
    return {error.message, error.node, error.cancelled, {}};
}

} // namespace dynascope::engine
