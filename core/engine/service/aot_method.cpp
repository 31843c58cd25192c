// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/aot_method.h"

#include "core/engine/aot/aot_deviations.h"
#include "core/engine/aot/aot_runtime.h"
#include "core/engine/aot/aot_trace.h"
#include "core/engine/aot/open_slices.h"
#include "core/engine/cases/aot_case.h"
#include "core/engine/cases/compare.h"
#include "core/engine/cases/metadata_compare.h"
#include "core/engine/cells/cell_call.h"
#include "core/engine/cells/functionalize_cells.h"
#include "core/engine/exec/case_values.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/exec/torch_values.h"
#include "core/engine/exec/torch_words.h"
#include "core/engine/functionalize/deviations.h"
#include "core/engine/service/execute.h"
#include "core/engine/verify/gradients.h"
#include "core/ir/text.h"

#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <chrono>
#include <cmath>

namespace dynascope::engine {

namespace {

using c10::IValue;
using nlohmann::json;

/// Nothing for one that JSON has no number for.
std::optional<wire::Number> numberOf(const IValue& value) {
    if (value.isDouble() && std::isfinite(value.toDouble())) return wire::Number{value.toDouble()};
    if (value.isInt()) return wire::Number{value.toInt()};
    if (value.isBool()) return wire::Number{value.toBool()};
    return std::nullopt;
}

/// One request for AOTAutograd: what is traced and, where that is asked for, what comes of a call.
class AotAnswer {
public:
    AotAnswer(const AotRequest& request, const json& inputs, bool training, const TaskContext& task)
        : m_request(request)
        , m_inputs(inputs)
        , m_training(training)
        , m_task(task) {}

    using Answer = tl::expected<wire::AotReply, Failure>;

    Answer make(bool calls) {
        const auto start = std::chrono::steady_clock::now();
        const auto trace = traceAot(m_request, m_task);
        if (!trace) return refused(trace.error(), calls);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        describeTrace(*trace);
        m_reply.trace->microseconds = time.count();
        if (calls) call(*trace);
        return std::move(m_reply);
    }

private:
    void describeTrace(const AotTrace& trace) {
        wire::AotTrace& out = m_reply.trace.emplace();
        for (const ir::NodePtr& node : trace.graph->nodes())
            if (node->meta) out.values[node->name] = node->meta->annotation();
        out.joint = trace.joint;
        out.forwardOutputs = trace.forwardOutputs;
        out.metadataOuter = metadataJson(trace.outer);
        out.metadata = graphMetadataJson(trace.layers.meta());
        for (const IValue& number : trace.numbersRead)
            out.numbersRead.push_back(numberOf(number));
        if (!trace.graph->subgraphs().empty()) out.readable = ir::printReadable(*trace.graph).text;
        out.graphWarnings = knownLayoutDeviations(m_request.program, m_request.inputs);
        m_reply.graph = ir::printFx(*trace.graph);
        m_reply.warnings = aotDeviations(trace, m_request.inputs);
    }

    void call(const AotTrace& trace) {
        auto answer = onFreshInputs([&](const std::vector<IValue>& inputs) {
            AotRequest request = m_request;
            // What PyTorch could not write in the graph is written back by the caller here.
            if (!writesChangedShapeInGraph(trace)) return runAot(request, trace, inputs, m_task);
            request.keepInputMutations = false;
            const auto callable = traceAot(request, m_task);
            return callable ? runAot(request, *callable, inputs, m_task) : tl::unexpected(callable.error());
        });
        if (!answer && answer.error().cancelled) return setRun(answer);
        // Where the graph may be wrong, or has failed, another one of the same function says.
        if (answer && m_reply.trace->graphWarnings.empty()) return setRun(answer);
        const auto cells = overCells();
        auto other = cells ? callOverCells(*cells) : tl::unexpected(cells.error());
        if (!other) return setRun(other.error().cancelled ? other : answer);
        const std::vector<Difference> differences =
            answer ? compareRuns(wire::encode(*other), wire::encode(*answer)) : std::vector<Difference>();
        const auto counts = std::find_if(differences.begin(), differences.end(),
                                         [](const Difference& one) { return !sameValues({one}); });
        if (answer && counts == differences.end()) return setRun(answer);
        m_reply.warnings.push_back("PyTorch's graph " +
                                   (answer ? "gives other values: " + counts->text
                                           : "fails when it is called: " + answer.error().message) +
                                   ". The call goes through storages as flat values");
        setRun(other);
    }

    using Ran = tl::expected<wire::ExecuteReply, RunError>;

    void setRun(const Ran& answer) {
        if (answer)
            m_reply.run = wire::AotRun{*answer, {}};
        else
            m_reply.run = wire::AotRun{{}, wire::AotRun::Failure{answer.error().message}};
    }

    /// AOTAutograd makes nothing of the function. Functionalization over cells may, where eager does.
    Answer refused(const RunError& error, bool calls) {
        const auto cells = error.cancelled ? tl::unexpected(error) : overCells();
        if (!cells && cells.error().cancelled)
            return tl::unexpected(runFailure(m_request.program, cells.error()));
        if (!cells)
            return tl::unexpected(runFailure(m_request.program, inEagersWords(error, m_request.program,
                                                                              copyInputs(m_request.inputs),
                                                                              m_request.attributes, m_task)));
        m_reply.refused = error.message;
        m_reply.graph = ir::printFx(*cells->graph);
        m_reply.warnings = {"PyTorch refuses this function; its storages are flat values instead"};
        if (calls) {
            auto answer = callOverCells(*cells);
            setRun(answer);
        }
        return std::move(m_reply);
    }

    [[nodiscard]] tl::expected<Functionalized, RunError> overCells() const {
        if (m_training)
            return tl::unexpected(RunError{"over cells no gradients are followed", ir::npos, false});
        const at::AutoGradMode off(false);
        const torch_level::AutocastGuard casts(m_request.autocast.has_value(), m_request.autocast, false);
        return functionalizeCells(m_request.program, copyInputs(m_request.inputs), m_request.attributes, {},
                                  m_task);
    }

    [[nodiscard]] Ran callOverCells(const Functionalized& cells) const {
        return onFreshInputs(
            [&](const std::vector<IValue>& inputs) { return callCells(cells, inputs, m_task); });
    }

    /// A call writes into its inputs. Describes what it did.
    template <typename Call>
    [[nodiscard]] Ran onFreshInputs(const Call& call) const {
        const Result<CaseInputs> inputs = makeInputs(m_inputs, {.requiresGrad = true});
        if (!inputs) return tl::unexpected(RunError{inputs.error().message, ir::npos, false});
        const std::vector<const void*> keys = storageKeys(inputs->tensors);
        const tl::expected<std::vector<IValue>, RunError> results = call(inputs->values);
        if (!results) return tl::unexpected(results.error());
        wire::ExecuteReply out = describeRun(*results, *inputs, keys);
        if (!inputs->anyRequiresGrad) return out;
        const at::AutoGradMode grad(true);
        describeGradients(*results, inputs->tensors, allElements, out);
        return out;
    }

    const AotRequest& m_request;
    const json& m_inputs;
    bool m_training;
    const TaskContext& m_task;
    wire::AotReply m_reply;
};

} // namespace

tl::expected<wire::AotReply, Failure> aotMethod(const wire::AotRequest& said, const Program& program,
                                                const json& inputs, const TaskContext& task) {
    if (!program.unsupported.empty()) return tl::unexpected(unsupportedFailure(program));
    const Result<CaseInputs> made = makeInputs(inputs, {.requiresGrad = true});
    if (!made) return invalid(made.error().message);
    Result<Attributes> attributes = makeAttributes(said.on.attributes);
    if (!attributes) return invalid(attributes.error().message);
    seedAttributes(program, *attributes);
    const UnboundedSymbols unbounded(said.unbounded.begin(), said.unbounded.end());
    const Program symbolic = unbounded.empty() ? Program() : withOpenSlices(program, unbounded);
    AotRequest request{unbounded.empty() ? program : symbolic, made->values, *attributes};
    request.keepInputMutations = said.keepInputMutations;
    request.symbolicSizes = said.symbolicSizes;
    request.gradMode = said.gradMode;
    if (said.autocast) {
        request.autocast = dtypeFromName(*said.autocast);
        if (!request.autocast) return invalid("'autocast' is no dtype");
    }
    const bool training = made->anyRequiresGrad && request.gradMode.value_or(true);
    return AotAnswer(request, inputs, training, task).make(said.run);
}

} // namespace dynascope::engine
