// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/higher_order.h"

#include "core/engine/exec/interpreter.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/exec/torch_level/numbers.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <ATen/core/grad_mode.h>
#include <array>
#include <memory>
#include <utility>

namespace dynascope::engine::torch_level {

namespace {

thread_local const GraphKeeper* currentKeeper = nullptr;

std::vector<Value> tail(const Value& values, std::size_t from) {
    const std::vector<Value>& items = values.items();
    TORCH_CHECK_TYPE(items.size() >= from, "too few arguments");
    return {items.begin() + static_cast<std::ptrdiff_t>(from), items.end()};
}

/// torch.cond refuses branches that write to what they were given.
void checkUnchanged(const std::vector<Value>& operands, const std::vector<std::uint64_t>& versions,
                    std::string_view graph) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!operands[i].isTensor()) continue;
        TORCH_CHECK(operands[i].tensor()._version() == static_cast<std::int64_t>(versions[i]),
                    "HOP: Unsafe side effect: ", graph, " writes to its input ", i,
                    ", which a higher-order operator does not allow");
    }
}

Value runUnchanging(const Value& graph, const std::vector<Value>& operands, const Context* context,
                    std::string_view name) {
    std::vector<std::uint64_t> versions;
    for (const Value& operand : operands)
        versions.push_back(operand.isTensor() ? static_cast<std::uint64_t>(operand.tensor()._version()) : 0);
    Value out = runGraph(graph, operands, context);
    checkUnchanged(operands, versions, name);
    return out;
}

Value cond(const Arguments& a) {
    const bool taken = truth(a["pred"]);
    const Value& operands = a["operands"];
    return runUnchanging(taken ? a["true_fn"] : a["false_fn"], operands.items(), a.context(),
                         taken ? "the true branch of cond" : "the false branch of cond");
}

/// What the body gave: each time, or only the last.
std::vector<std::vector<Value>> loop(const Arguments& a, bool eachTime) {
    std::vector<std::vector<Value>> outputs;
    std::vector<Value> carried = a["carried_inputs"].items();
    const std::vector<Value> extra =
        a["additional_inputs"].isNone() ? std::vector<Value>() : a["additional_inputs"].items();
    const auto first = [](const Value& value) { return value.isSequence() ? value.items().at(0) : value; };
    while (truth(first(runGraph(a["cond_fn"], joined(carried, extra), a.context())))) {
        TORCH_CHECK(!a.context() || !a.context()->task || !a.context()->task->cancelled(), "cancelled");
        carried = runUnchanging(a["body_fn"], joined(carried, extra), a.context(), "the body of while_loop")
                      .items();
        if (!eachTime) outputs.clear();
        outputs.push_back(carried);
    }
    return outputs;
}

/// A loop that never ran gives copies.
Value copied(const Value& value) {
    return value.isTensor() ? aten("clone", {value}) : value;
}

Value whileLoop(const Arguments& a) {
    std::vector<std::vector<Value>> outputs = loop(a, false);
    if (!outputs.empty()) return Value::tuple(std::move(outputs.back()));
    std::vector<Value> out;
    for (const Value& value : a["carried_inputs"].items())
        out.push_back(copied(value));
    return Value::tuple(std::move(out));
}

/// Row `i` of every tensor.
std::vector<Value> rows(const Value& xs, std::int64_t i) {
    std::vector<Value> out;
    for (const Value& x : xs.items())
        out.push_back(aten("select", {x, 0, i}));
    return out;
}

Value stacked(const std::vector<std::vector<Value>>& rowsOfOutputs) {
    std::vector<Value> out;
    for (std::size_t j = 0; !rowsOfOutputs.empty() && j < rowsOfOutputs[0].size(); ++j) {
        std::vector<Value> column;
        for (const std::vector<Value>& row : rowsOfOutputs)
            column.push_back(row.at(j));
        out.push_back(aten("stack", {Value::list(std::move(column))}));
    }
    return Value::tuple(std::move(out));
}

std::int64_t leading(const Value& xs) {
    TORCH_CHECK_VALUE(!xs.items().empty() && xs.items()[0].tensor().dim() > 0,
                      "there is nothing to go along");
    return xs.items()[0].tensor().size(0);
}

Value whileLoopStackOutput(const Arguments& a) {
    const std::vector<std::vector<Value>> outputs = loop(a, true);
    if (!outputs.empty()) return stacked(outputs);
    std::vector<Value> out;
    for (const Value& value : a["carried_inputs"].items())
        out.push_back(value.isTensor() ? copied(aten("unsqueeze", {value, 0})) : value);
    return Value::tuple(std::move(out));
}

Value mapOver(const Arguments& a) {
    std::vector<std::vector<Value>> outputs;
    const std::int64_t count = leading(a["xs"]);
    for (std::int64_t i = 0; i < count; ++i)
        outputs.push_back(
            runGraph(a["f"], joined(rows(a["xs"], i), a["pos_args"].items()), a.context()).items());
    return stacked(outputs);
}

Value scan(const Arguments& a) {
    std::vector<Value> carried = a["init"].items();
    const std::size_t width = carried.size();
    std::vector<std::vector<Value>> outputs;
    const std::int64_t count = leading(a["xs"]);
    for (std::int64_t i = 0; i < count; ++i) {
        const Value result =
            runGraph(a["combine_fn"],
                     joined(joined(carried, rows(a["xs"], i)), a["additional_inputs"].items()), a.context());
        TORCH_CHECK(result.items().size() >= width, "the body of scan gives too few values");
        carried.assign(result.items().begin(), result.items().begin() + static_cast<std::ptrdiff_t>(width));
        outputs.push_back(tail(result, width));
    }
    return Value::tuple(joined(carried, stacked(outputs).items()));
}

/// The operator is associative, so going along one by one gives what its tree of calls gives.
Value associativeScan(const Arguments& a) {
    std::vector<Value> carried;
    std::vector<std::vector<Value>> outputs;
    const std::int64_t count = leading(a["xs"]);
    for (std::int64_t i = 0; i < count; ++i) {
        std::vector<Value> row = rows(a["xs"], i);
        carried = i == 0 ? row
                         : runGraph(a["combine_fn"],
                                    joined(joined(carried, row), a["additional_inputs"].items()), a.context())
                               .items();
        outputs.push_back(carried);
    }
    return count == 0 ? Value::tuple(a["xs"].items()) : stacked(outputs);
}

Value wrap(const Arguments& a) {
    return runGraph(a["body"], a["args"].items(), a.context());
}

Value wrapWithGradMode(const Arguments& a) {
    const at::AutoGradMode mode(a["enable_grad"].flag());
    return runGraph(a["body"], a["args"].items(), a.context());
}

Value wrapWithAutocast(const Arguments& a) {
    std::optional<c10::ScalarType> dtype;
    if (!a["dtype"].isNone()) dtype = a["dtype"].dtype();
    const AutocastGuard guard(a["enabled"].flag(), dtype,
                              a["cache_enabled"].isNone() || a["cache_enabled"].flag());
    return runGraph(a["body"], a["args"].items(), a.context());
}

Value hintsWrapper(const Arguments& a) {
    return runGraph(a["body"], a["args"].items(), a.context());
}

/// A trace keeps these whole.
constexpr std::array keptWhole{
    Entry{"cond", "pred, true_fn, false_fn, operands=()", cond},
    Entry{"while_loop", "cond_fn, body_fn, carried_inputs, additional_inputs=(), mutated_arg_indices=None",
          whileLoop},
    Entry{"map_impl", "f, xs, pos_args=()", mapOver},
    Entry{"associative_scan", "combine_fn, xs, additional_inputs=()", associativeScan},
    Entry{"flex_attention",
          "query, key, value, score_mod, block_mask, scale, kernel_options=None, score_mod_other_buffers=(), "
          "mask_mod_other_buffers=()",
          flexAttention},
    Entry{"scan", "combine_fn, init, xs, additional_inputs=()", scan},
    Entry{"invoke_subgraph", "body, identifier, *args", wrap},
};

constexpr std::array table{
    Entry{"while_loop_stack_output", "cond_fn, body_fn, carried_inputs, additional_inputs=()",
          whileLoopStackOutput},
    Entry{"wrap", "body, *args", wrap},
    Entry{"wrap_activation_checkpoint", "body, *args, **options", wrap},
    Entry{"tag_activation_checkpoint", "body, *args, **options", wrap},
    Entry{"checkpoint", "body, *args, **options", wrap},
    Entry{"strict_mode", "body, args",
          [](const Arguments& a) { return runGraph(a["body"], a["args"].items(), a.context()); }},
    Entry{"run_const_graph", "body, args",
          [](const Arguments& a) { return runGraph(a["body"], a["args"].items(), a.context()); }},
    Entry{"wrap_with_set_grad_enabled", "enable_grad, body, *args", wrapWithGradMode},
    Entry{"wrap_with_autocast", "device_type, dtype, enabled, cache_enabled, body, *args", wrapWithAutocast},
    Entry{"hints_wrapper", "body, args, kwargs=None, hints=None", hintsWrapper},
    Entry{"autograd_function_apply", "fwd, bwd, *args, **options", applyAutogradFunction},
};

/// As functionOf(), but the current keeper takes the call over.
Function keptFunction(const Entry& entry) {
    return [signature = std::make_shared<const Signature>(entry.signature), &entry](const Call& call) {
        const Arguments a = signature->bind(call);
        return currentKeeper ? currentKeeper->keep(entry, a) : entry.run(a);
    };
}

} // namespace

std::optional<Function> higherOrderFunction(std::string_view name) {
    if (const Entry* entry = findEntry(keptWhole, name)) return keptFunction(*entry);
    if (const Entry* entry = findEntry(table, name)) return functionOf(*entry);
    return std::nullopt;
}

std::vector<Value> itemsOf(const Value& value) {
    return value.isSequence() ? value.items() : std::vector<Value>{value};
}

std::vector<Value> joined(std::vector<Value> a, const std::vector<Value>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

GraphKeeperGuard::GraphKeeperGuard(const GraphKeeper* keeper)
    : m_outer(std::exchange(currentKeeper, keeper)) {}

GraphKeeperGuard::~GraphKeeperGuard() {
    currentKeeper = m_outer;
}

Value runGraph(const Value& graph, const std::vector<Value>& inputs, const Context* context) {
    std::vector<c10::IValue> values;
    for (const Value& input : inputs)
        values.push_back(input.toIValue());
    const TaskContext noTask;
    const Attributes noAttributes;
    const bool hasTask = context && context->task, hasAttributes = context && context->attributes;
    auto result = runStructured(*graph.program(), values, hasAttributes ? *context->attributes : noAttributes,
                                hasTask ? *context->task : noTask);
    TORCH_CHECK(result.has_value(), result.error().message);
    return Value::from(*result);
}

} // namespace dynascope::engine::torch_level
