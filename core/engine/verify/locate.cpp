// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/locate.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/clone.h>
#include <algorithm>
#include <set>

namespace dynascope::engine {

namespace {

using ir::NodeIndex;

constexpr std::size_t none = static_cast<std::size_t>(-1);
/// Of numbers in double precision: what many operators in a row round away.
constexpr double wideTolerance = 1e-10;

/// Ends a run early. Not an error.
struct Enough {};

at::Tensor copyOf(const at::Tensor& tensor) {
    const at::AutoGradMode noGrad(false);
    if (!tensor.defined()) return tensor;
    return at::clone(tensor.detach());
}

c10::IValue copyOf(const c10::IValue& value) {
    if (value.isTensor()) return copyOf(value.toTensor());
    if (!value.isTuple() && !value.isList()) return value;
    std::vector<c10::IValue> items;
    for (const c10::IValue& leaf : leavesOf(value)) {
        if (leaf.isTensor()) {
            items.emplace_back(copyOf(leaf.toTensor()));
        } else {
            items.push_back(leaf);
        }
    }
    return c10::ivalue::Tuple::create(std::move(items));
}

/// Keeps copies of the values of some nodes as they are right after the node ran, or, for one node, as they
/// are after a later one.
class Snapshots final : public RunObserver {
public:
    explicit Snapshots(const std::set<NodeIndex>& nodes)
        : m_nodes(nodes)
        , m_last(nodes.empty() ? 0 : *nodes.rbegin()) {}
    Snapshots(NodeIndex node, NodeIndex atNode)
        : m_nodes{node}
        , m_last(atNode)
        , m_late(true) {}

    void before(NodeIndex /*node*/) override {}
    void after(NodeIndex node, const c10::IValue& value) override {
        if (m_nodes.contains(node)) keep(node, value);
        if (node != m_last) return;
        if (m_late) {
            for (auto& [kept, late] : m_values)
                late = copyOf(late);
        }
        m_done = true;
        throw Enough();
    }
    [[nodiscard]] bool done() const { return m_done; }
    [[nodiscard]] const c10::IValue* of(NodeIndex node) const {
        const auto found = m_values.find(node);
        return found == m_values.end() ? nullptr : &found->second;
    }

private:
    void keep(NodeIndex node, const c10::IValue& value) {
        if (m_late) {
            m_values.insert_or_assign(node, value);
        } else {
            m_values.insert_or_assign(node, copyOf(value));
        }
    }

    std::set<NodeIndex> m_nodes;
    NodeIndex m_last;
    bool m_late = false;
    bool m_done = false;
    std::map<NodeIndex, c10::IValue> m_values;
};

/// False if the run ended before the observer had enough.
bool observe(const Side& side, const nlohmann::json& inputs, std::uint64_t seed, const TaskContext& task,
             Snapshots& snapshots) {
    try {
        (void)runSide(side, inputs, seed, task, &snapshots);
    } catch (const Enough&) {
        return true;
    }
    return snapshots.done();
}

} // namespace

Locator::Locator(const Side& source, const Side& computed, std::vector<MatchedPair> pairs,
                 const nlohmann::json& inputs, std::uint64_t seed, const TaskContext& task)
    : m_source(source)
    , m_computed(computed)
    , m_pairs(std::move(pairs))
    , m_pairOf(computed.program->graph->size(), none)
    , m_inputs(inputs)
    , m_seed(seed)
    , m_task(task) {
    if (source.isWide && computed.isWide) m_tolerance = wideTolerance;
    std::sort(m_pairs.begin(), m_pairs.end(),
              [](const MatchedPair& a, const MatchedPair& b) { return a.computed < b.computed; });
    for (std::size_t i = 0; i < m_pairs.size(); ++i)
        m_pairOf[m_pairs[i].computed] = i;
}

std::optional<FirstDifference> Locator::find(const Symptom& symptom) {
    const NodeIndex computed = leafOf(symptom, false);
    const NodeIndex source = leafOf(symptom, true);
    if (computed == ir::npos) return std::nullopt;
    const std::size_t own = m_pairOf[computed];
    std::vector<std::size_t> suspects = own != none ? std::vector<std::size_t>{own} : readBy(computed);
    const auto differences = probe(suspects);
    for (std::size_t i = 0; i < suspects.size(); ++i) {
        if (differences[i]) return bisect(suspects[i]);
    }
    if (own != none || source == ir::npos) return findMissedWrite(source, computed);
    // What it reads is right, and it is not.
    std::vector<NodeIndex> among;
    (void)readBy(computed, &among);
    return FirstDifference{
        source,           computed, {"differs after the call", {}, {}, {}},
        std::move(among), m_runs,   "what it reads is right, and no node of the source stands for it"};
}

std::optional<FirstDifference> Locator::findBefore(NodeIndex computed) {
    const std::vector<std::size_t> suspects = readBy(computed);
    const auto differences = probe(suspects);
    for (std::size_t i = 0; i < suspects.size(); ++i) {
        if (differences[i]) return bisect(suspects[i]);
    }
    return std::nullopt;
}

std::optional<FirstDifference> Locator::bisect(std::size_t differing) {
    for (;;) {
        if (m_task.cancelled()) return std::nullopt;
        // Between a pair that agrees (or the beginning) and one that differs lies one that is the first to
        // differ after one that agrees.
        const std::vector<std::size_t> slice = ancestry(m_pairs[differing].computed);
        std::size_t low = 0; // all before it are taken to agree
        std::size_t high = slice.size() - 1;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (probeOne(slice[middle])) {
                high = middle;
            } else {
                low = middle + 1;
            }
            if (m_task.cancelled()) return std::nullopt;
        }
        const std::size_t found = slice[high];
        // Differences need not last from node to node, so what this one reads is looked at as well. An
        // earlier node each time, so this ends.
        std::vector<NodeIndex> among;
        const std::vector<std::size_t> reads = readBy(m_pairs[found].computed, &among);
        const auto differences = probe(reads);
        const auto wrong = std::find_if(differences.begin(), differences.end(),
                                        [](const auto& difference) { return difference.has_value(); });
        if (wrong != differences.end()) {
            differing = reads[static_cast<std::size_t>(wrong - differences.begin())];
            continue;
        }
        std::optional<ValueDifference> difference = probeOne(found);
        if (!difference) return std::nullopt; // runs are not repeatable
        return FirstDifference{m_pairs[found].source,
                               m_pairs[found].computed,
                               std::move(*difference),
                               std::move(among),
                               m_runs,
                               "bisection over " + std::to_string(slice.size()) +
                                   " matched nodes; what it reads is right"};
    }
}

std::optional<FirstDifference> Locator::findMissedWrite(NodeIndex source, NodeIndex computed) {
    if (source == ir::npos) return std::nullopt;
    // After which pair does the value part that both sides hold since `computed`?
    std::vector<std::size_t> later;
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        if (m_pairs[i].computed > computed && m_pairs[i].source > source) later.push_back(i);
    }
    const auto partAfter = [&](std::size_t pair) -> std::optional<ValueDifference> {
        Snapshots eager(source, m_pairs[pair].source);
        Snapshots ours(computed, m_pairs[pair].computed);
        ++m_runs;
        if (!observe(m_source, m_inputs, m_seed, m_task, eager) ||
            !observe(m_computed, m_inputs, m_seed, m_task, ours))
            return std::nullopt;
        return eager.of(source) && ours.of(computed)
                   ? valueDifference(*eager.of(source), *ours.of(computed), m_tolerance)
                   : std::nullopt;
    };
    if (later.empty() || !partAfter(later.back())) return std::nullopt;
    std::size_t low = 0;
    std::size_t high = later.size() - 1;
    while (low < high && !m_task.cancelled()) {
        const std::size_t middle = low + (high - low) / 2;
        if (partAfter(later[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    std::optional<ValueDifference> difference = partAfter(later[high]);
    if (!difference) return std::nullopt;
    const std::string held = m_source.program->graph->node(source).name;
    return FirstDifference{m_pairs[later[high]].source,
                           m_pairs[later[high]].computed,
                           std::move(*difference),
                           {},
                           m_runs,
                           "bisection over " + std::to_string(later.size()) +
                               " matched nodes: its write to '" + held +
                               "' is missing in the computed graph"};
}

std::vector<std::optional<ValueDifference>> Locator::probe(const std::vector<std::size_t>& pairs) {
    std::vector<std::optional<ValueDifference>> out(pairs.size());
    if (pairs.empty()) return out;
    std::set<NodeIndex> sources, computed;
    for (const std::size_t pair : pairs) {
        sources.insert(m_pairs[pair].source);
        computed.insert(m_pairs[pair].computed);
    }
    Snapshots eager(sources);
    Snapshots ours(computed);
    ++m_runs;
    observe(m_source, m_inputs, m_seed, m_task, eager);
    observe(m_computed, m_inputs, m_seed, m_task, ours);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const c10::IValue* expected = eager.of(m_pairs[pairs[i]].source);
        const c10::IValue* actual = ours.of(m_pairs[pairs[i]].computed);
        if (expected && actual) out[i] = valueDifference(*expected, *actual, m_tolerance);
        if (expected && !actual) out[i] = ValueDifference{"it does not run", {}, {}, {}};
    }
    return out;
}

std::optional<ValueDifference> Locator::probeOne(std::size_t pair) {
    return std::move(probe({pair}).front());
}

std::vector<std::size_t> Locator::readBy(NodeIndex computed, std::vector<NodeIndex>* between) const {
    std::set<std::size_t> found;
    std::set<NodeIndex> seen;
    std::vector<NodeIndex> open{computed};
    while (!open.empty()) {
        const NodeIndex node = open.back();
        open.pop_back();
        for (const NodeIndex input : m_computed.program->graph->inputs(node)) {
            if (!seen.insert(input).second) continue;
            if (m_pairOf[input] != none) {
                found.insert(m_pairOf[input]);
            } else {
                open.push_back(input);
                if (between) between->push_back(input);
            }
        }
    }
    if (between) std::sort(between->begin(), between->end());
    return {found.begin(), found.end()};
}

std::vector<std::size_t> Locator::ancestry(NodeIndex computed) const {
    std::set<std::size_t> found;
    std::set<NodeIndex> seen{computed};
    std::vector<NodeIndex> open{computed};
    while (!open.empty()) {
        const NodeIndex node = open.back();
        open.pop_back();
        if (m_pairOf[node] != none) found.insert(m_pairOf[node]);
        for (const NodeIndex input : m_computed.program->graph->inputs(node)) {
            if (seen.insert(input).second) open.push_back(input);
        }
    }
    return {found.begin(), found.end()};
}

NodeIndex Locator::leafOf(const Symptom& symptom, bool ofSource) const {
    const Side& side = ofSource ? m_source : m_computed;
    const std::vector<const Operand*> leaves = resultLeaves(*side.program);
    if (symptom.input) {
        // The value that is written back stands for the input after the call.
        for (const wire::WriteBack& entry : side.writeBacks)
            if (entry.position == symptom.position && entry.output && *entry.output < leaves.size())
                return leaves[*entry.output]->node;
        NodeIndex input = ir::npos;
        for (NodeIndex i = 0; i < side.program->code.size(); ++i) {
            const Instruction& instruction = side.program->code[i];
            if (instruction.kind == Instruction::Kind::Input && instruction.position == symptom.position)
                input = i;
        }
        if (ofSource || input == ir::npos) return input;
        for (NodeIndex i = static_cast<NodeIndex>(side.program->code.size()); i-- > 0;) {
            const ir::Node& node = side.program->graph->node(i);
            const auto inputs = side.program->graph->inputs(i);
            if (node.target == "torch.ops.aten.copy_.default" && inputs.size() == 2 &&
                (inputs[0] == input ||
                 side.program->graph->node(inputs[0]).target.starts_with("torch.ops.aten.as_strided_")))
                return i;
        }
        return input;
    }
    std::size_t leading = 0;
    for (const wire::WriteBack& entry : side.writeBacks)
        leading += entry.output ? 1 : 0;
    const std::size_t at = symptom.position + leading;
    return at < leaves.size() && leaves[at]->kind == Operand::Kind::Value ? leaves[at]->node : ir::npos;
}

} // namespace dynascope::engine
