// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/bulk_tensor.h"

#include "core/engine/exec/case_values.h"
#include "core/engine/exec/torch_words.h"
#include "core/engine/service/pass_runner.h"
#include "core/engine/verify/tensor_compare.h"

#include <ATen/core/grad_mode.h>
#include <cstring>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// Ends a run when the node has run.
class Catch final : public RunObserver {
public:
    struct Caught {};

    explicit Catch(ir::NodeIndex node)
        : m_node(node) {}
    void before(ir::NodeIndex /*node*/) override {}
    void after(ir::NodeIndex node, const c10::IValue& value) override {
        if (node != m_node) return;
        m_leaves = leavesOf(value);
        throw Caught();
    }
    /// Tensors and numbers of the value.
    [[nodiscard]] const std::vector<c10::IValue>& leaves() const { return m_leaves; }

private:
    ir::NodeIndex m_node;
    std::vector<c10::IValue> m_leaves;
};

json bytesOf(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.detach().resolve_conj().resolve_neg().contiguous();
    std::vector<std::uint8_t> bytes(plain.nbytes());
    if (!bytes.empty()) std::memcpy(bytes.data(), plain.const_data_ptr(), bytes.size());
    return json::binary(std::move(bytes));
}

} // namespace

Reply tensorMethod(const wire::TensorRequest& said, const Program& program, const json& inputs,
                   const TaskContext& task) {
    const std::string& name = said.node;
    const ir::NodeIndex node = program.graph->find(name);
    if (node == ir::npos || node >= program.code.size()) return invalid("there is no node '" + name + "'");
    const Result<Attributes> attributes = makeAttributes(said.on.attributes);
    if (!attributes) return invalid(attributes.error().message);
    const Result<CaseInputs> made = makeInputs(inputs, {});
    if (!made) return invalid(made.error().message);
    const at::AutoGradMode noGrad(false);
    Catch observer(node);
    try {
        const auto results = run(program, made->values, *attributes, task, &observer);
        if (!results) return tl::unexpected(runFailure(program, results.error()));
    } catch (const Catch::Caught&) { // what it is for
    }
    const std::vector<c10::IValue>& leaves = observer.leaves();
    const std::uint64_t item = said.item;
    if (item >= leaves.size() || !leaves[item].isTensor() || !leaves[item].toTensor().defined())
        return invalid("the value of '" + name + "' is no tensor");
    const at::Tensor& tensor = leaves[item].toTensor();
    json answer = wire::encode(wire::TensorReply{dtypeName(tensor.scalar_type()), tensor.sizes().vec()});
    answer["data"] = bytesOf(tensor); // goes apart from the document
    return answer;
}

} // namespace dynascope::engine
