// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/alias_analysis.h"

#include "core/engine/exec/torch_words.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;

template <typename Fn>
void forEachTensor(const IValue& value, const Fn& fn) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) fn(value.toTensor());
    } else if (value.isTensorList()) {
        for (const Tensor& item : value.toTensorVector())
            fn(item);
    } else if (value.isTuple()) {
        for (const IValue& item : value.toTupleRef().elements())
            forEachTensor(item, fn);
    } else if (value.isList()) {
        for (const IValue& item : value.toListRef())
            forEachTensor(item, fn);
    }
}

/// Of a tensor that is defined; Tensor::_version() says nothing else.
std::uint32_t versionOf(const Tensor& tensor) {
    return tensor.unsafeGetTensorImpl()->version_counter().current_version();
}

bool meet(const std::set<int>& a, const std::set<int>& b) {
    return std::any_of(a.begin(), a.end(), [&](int group) { return b.contains(group); });
}

class Analysis final : public RunObserver {
public:
    explicit Analysis(const Program& program)
        : m_program(program)
        , m_out(program.graph->size()) {}

    void before(ir::NodeIndex node) override {
        m_versions.clear();
        for (const ir::NodeIndex input : m_program.graph->inputs(node)) {
            forEachTensor(valueOf(input),
                          [&](const Tensor& tensor) { m_versions.emplace_back(tensor, versionOf(tensor)); });
        }
    }

    void after(ir::NodeIndex node, const IValue& value) override {
        NodeAliases& out = m_out[node];
        const ir::Node& what = m_program.graph->node(node);
        m_values.insert_or_assign(node, IValue(value));
        forEachTensor(value, [&](const Tensor& tensor) {
            out.groups.insert(groupOf(tensor));
            if (out.dtype.empty()) describe(tensor, out);
        });
        out.isTensor = value.isTensor();
        for (const auto& [tensor, version] : m_versions)
            if (versionOf(tensor) != version) out.mutates.insert(groupOf(tensor));
        const auto inputs = m_program.graph->inputs(node);
        if (value.isNone() && !inputs.empty()) out.groups = m_out[inputs.front()].groups;
        if (what.op == ir::Op::Placeholder) m_inputGroups.insert(out.groups.begin(), out.groups.end());
        out.isMutation = !out.mutates.empty();
        out.isInputAlias = meet(out.groups, m_inputGroups);
        out.isInputMutation = meet(out.mutates, m_inputGroups);
        out.partialMutation = std::any_of(inputs.begin(), inputs.end(), [&](ir::NodeIndex input) {
            const std::string& target = m_program.graph->node(input).target;
            const bool indexed =
                target == "operator.getitem" || target == "_operator.getitem" || m_out[input].partialMutation;
            return indexed && meet(m_out[input].groups, out.mutates);
        });
    }

    std::vector<NodeAliases> take() { return std::move(m_out); }

private:
    [[nodiscard]] const IValue& valueOf(ir::NodeIndex node) const {
        static const IValue none;
        const auto found = m_values.find(node);
        return found == m_values.end() ? none : found->second;
    }

    int groupOf(const Tensor& tensor) {
        // The storage is kept, so that its address stays its own.
        const auto [found, isNew] =
            m_groups.emplace(tensor.storage().unsafeGetStorageImpl(), static_cast<int>(m_groups.size()) + 1);
        if (isNew) m_kept.push_back(tensor.storage());
        return found->second;
    }

    static void describe(const Tensor& tensor, NodeAliases& out) {
        out.dtype = "torch." + dtypeName(tensor.scalar_type());
        std::ostringstream device;
        device << tensor.device();
        out.device = device.str();
    }

    const Program& m_program;
    std::unordered_map<ir::NodeIndex, IValue> m_values;
    std::vector<NodeAliases> m_out;
    std::vector<std::pair<Tensor, std::uint32_t>> m_versions;
    std::unordered_map<const void*, int> m_groups;
    std::vector<c10::Storage> m_kept;
    std::set<int> m_inputGroups;
};

} // namespace

tl::expected<std::vector<NodeAliases>, RunError> analyzeAliases(const Program& program,
                                                                const std::vector<IValue>& inputs,
                                                                const Attributes& attributes,
                                                                const TaskContext& task) {
    Analysis analysis(program);
    const auto results = run(program, inputs, attributes, task, &analysis);
    if (!results) return tl::unexpected(results.error());
    return analysis.take();
}

} // namespace dynascope::engine
