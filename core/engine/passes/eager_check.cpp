// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/eager_check.h"

#include "core/engine/exec/case_values.h"
#include "core/engine/verify/program_run.h"
#include "core/engine/verify/tensor_compare.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <set>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;

constexpr std::uint64_t generatorSeed = 0;

/// What one run leaves behind.
struct Outcome {
    std::vector<IValue> results;
    std::vector<Tensor> inputs;   ///< undefined where an input is no tensor
    std::vector<Tensor> storages; ///< whole, of each tensor among the inputs as it was given
    std::optional<RunError> error;
};

/// A tensor over all cells of the storage that `tensor` lies in, whatever becomes of `tensor` later.
Tensor storageCells(const Tensor& tensor) {
    const auto count = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.dtype().itemsize());
    return at::empty({0}, tensor.options()).set_(tensor.storage(), 0, {count}, {1});
}

Outcome runOn(const Program& program, const Attributes& constants, const std::vector<IValue>& inputs,
              const std::vector<WriteBack>& writeBacks, const TaskContext& task) {
    Outcome out;
    for (const IValue& input : inputs) {
        const bool isTensor = isDefinedTensor(input);
        out.inputs.push_back(isTensor ? input.toTensor() : Tensor());
        out.storages.push_back(isTensor ? storageCells(input.toTensor()) : Tensor());
    }
    Attributes own;
    for (const auto& [name, tensor] : constants)
        own.emplace(name, tensor.clone());
    const at::AutoGradMode noGrad(false);
    seedRandomNumbers(generatorSeed);
    auto results = run(program, inputs, own, task);
    if (!results) {
        out.error = std::move(results.error());
        return out;
    }
    try {
        out.results = writtenBack(std::move(*results), out.inputs, writeBacks);
    } catch (const std::exception& error) {
        out.error = RunError{"write-back: " + errorText(error), ir::npos, false, {}};
    }
    return out;
}

std::string differenceOf(const IValue& expected, const IValue& got, const std::string& what) {
    const auto found = valueDifference(expected, got);
    return found ? what + ": " + found->text : std::string();
}

std::string differenceOf(const Outcome& expected, const Outcome& got) {
    if (got.error) return "it fails: " + got.error->message;
    if (expected.results.size() != got.results.size())
        return std::to_string(got.results.size()) + " results instead of " +
               std::to_string(expected.results.size());
    std::string out;
    for (std::size_t i = 0; i < expected.results.size() && out.empty(); ++i)
        out = differenceOf(expected.results[i], got.results[i], "output #" + std::to_string(i));
    for (std::size_t i = 0; i < expected.inputs.size() && out.empty(); ++i) {
        if (!expected.inputs[i].defined()) continue;
        const std::string what = "input #" + std::to_string(i) + " after the call";
        out = differenceOf(expected.inputs[i], got.inputs[i], what);
        // A storage that was resized has more cells than were there before.
        if (out.empty())
            out = differenceOf(storageCells(expected.inputs[i]), storageCells(got.inputs[i]),
                               what + ", its storage");
        if (out.empty())
            out = differenceOf(expected.storages[i], got.storages[i], what + ", the storage it was given in");
    }
    return out;
}

/// The same shapes and sharing with other numbers.
std::vector<IValue> otherNumbers(std::vector<IValue> inputs) {
    std::set<const void*> done;
    std::uint64_t seed = 1;
    for (const IValue& input : inputs) {
        if (!isDefinedTensor(input) || !done.insert(input.toTensor().storage().unsafeGetStorageImpl()).second)
            continue;
        Tensor cells = storageCells(input.toTensor());
        if (cells.numel() == 0) continue;
        if (cells.is_floating_point() || cells.is_complex())
            cells.copy_(seededTensor(cells.scalar_type(), cells.numel(), seed++));
        else
            cells.copy_(cells.roll(1));
    }
    return inputs;
}

EagerCheck compared(const Program& source, const Program& result, const Functionalized& made,
                    const TorchValues& values, const std::vector<IValue>& inputs, const TaskContext& task) {
    const Outcome eager = runOn(source, values.attributes(), copyInputs(inputs), {}, task);
    if (eager.error) return {};
    const Outcome functional = runOn(result, made.attributes, copyInputs(inputs), made.writeBacks, task);
    if (functional.error && functional.error->cancelled) return {};
    std::string difference = differenceOf(eager, functional);
    if (difference.empty()) return {EagerAgreement::Same, {}};
    return {EagerAgreement::Differs, std::move(difference)};
}

} // namespace

std::vector<IValue> writtenBack(std::vector<IValue> results, std::vector<Tensor>& inputs,
                                const std::vector<WriteBack>& writeBacks) {
    std::size_t leading = 0;
    const at::AutoGradMode noGrad(false);
    for (const WriteBack& back : writeBacks) {
        if (!back.nodes.empty()) continue; // the graph has done it
        Tensor value;
        if (back.output >= 0) {
            ++leading;
            value = results.at(static_cast<std::size_t>(back.output)).toTensor();
        }
        Tensor& input = inputs.at(back.input);
        for (const std::string& how : back.how) {
            if (how == "resize_") input.resize_(back.size);
            if (how == "as_strided_") input.as_strided_(back.size, back.stride, back.offset);
            if (how == "set_") input.set_(value);
            if (how == "copy_") (back.wholeStorage ? wholeStorage(input) : input).copy_(value);
        }
    }
    results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(leading));
    return results;
}

EagerCheck checkAgainstEager(const Program& source, const Functionalized& result, const TorchValues& values,
                             const TaskContext& task) {
    try {
        const Program functional = compile(result.graph);
        EagerCheck check = compared(source, functional, result, values, values.inputs(), task);
        if (check.agreement != EagerAgreement::Same) return check;
        EagerCheck again =
            compared(source, functional, result, values, otherNumbers(values.freshInputs()), task);
        // Numbers that eager refuses say nothing.
        return again.agreement == EagerAgreement::Differs ? again : check;
    } catch (const std::exception&) { // a comparison that cannot be made
        return {};
    }
}

} // namespace dynascope::engine
