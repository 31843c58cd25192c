// SPDX-License-Identifier: BSD-3-Clause
//
// One graph: the reasons that PyTorch would find, in words for whoever wrote the program.
#include "core/replay/coverage.h"
#include "core/replay/mutation_check.h"
#include "core/replay/written_arguments.h"

#include <algorithm>
#include <map>

namespace dynascope::replay {

namespace {

using Kind = SkipReason::Kind;

struct Words {
    std::string_view what, advice;
};

Words wordsOf(Kind kind) {
    switch (kind) {
    case Kind::MutatedInputs:
        return {
            "writes an input",
            "return the new value instead of writing it in place, or make the tensor a parameter or buffer "
            "(or torch._dynamo.mark_static_address) so that its address stays; with reduce-overhead it may "
            "also be an output of another CUDA graph"};
    case Kind::CpuTensor:
        return {"has CPU tensors",
                "create them with device=, register constants as buffers so that .to() moves them, and pass "
                "Python numbers instead of CPU scalars"};
    case Kind::MultipleDevices:
        return {"is not on one CUDA device", "keep each compiled function on one device, and move tensors "
                                             "outside of it"};
    case Kind::NoDevice:
        return {"has no tensor on a device", "nothing here needs a CUDA graph"};
    case Kind::ForbiddenOp:
        return {
            "calls an op that cannot be recorded",
            "it waits for the GPU or allocates by what it finds there: move it out of the compiled function"};
    case Kind::BooleanIndex:
        return {
            "assigns through a boolean mask",
            "write torch.where(mask, value, x) or x.masked_fill(mask, value): the mask's true elements are "
            "counted on the CPU"};
    case Kind::SparseOutput:
        return {"makes a sparse tensor", "convert to sparse outside of the compiled function"};
    case Kind::UnbackedSymbol:
        break;
    }
    return {"has sizes that depend on data",
            "avoid .item(), nonzero, masked_select and unique in the compiled function, or give them a fixed "
            "size (torch.nonzero_static)"};
}

class Judge {
public:
    Judge(const ReplayGraphFacts& facts, const CoverageContext& options)
        : m_facts(facts)
        , m_graph(*facts.graph)
        , m_options(options) {
        std::size_t ordinal = 0;
        for (ir::NodeIndex i = 0; i < m_graph.size(); ++i) {
            if (m_graph.node(i).op != ir::Op::Placeholder) continue;
            m_isFixed.push_back(std::ranges::binary_search(options.fixed, ordinal));
            m_isRecorded.push_back(std::ranges::binary_search(options.recorded, ordinal++));
            m_placeholders.push_back(i);
        }
    }

    GraphCoverage run() {
        m_out.nodes = m_graph.size();
        m_out.inputs = m_placeholders.size();
        m_out.fixedInputs = static_cast<std::size_t>(std::count(m_isFixed.begin(), m_isFixed.end(), true));
        const InputMutations mutations = findInputMutations(m_facts);
        const bool torchLevel = !m_options.ofAutograd &&
                                std::none_of(m_graph.nodes().begin(), m_graph.nodes().end(),
                                             [](const ir::NodePtr& node) { return hasSchema(*node); }) &&
                                m_graph.size() > m_placeholders.size() + 1;
        if (torchLevel)
            return unknown("it is a graph of Python functions: what they write is not known before "
                           "AOTAutograd's graph");
        if (m_options.backend == GraphBackend::ReduceOverhead && callsNothing()) return handedBack();
        if (devicesOf(m_facts).empty() && m_graph.size() > 1)
            return unknown("the text does not say on which device its tensors are");

        const std::vector<SkipReason> reasons = reasonsOf(m_facts, mutations);
        const std::optional<RaisedError> error = errorOf(m_facts, mutations, reasons);
        m_out.verdict = error ? CoverageVerdict::Raises : verdictOf(m_facts, reasons);
        if (m_out.verdict == CoverageVerdict::Skipped) m_out.message = saidOf(m_facts, reasons);
        m_out.needsNone = std::ranges::any_of(
            reasons, [](const SkipReason& reason) { return reason.kind == Kind::NoDevice; });
        if (error) {
            m_out.message = error->type + ": " + error->message;
            m_out.problems.push_back(errorProblem(*error, mutations));
        }
        judgeOnGpu(mutations);
        for (const SkipReason& reason : reasons)
            addProblem(reason, mutations);
        if (hasBranches())
            m_out.problems.push_back(
                {"branches or loops inside the graph",
                 "choose with torch.where where both sides are cheap, or accept that the graph is cut here",
                 controlFlow(), true});
        if (m_staysWhole)
            m_out.problems.push_back(
                {"given up as a whole, since Inductor did not cut graphs here",
                 "torch._inductor.config.graph_partition = True, which is the default since "
                 "PyTorch 2.9, leaves these out and records the rest",
                 {},
                 true});
        addNotes(mutations);
        return std::move(m_out);
    }

private:
    /// Whether a write of the input keeps the graph from being recorded.
    [[nodiscard]] bool forbids(std::size_t input) const {
        return input < m_isFixed.size() && !m_isFixed[input] &&
               !(m_options.backend == GraphBackend::ReduceOverhead && m_isRecorded[input]);
    }

    /// What PyTorch raises instead of answering: the backend "cudagraphs" only, since Inductor asks
    /// otherwise.
    [[nodiscard]] std::optional<RaisedError> errorOf(const ReplayGraphFacts& facts,
                                                     const InputMutations& mutations,
                                                     const std::vector<SkipReason>& reasons) const {
        if (m_options.backend != GraphBackend::Cudagraphs) return {};
        if (mutations.error) return mutations.error;
        return reasons.empty() ? deviceIndex(facts).error : std::nullopt;
    }

    [[nodiscard]] bool callsNothing() const {
        return std::ranges::all_of(m_graph.nodes(), [](const ir::NodePtr& node) {
            return node->op == ir::Op::Placeholder || node->op == ir::Op::GetAttr ||
                   node->op == ir::Op::Output;
        });
    }

    /// Inductor compiles nothing where a graph has no call (compile_fx.py, count_calls).
    GraphCoverage handedBack() {
        m_out.verdict = CoverageVerdict::Skipped;
        m_out.needsNone = true;
        m_out.problems.push_back({"calls nothing: Inductor hands the graph back as it is",
                                  "nothing here needs a CUDA graph",
                                  {},
                                  true});
        return std::move(m_out);
    }

    GraphCoverage unknown(std::string why) {
        m_out.message = std::move(why);
        return std::move(m_out);
    }

    std::vector<SkipReason> reasonsOf(const ReplayGraphFacts& facts, const InputMutations& mutations) const {
        SkipOptions options;
        options.allowInputMutation = true; // asked below, since fixed inputs need not come first
        std::vector<SkipReason> reasons = checkForSkip(facts, mutations, options).reasons;
        std::vector<std::size_t> written;
        SkipReason mutation{Kind::MutatedInputs, {}, {}};
        for (const std::size_t input : mutations.inputs) {
            if (!forbids(input)) continue;
            written.push_back(input);
            mutation.nodes.push_back(m_placeholders[input]);
        }
        if (written.empty()) return reasons;
        std::vector<std::string> uses;
        for (PlaceholderInfo& info : placeholdersOf(m_graph))
            uses.push_back(std::move(info.mutatingUse));
        mutation.message = mutationMessage(uses, written);
        reasons.insert(reasons.begin(), std::move(mutation));
        return reasons;
    }

    static bool anyCuda(const ReplayGraphFacts& facts) {
        return std::ranges::any_of(
            facts.nodes, [](const ReplayNodeFacts& node) { return deviceType(node.device) == "cuda"; });
    }

    /// Where Inductor cuts graphs, it leaves single ops and CPU tensors out of its CUDA graphs instead of giving up
    /// the whole.
    static bool isCutAround(const ReplayGraphFacts& facts, const SkipReason& reason) {
        return reason.kind != Kind::MutatedInputs && reason.kind != Kind::MultipleDevices &&
               reason.kind != Kind::NoDevice && (reason.kind != Kind::CpuTensor || anyCuda(facts));
    }

    CoverageVerdict verdictOf(const ReplayGraphFacts& facts, const std::vector<SkipReason>& reasons) {
        if (m_options.backend == GraphBackend::Cudagraphs)
            return reasons.empty() ? CoverageVerdict::CudaGraph : CoverageVerdict::Skipped;
        if (reasons.empty() && !hasBranches()) return CoverageVerdict::CudaGraph;
        const bool splits = std::ranges::all_of(
            reasons, [&](const SkipReason& reason) { return isCutAround(facts, reason); });
        if (splits && m_options.cuts) return CoverageVerdict::Split;
        m_staysWhole = m_staysWhole || splits;
        return CoverageVerdict::Skipped;
    }

    /// What PyTorch says of a graph that it skips. Inductor asks about devices when it has lowered the graph, and about
    /// writes when it runs; of a graph without a CUDA tensor it says nothing.
    std::string saidOf(const ReplayGraphFacts& facts, const std::vector<SkipReason>& reasons) const {
        if (m_options.backend == GraphBackend::Cudagraphs) return reasons.front().message;
        const bool another = !m_options.cuts && std::ranges::any_of(reasons, [&](const SkipReason& reason) {
            return isCutAround(facts, reason);
        });
        if (!anyCuda(facts) || another) return {};
        for (const Kind kind : {Kind::MultipleDevices, Kind::MutatedInputs})
            for (const SkipReason& reason : reasons)
                if (reason.kind == kind) return reason.message;
        return {};
    }

    /// A capture that was made without a GPU says what would happen on one.
    void judgeOnGpu(const InputMutations& mutations) {
        const std::vector<DeviceUse> devices = devicesOf(m_facts);
        if (devices.size() != 1 || devices.front().device != "cpu") return;
        ReplayGraphFacts moved = m_facts;
        for (ReplayNodeFacts& node : moved.nodes)
            if (node.device == "cpu") node.device = "cuda:0";
        const std::vector<SkipReason> reasons = reasonsOf(moved, mutations);
        m_out.onGpu =
            errorOf(moved, mutations, reasons) ? CoverageVerdict::Raises : verdictOf(moved, reasons);
        if (m_out.onGpu == CoverageVerdict::Skipped) m_out.messageOnGpu = saidOf(moved, reasons);
    }

    /// Inductor records neither branches nor loops; the backend "cudagraphs" makes conditional nodes of them.
    bool hasBranches() const {
        return m_options.backend == GraphBackend::ReduceOverhead && !controlFlow().empty();
    }
    std::vector<CoveragePlace> controlFlow() const {
        std::vector<CoveragePlace> out;
        for (ir::NodeIndex i = 0; i < m_graph.size(); ++i)
            if (m_graph.node(i).target == "torch.ops.higher_order.cond" ||
                m_graph.node(i).target == "torch.ops.higher_order.while_loop")
                out.push_back(placeOf(i));
        return out;
    }

    CoveragePlace placeOf(ir::NodeIndex i) const {
        const ir::Node& node = m_graph.node(i);
        CoveragePlace place{node.name, {}, {}};
        if (node.op != ir::Op::Placeholder) place.target = ir::shortTarget(node.target);
        if (const ir::SourceLocation* at = node.location()) {
            place.at = *at;
        } else {
            for (const ir::NodeIndex user : m_graph.users(i)) {
                const ir::SourceLocation* at = m_graph.node(user).location();
                if (!at) continue;
                place.at = *at;
                break;
            }
        }
        return place;
    }

    void addProblem(const SkipReason& reason, const InputMutations& mutations) {
        const Words words = wordsOf(reason.kind);
        CoverageProblem problem{std::string(words.what), std::string(words.advice), {}, true};
        if (m_out.onGpu && reason.kind == Kind::CpuTensor) {
            // All of it: no place is worth more than the others.
            problem.what = runsOnCpu;
            problem.advice = "move the model and its inputs to one GPU";
        } else if (reason.kind == Kind::MutatedInputs) {
            for (const InputWrite& write : mutations.writes) {
                if (!write.marked || !forbids(write.input)) continue;
                CoveragePlace place = placeOf(write.node);
                place.node = m_graph.node(m_placeholders[write.input]).name + " by " + place.node;
                problem.places.push_back(std::move(place));
            }
        } else {
            for (const ir::NodeIndex i : reason.nodes)
                if (reason.kind != Kind::CpuTensor || bringsCpuIn(i)) problem.places.push_back(placeOf(i));
        }
        m_out.problems.push_back(std::move(problem));
    }

    [[nodiscard]] CoverageProblem errorProblem(const RaisedError& error,
                                               const InputMutations& mutations) const {
        if (mutations.error == error) {
            CoverageProblem problem{"writes a list of tensors, at which backend \"cudagraphs\" fails",
                                    "use mode=\"reduce-overhead\", or write the tensors one by one",
                                    {},
                                    true};
            for (const InputWrite& write : mutations.writes)
                if (problem.places.empty() || problem.places.back().node != m_graph.node(write.node).name)
                    problem.places.push_back(placeOf(write.node));
            return problem;
        }
        CoverageProblem problem{"begins with a tensor that is on no CUDA device, at which backend "
                                "\"cudagraphs\" fails",
                                "pass a tensor on the GPU first, or use mode=\"reduce-overhead\"",
                                {},
                                true};
        if (const std::vector<DeviceUse> devices = devicesOf(m_facts); !devices.empty())
            problem.places.push_back(placeOf(devices.front().node));
        return problem;
    }

    /// Whether the node is where the CPU comes from, and no follower.
    bool bringsCpuIn(ir::NodeIndex i) const {
        const std::span<const ir::NodeIndex> inputs = m_graph.inputs(i);
        return std::none_of(inputs.begin(), inputs.end(),
                            [&](ir::NodeIndex input) { return m_facts.nodes[input].device == "cpu"; });
    }

    void addNotes(const InputMutations& mutations) {
        CoverageProblem fixed{"writes parameters or buffers",
                              "no harm: their addresses stay, and the warm-up's writes are those of a run",
                              {},
                              false};
        CoverageProblem unseen{"writes an input without a mark in the op's schema",
                               "PyTorch does not see this write; make sure that the tensor is a buffer",
                               {},
                               false};
        CoverageProblem recorded{"writes results of an earlier graph",
                                 "no harm: they lie in that graph's recording, at addresses that stay",
                                 {},
                                 false};
        for (const InputWrite& write : mutations.writes) {
            if (write.input >= m_isFixed.size() || (write.marked && forbids(write.input))) continue;
            CoveragePlace place = placeOf(write.node);
            place.node = m_graph.node(m_placeholders[write.input]).name + " by " + place.node;
            (!write.marked            ? unseen
             : m_isFixed[write.input] ? fixed
                                      : recorded)
                .places.push_back(std::move(place));
        }
        CoverageProblem dynamic{"takes sizes as inputs",
                                "every new combination of them is recorded again; pad to a few sizes",
                                {},
                                false};
        for (const ir::NodeIndex i : m_placeholders)
            if (m_facts.nodes[i].symbolic && !m_facts.nodes[i].tensor) dynamic.places.push_back(placeOf(i));
        for (CoverageProblem* note : {&fixed, &recorded, &unseen, &dynamic})
            if (!note->places.empty()) m_out.problems.push_back(std::move(*note));
    }

    const ReplayGraphFacts& m_facts;
    const ir::Graph& m_graph;
    const CoverageContext& m_options;
    bool m_staysWhole = false;                 ///< Inductor does not cut it, which it could
    std::vector<bool> m_isFixed, m_isRecorded; ///< by placeholder
    std::vector<ir::NodeIndex> m_placeholders;
    GraphCoverage m_out;
};

} // namespace

GraphCoverage judgeGraph(const ReplayGraphFacts& facts, const CoverageContext& options) {
    return Judge(facts, options).run();
}

} // namespace dynascope::replay
