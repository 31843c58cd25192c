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

namespace dynascope::engine {

namespace {

using c10::IValue;
using nlohmann::json;

/// One request for AOTAutograd: what is traced and, where that is asked for, what comes of a call.
class AotAnswer {
public:
    AotAnswer(const AotRequest& request, const json& inputs, bool training, const TaskContext& task)
        : m_request(request)
        , m_inputs(inputs)
        , m_training(training)
        , m_task(task) {}

    Reply make(bool calls) {
        const auto start = std::chrono::steady_clock::now();
        const auto trace = traceAot(m_request, m_task);
        if (!trace) return refused(trace.error(), calls);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        describeTrace(*trace);
        m_reply["time_us"] = time.count();
        if (calls) call(*trace);
        return std::move(m_reply);
    }

private:
    void describeTrace(const AotTrace& trace) {
        json values = json::object();
        for (const ir::NodePtr& node : trace.graph->nodes())
            if (node->meta) values[node->name] = node->meta->annotation();
        m_reply = {{"joint", trace.joint},
                   {"graph", ir::printFx(*trace.graph)},
                   {"values", std::move(values)},
                   {"forward_outputs", trace.forwardOutputs},
                   {"metadata_outer", metadataJson(trace.outer)},
                   {"metadata", graphMetadataJson(trace.layers.meta())}};
        for (const IValue& number : trace.numbersRead)
            m_reply["numbers_read"].push_back(number.isDouble() ? json(number.toDouble())
                                              : number.isInt()  ? json(number.toInt())
                                              : number.isBool() ? json(number.toBool())
                                                                : json());
        if (!trace.graph->subgraphs().empty()) m_reply["readable"] = ir::printReadable(*trace.graph).text;
        m_reply["graph_warnings"] = knownLayoutDeviations(m_request.program, m_request.inputs);
        m_reply["warnings"] = aotDeviations(trace, m_request.inputs);
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
        if (answer && m_reply["graph_warnings"].empty()) return setRun(answer);
        const auto cells = overCells();
        auto other = cells ? callOverCells(*cells) : tl::unexpected(cells.error());
        if (!other) return setRun(other.error().cancelled ? other : answer);
        const std::vector<Difference> differences =
            answer ? compareRuns(*other, *answer) : std::vector<Difference>();
        const auto counts = std::find_if(differences.begin(), differences.end(),
                                         [](const Difference& one) { return !sameValues({one}); });
        if (answer && counts == differences.end()) return setRun(answer);
        m_reply["warnings"].push_back("PyTorch's graph " +
                                      (answer ? "gives other values: " + counts->text
                                              : "fails when it is called: " + answer.error().message) +
                                      ". The call goes through storages as flat values");
        setRun(other);
    }

    void setRun(tl::expected<json, RunError>& answer) {
        m_reply["run"] = answer ? std::move(*answer) : json{{"error", {{"message", answer.error().message}}}};
    }

    /// AOTAutograd makes nothing of the function. Functionalization over cells may, where eager does.
    Reply refused(const RunError& error, bool calls) {
        const auto cells = error.cancelled ? tl::unexpected(error) : overCells();
        if (!cells && cells.error().cancelled)
            return tl::unexpected(runFailure(m_request.program, cells.error()));
        if (!cells)
            return tl::unexpected(runFailure(m_request.program, inEagersWords(error, m_request.program,
                                                                              copyInputs(m_request.inputs),
                                                                              m_request.attributes, m_task)));
        m_reply = {{"refused", error.message},
                   {"graph", ir::printFx(*cells->graph)},
                   {"warnings", {"PyTorch refuses this function; its storages are flat values instead"}}};
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

    [[nodiscard]] tl::expected<json, RunError> callOverCells(const Functionalized& cells) const {
        return onFreshInputs(
            [&](const std::vector<IValue>& inputs) { return callCells(cells, inputs, m_task); });
    }

    /// A call writes into its inputs. Describes what it did.
    template <typename Call>
    [[nodiscard]] tl::expected<json, RunError> onFreshInputs(const Call& call) const {
        const Result<CaseInputs> inputs = makeInputs(m_inputs, {.requiresGrad = true});
        if (!inputs) return tl::unexpected(RunError{inputs.error().message, ir::npos, false});
        const std::vector<const void*> keys = storageKeys(inputs->tensors);
        const tl::expected<std::vector<IValue>, RunError> results = call(inputs->values);
        if (!results) return tl::unexpected(results.error());
        json out = describeRun(*results, *inputs, keys);
        if (!inputs->anyRequiresGrad) return out;
        const at::AutoGradMode grad(true);
        for (const at::Tensor& gradient : gradients(*results, inputs->tensors))
            out["grads"].push_back(gradient.defined() ? describe(gradient) : json());
        return out;
    }

    const AotRequest& m_request;
    const json& m_inputs;
    bool m_training;
    const TaskContext& m_task;
    json m_reply;
};

Result<UnboundedSymbols> unboundedSymbols(const json& params) {
    const auto found = params.find("unbounded");
    if (found == params.end()) return UnboundedSymbols();
    const auto isName = [](const json& item) { return item.is_string(); };
    if (!found->is_array() || !std::all_of(found->begin(), found->end(), isName))
        return failure("'unbounded' is no list of symbols");
    return found->get<UnboundedSymbols>();
}

} // namespace

Reply aotMethod(const json& params, const Program& program, const json& inputs, const TaskContext& task) {
    if (!program.unsupported.empty()) return tl::unexpected(unsupportedFailure(program));
    const Result<CaseInputs> made = makeInputs(inputs, {.requiresGrad = true});
    if (!made) return tl::unexpected(Failure{ErrorCode::InvalidParams, made.error().message, {}});
    Result<Attributes> attributes = makeAttributes(params.value("attrs", json()));
    if (!attributes) return tl::unexpected(Failure{ErrorCode::InvalidParams, attributes.error().message, {}});
    seedAttributes(program, *attributes);
    const Result<UnboundedSymbols> unbounded = unboundedSymbols(params);
    if (!unbounded) return tl::unexpected(Failure{ErrorCode::InvalidParams, unbounded.error().message, {}});
    const Program symbolic = unbounded->empty() ? Program() : withOpenSlices(program, *unbounded);
    AotRequest request{unbounded->empty() ? program : symbolic, made->values, *attributes};
    request.keepInputMutations = params.value("keep_input_mutations", true);
    request.symbolicSizes = params.value("symbolic_sizes", false);
    if (params.contains("grad_mode")) request.gradMode = params.at("grad_mode").get<bool>();
    if (params.contains("autocast")) {
        request.autocast = dtypeFromName(params.at("autocast").get<std::string>());
        if (!request.autocast)
            return tl::unexpected(Failure{ErrorCode::InvalidParams, "'autocast' is no dtype", {}});
    }
    const bool training = made->anyRequiresGrad && request.gradMode.value_or(true);
    return AotAnswer(request, inputs, training, task).make(params.value("run", false));
}

} // namespace dynascope::engine
