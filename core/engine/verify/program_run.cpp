// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/program_run.h"

#include "core/engine/verify/double_precision.h"
#include "core/engine/verify/gradients.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <algorithm>

namespace dynascope::engine {

namespace {

using at::Tensor;
using nlohmann::json;

CaseInputs inputsOf(const json& spec, const InputChoice& choice) {
    Result<CaseInputs> inputs = makeInputs(spec, choice);
    TORCH_CHECK(inputs.has_value(), inputs.error().message);
    return std::move(*inputs);
}

Tensor wholeStorage(const Tensor& tensor) {
    Tensor out = at::empty({0}, tensor.options());
    const auto cells = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.element_size());
    return out.set_(tensor.storage(), 0, {cells}, {1});
}

void writeBack(const wire::WriteBack& entry, const Tensor& value, Tensor& input) {
    const wire::Geometry geometry = entry.geometry.value_or(wire::Geometry());
    for (const std::string& how : entry.how) {
        if (how == "resize_") input.resize_(geometry.shape);
        if (how == "as_strided_") input.as_strided_(geometry.shape, geometry.stride, geometry.offset);
        if (how == "set_") input.set_(value);
        if (how == "copy_") (entry.wholeStorage ? wholeStorage(input) : input).copy_(value);
    }
}

/// Does what the graph leaves to its caller, and drops the leading results that were for this.
void writeBackAll(const WriteBackList& list, std::vector<c10::IValue>& results, std::vector<Tensor>& inputs) {
    std::size_t leading = 0;
    for (const wire::WriteBack& entry : list) {
        if (!entry.nodes.empty()) continue; // the graph did it
        Tensor value;
        if (entry.output) {
            ++leading;
            value = results.at(*entry.output).toTensor();
        }
        writeBack(entry, value, inputs.at(entry.position));
    }
    results.erase(results.begin(),
                  results.begin() + static_cast<std::ptrdiff_t>(std::min(leading, results.size())));
}

bool writesBack(const ir::Node& node) {
    for (const std::string_view name : {"copy_.", "as_strided_.", "resize_."}) {
        if (node.target.starts_with("torch.ops.aten." + std::string(name))) return true;
    }
    return false;
}

/// The graph without the write-backs at its end, which would change what the backward pass reads.
Program withoutWriteBacks(const Program& program) {
    const ir::Graph& graph = *program.graph;
    const auto output = static_cast<ir::NodeIndex>(program.code.size());
    ir::NodeIndex end = output;
    const auto readByResult = [&](ir::NodeIndex node) {
        const auto users = graph.users(node);
        return std::any_of(users.begin(), users.end(), [&](ir::NodeIndex user) { return user >= output; });
    };
    while (end > 0 && writesBack(graph.node(end - 1)) && !readByResult(end - 1))
        --end;
    ir::GraphBuilder builder;
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        if (i < end || i >= output) builder.add(graph.nodes()[i]);
    }
    return compile(builder.build());
}

} // namespace

void seedRandomNumbers(std::uint64_t seed) {
    at::Generator generator = at::globalContext().defaultGenerator(c10::Device(at::kCPU));
    generator.set_current_seed(seed);
}

ProgramRun runSide(const Side& side, const json& inputs, std::uint64_t seed, const TaskContext& task,
                   RunObserver* observer) {
    const at::AutoGradMode noGrad(false);
    ProgramRun out;
    const DoubleByDefault precision(side.isWide);
    out.inputs = inputsOf(inputs, {.isWide = side.isWide});
    out.storagesBefore = storageKeys(out.inputs.tensors);
    seedRandomNumbers(seed);
    auto results = run(*side.program, out.inputs.values, side.attributes, task, observer);
    if (!results) {
        out.error = std::move(results.error());
        return out;
    }
    out.results = std::move(*results);
    try {
        writeBackAll(side.writeBacks, out.results, out.inputs.tensors);
    } catch (const std::exception& error) {
        out.error = RunError{"write-back: " + errorText(error), ir::npos, false};
    }
    return out;
}

GradientRun runForGradients(const Side& side, const json& inputs, std::uint64_t seed,
                            const TaskContext& task) {
    const at::AutoGradMode grad(true);
    GradientRun out;
    const DoubleByDefault precision(side.isWide);
    const CaseInputs made = inputsOf(inputs, {.requiresGrad = true, .isWide = side.isWide});
    seedRandomNumbers(seed);
    auto results = run(withoutWriteBacks(*side.program), made.values, side.attributes, task);
    if (!results) {
        out.error = results.error().message;
        return out;
    }
    std::size_t leading = 0;
    for (const wire::WriteBack& entry : side.writeBacks)
        leading += entry.output ? 1 : 0;
    results->erase(results->begin(),
                   results->begin() + static_cast<std::ptrdiff_t>(std::min(leading, results->size())));
    try {
        out.gradients = gradients(*results, made.tensors);
    } catch (const std::exception& error) {
        out.error = errorText(error);
    }
    return out;
}

} // namespace dynascope::engine
