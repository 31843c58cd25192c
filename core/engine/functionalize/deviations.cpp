// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functionalize/deviations.h"

#include "core/engine/functionalize/overlapping_write.h"
#include "core/ir/operators.h"

#include <algorithm>
#include <array>
#include <map>

namespace dynascope::engine {

namespace {

bool sharesCells(const c10::IValue& input) {
    return isDefinedTensor(input) && overlapsItself(input.toTensor());
}

class Search {
public:
    Search(const Program& program, bool viewsRemoved)
        : m_program(program)
        , m_viewsRemoved(viewsRemoved) {}

    std::vector<std::string> run(const std::vector<c10::IValue>& inputs) {
        const bool written = writes();
        if (!written && !m_viewsRemoved) return {};
        if (!written) { // only as_strided sees where values lie
            for (ir::NodeIndex i = 0; i < m_program.code.size(); ++i)
                lookAtStrides(m_program.graph->node(i));
            return std::move(m_out);
        }
        sharedStorage(inputs);
        lookAtLayouts();
        lookAtInputs(inputs);
        for (ir::NodeIndex i = 0; i < m_program.code.size(); ++i)
            look(m_program.graph->node(i));
        return sorted();
    }

    /// What comes of the order of elements in memory, and of elements that views leave out.
    std::vector<std::string> layouts(const std::vector<c10::IValue>& inputs) {
        if (!writes()) return {};
        lookAtLayouts();
        lookAtInputs(inputs);
        return sorted();
    }

private:
    std::vector<std::string> sorted() {
        std::sort(m_out.begin(), m_out.end());
        m_out.erase(std::unique(m_out.begin(), m_out.end()), m_out.end());
        return std::move(m_out);
    }

    [[nodiscard]] bool writes() const {
        for (ir::NodeIndex i = 0; i < m_program.code.size(); ++i)
            if (mutates(i)) return true;
        return false;
    }

    [[nodiscard]] bool mutates(ir::NodeIndex node) const {
        const auto& op = m_program.code[node].op;
        return op ? op->schema().is_mutable() : ir::opKind(m_program.graph->node(node)) == ir::OpKind::Write;
    }

    void sharedStorage(const std::vector<c10::IValue>& inputs) {
        std::map<const void*, std::string> first;
        std::size_t position = 0;
        for (ir::NodeIndex i = 0; i < m_program.code.size() && position < inputs.size(); ++i) {
            if (m_program.code[i].kind != Instruction::Kind::Input) continue;
            const std::string& name = m_program.graph->node(i).name;
            const c10::IValue& input = inputs[position++];
            if (!isDefinedTensor(input)) continue;
            const auto [found, isNew] =
                first.emplace(input.toTensor().storage().unsafeGetStorageImpl(), name);
            if (!isNew)
                m_out.push_back("inputs '" + found->second + "' and '" + name +
                                "' share memory, and PyTorch's functionalization takes them for independent");
        }
    }

    void lookAtStrides(const ir::Node& node) {
        if (std::string_view(node.target).starts_with("torch.ops.aten.as_strided"))
            m_out.push_back(
                "'" + node.name +
                "' (as_strided) reads the storage's layout, which a functional value need not keep");
    }

    void lookAtInputs(const std::vector<c10::IValue>& inputs) {
        if (std::any_of(inputs.begin(), inputs.end(), sharesCells))
            m_out.emplace_back("an input whose elements overlap cannot be written back");
    }

    void lookAtLayouts() {
        std::vector<ir::NodeIndex> sharing(m_program.code.size(), ir::npos);
        for (ir::NodeIndex i = 0; i < m_program.code.size(); ++i) {
            lookAtLayout(m_program.graph->node(i), m_program.code[i]);
            lookAtSharing(i, sharing);
        }
    }

    /// `sharing`: by node, the view that it sees memory through and whose elements may share cells, or npos.
    void lookAtSharing(ir::NodeIndex i, std::vector<ir::NodeIndex>& sharing) {
        const Instruction& instruction = m_program.code[i];
        if (!instruction.op) return;
        const auto& formals = instruction.op->schema().arguments();
        const ir::Node& node = m_program.graph->node(i);
        for (std::size_t k = 0; k < std::min(formals.size(), instruction.operands.size()); ++k) {
            const Operand& operand = instruction.operands[k];
            const auto* const alias = formals[k].alias_info();
            if (!alias || operand.kind != Operand::Kind::Value) continue;
            const ir::NodeIndex through = sharing[operand.node];
            if (k == 0) sharing[i] = through;
            if (!alias->isWrite() || through == ir::npos) continue;
            const ir::Node& view = m_program.graph->node(through);
            if (isUnfold(view) || fillsAnything(node))
                m_out.push_back("'" + node.name + "' writes through '" + view.name +
                                "', whose elements may share cells, which its inverse adds up");
        }
        if (isExpand(node) || (isUnfold(node) && windowsOverlap(instruction))) sharing[i] = i;
    }

    static bool isExpand(const ir::Node& node) { return node.target.starts_with("torch.ops.aten.expand."); }
    static bool isUnfold(const ir::Node& node) { return node.target.starts_with("torch.ops.aten.unfold."); }

    static bool windowsOverlap(const Instruction& unfold) {
        const auto number = [&](std::size_t at) {
            const c10::IValue& value = unfold.operands[at].constant;
            return value.isInt() ? value.toInt() : 0;
        };
        return unfold.operands.size() == 4 && number(2) > number(3);
    }

    /// Eager lets nothing else write where strides are zero.
    static bool fillsAnything(const ir::Node& node) {
        constexpr std::array fills{"fill_.", "zero_.", "masked_fill_.", "index_put_."};
        constexpr std::string_view prefix = "torch.ops.aten.";
        return node.target.starts_with(prefix) &&
               std::any_of(fills.begin(), fills.end(), [&](std::string_view fill) {
                   return std::string_view(node.target).substr(prefix.size()).starts_with(fill);
               });
    }

    void lookAtLayout(const ir::Node& node, const Instruction& instruction) {
        // Steps larger than one may leave a rest at the end, if not gaps between the windows.
        if (isUnfold(node) && instruction.operands.size() == 4 && instruction.operands[3].constant.isInt() &&
            instruction.operands[3].constant.toInt() > 1)
            m_out.push_back("the windows of '" + node.name +
                            "' may leave elements out, which its inverse fills with zeros");
        lookAtStrides(node);
    }

    void look(const ir::Node& node) {
        const std::string_view target = node.target;
        if (target.starts_with("torch.ops.aten.set_."))
            m_out.push_back("'" + node.name + "' replaces a storage, which is written back as data");
        constexpr std::string_view prefix = "torch.ops.aten.";
        if (!target.starts_with(prefix)) return;
        const std::string_view op = target.substr(prefix.size());
        if (!op.substr(0, op.find('.')).ends_with('_')) return; // most nodes
        for (const std::string_view view :
             {"t_.", "transpose_.", "squeeze_.", "unsqueeze_.", "as_strided_.", "swapaxes_.", "swapdims_."}) {
            if (op.starts_with(view))
                m_out.push_back("'" + node.name +
                                "' changes a tensor's geometry in place, and the write-back " +
                                (m_viewsRemoved ? "copies rearranged data" : "overlaps its source"));
        }
    }

    const Program& m_program;
    bool m_viewsRemoved;
    std::vector<std::string> m_out;
};

} // namespace

std::vector<std::string> knownDeviations(const Program& program, const std::vector<c10::IValue>& inputs,
                                         bool viewsRemoved) {
    return Search(program, viewsRemoved).run(inputs);
}

std::vector<std::string> knownLayoutDeviations(const Program& program,
                                               const std::vector<c10::IValue>& inputs) {
    return Search(program, false).layouts(inputs);
}

} // namespace dynascope::engine
