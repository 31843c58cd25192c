// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/execute.h"

#include "core/engine/exec/case_values.h"
#include "core/engine/exec/node_values.h"
#include "core/engine/exec/torch_words.h"
#include "core/engine/verify/gradients.h"
#include "core/ir/symbol_value.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/view.h>
#include <optional>
#include <set>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// A value of the shape that the text shows for a get_attr node, as a case has it, or nothing.
std::optional<json> seededAttribute(const ir::Node& node, std::size_t seed) {
    if (!node.meta || !node.meta->tensor) return std::nullopt;
    const ir::TensorMeta& meta = *node.meta->tensor;
    const auto dtype = dtypeFromShortName(meta.dtype);
    if (!dtype) return std::nullopt;
    std::vector<std::int64_t> shape;
    std::int64_t count = 1;
    constexpr std::int64_t maxElements = 1 << 26;
    for (const std::string& text : meta.sizes) {
        const auto size = ir::symbolValue(text, {});
        if (!size || *size < 0 || __builtin_mul_overflow(count, *size, &count) || count > maxElements)
            return std::nullopt;
        shape.push_back(*size);
    }
    return json{{"dtype", dtypeName(*dtype)}, {"shape", std::move(shape)}, {"seed", seed}};
}

tl::expected<ValueRequest, std::string> valueRequest(const Program& program,
                                                     const wire::ExecuteRequest& request) {
    ValueRequest out;
    out.all = request.values;
    out.watch = {request.watch.begin(), request.watch.end()};
    for (const std::string& name : out.watch) {
        if (program.graph->find(name) == ir::npos) return tl::unexpected("no node '" + name + "' to watch");
    }
    if (request.until.empty()) return out;
    out.until = program.graph->find(request.until);
    if (out.until == ir::npos) return tl::unexpected("no node '" + request.until + "' to run to");
    if (program.graph->node(out.until).op == ir::Op::Output) out.until = ir::npos;
    return out;
}

} // namespace

json withSeeded(const Program& program, json attributes) {
    if (!attributes.is_object()) attributes = json::object();
    for (ir::NodeIndex i = 0; i < program.code.size(); ++i) {
        const Instruction& instruction = program.code[i];
        if (instruction.kind == Instruction::Kind::Constant && !instruction.operands.empty()) {
            const auto value = torch_level::Value::from(instruction.operands[0].constant);
            if (value.kind() == torch_level::Value::Kind::Graph)
                attributes = withSeeded(*value.program(), std::move(attributes));
        }
        if (instruction.kind != Instruction::Kind::Attribute || attributes.contains(instruction.attribute))
            continue;
        if (auto made = seededAttribute(program.graph->node(i), attributes.size() + 1))
            attributes[instruction.attribute] = std::move(*made);
    }
    return attributes;
}

void seedAttributes(const Program& program, Attributes& attributes) {
    json known = json::object();
    for (const auto& [name, tensor] : attributes)
        known[name] = nullptr;
    json made = withSeeded(program, std::move(known));
    for (const auto& [name, tensor] : attributes)
        made.erase(name);
    for (const auto& [name, value] : made.items())
        if (auto tensor = makeAttributes({{name, value}})) attributes.merge(*tensor);
}

Failure unsupportedFailure(const Program& program) {
    json list = json::array();
    std::string message = "the engine cannot run";
    std::set<std::string_view> named; // layers call the same again and again
    for (const Unsupported& row : program.unsupported) {
        if (named.insert(row.target).second && named.size() <= 5)
            message += (list.empty() ? " " : "; ") + row.target + " (" + row.reason + ")";
        list.push_back({{"node", row.name},
                        {"target", row.target},
                        {"reason", row.reason},
                        {"obstacle", obstacleName(row.obstacle)}});
    }
    if (named.size() > 5) message += "; and " + std::to_string(named.size() - 5) + " more";
    return {ErrorCode::Failed, std::move(message), {{"unsupported", std::move(list)}}};
}

Failure runFailure(const Program& program, const RunError& error) {
    if (error.cancelled) return {ErrorCode::Cancelled, "cancelled", {}};
    json data = json::object();
    if (error.node != ir::npos && error.node < program.graph->size()) {
        const ir::Node& node = program.graph->node(error.node);
        data = {{"node", node.name}, {"target", node.target}};
    }
    if (!error.type.empty()) data["type"] = error.type;
    return {ErrorCode::Failed, error.message, std::move(data)};
}

tl::expected<wire::ExecuteReply, Failure> execute(const Program& program, const wire::ExecuteRequest& request,
                                                  const TaskContext& task) {
    Result<Attributes> constants = makeAttributes(request.on.attributes);
    if (!constants) return invalid(constants.error().message);
    seedAttributes(program, *constants);
    const Result<CaseInputs> inputs = makeInputs(request.on.inputs, {.requiresGrad = true});
    if (!inputs) return invalid(inputs.error().message);
    auto wanted = valueRequest(program, request);
    if (!wanted) return invalid(std::move(wanted.error()));

    const std::vector<const void*> keys = storageKeys(inputs->tensors);
    const at::AutoGradMode grad(inputs->anyRequiresGrad || request.grad);
    const bool observes = wanted->all || !wanted->watch.empty() || wanted->until != ir::npos;
    ValueRecorder recorder(program, inputs->values, std::move(*wanted));
    const auto results = run(program, inputs->values, *constants, task, observes ? &recorder : nullptr);
    if (!results) {
        Failure failure = runFailure(program, results.error());
        if (observes && failure.data.is_object()) {
            json& values = failure.data["values"] = json::array();
            for (const wire::NodeValue& value : recorder.take())
                values.push_back(wire::encode(value));
        }
        return tl::unexpected(std::move(failure));
    }
    const std::int64_t elements = std::max<std::int64_t>(1, request.elements.value_or(allElements));
    wire::ExecuteReply answer = describeRun(*results, *inputs, keys, request.data ? elements : 0);
    if (observes) {
        answer.values = recorder.take();
        if (recorder.endedEarly()) {
            answer.stoppedAt = request.until;
            return answer;
        }
    }
    if (inputs->anyRequiresGrad && request.data)
        describeGradients(*results, inputs->tensors, elements, answer);
    return answer;
}

tl::expected<wire::ExecuteReply, Failure> execute(const Program& program, const json& inputs,
                                                  const json& attributes, const TaskContext& task) {
    wire::ExecuteRequest request;
    request.on.inputs = inputs;
    request.on.attributes = attributes;
    return execute(program, request, task);
}

void describeGradients(const std::vector<c10::IValue>& results, const std::vector<at::Tensor>& inputs,
                       std::int64_t elements, wire::ExecuteReply& answer) {
    const std::vector<at::Tensor> found = gradients(results, inputs);
    if (found.empty()) return;
    auto& out = answer.grads.emplace();
    for (const at::Tensor& gradient : found)
        if (gradient.defined())
            out.emplace_back(wire::RunValue()).value().tensor = describedTensor(gradient, elements);
        else
            out.emplace_back();
}

} // namespace dynascope::engine
