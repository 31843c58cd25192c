// SPDX-License-Identifier: BSD-3-Clause
//
// Whole layers and optimizers: attention, recurrent layers, lists of tensors that belong together.
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

#include <initializer_list>

namespace dynascope::engine::checks {

/// Forward, and backward where the gradient is given too.
void checkAttention(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    for (const char* name : {"query", "key", "value", "out", "grad_out"}) {
        if (!call.has(name) || (std::string_view(name) == "out" && !call.has("grad_out"))) continue;
        checkRank(call, name, 4, 4);
        TORCH_CHECK(call.tensor(name).stride(3) == 1 || call.tensor(name).size(3) == 1, call.op(), ": ", name,
                    " is not contiguous in its last dimension");
    }
    const Tensor query = call.tensor("query"), key = call.tensor("key"), value = call.tensor("value");
    TORCH_CHECK(key.sizes() == value.sizes() && key.size(0) == query.size(0) &&
                    key.size(3) == query.size(3) && key.size(1) > 0 && query.size(1) % key.size(1) == 0,
                call.op(), ": query is ", query.sizes(), ", key ", key.sizes(), ", value ", value.sizes());
    if (!call.has("grad_out")) return;
    checkSameSizes(call, "grad_out", "query");
    checkSameSizes(call, "out", "query");
    const Tensor sums = call.tensor("logsumexp");
    TORCH_CHECK(sums.sizes() == query.sizes().slice(0, 3), call.op(), ": logsumexp is ", sums.sizes());
}

/// Heads of the query are divided among those of key and value.
void checkGroupedHeads(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    if (!call["enable_gqa"].toBool()) return;
    for (const char* name : {"key", "value"}) {
        const Tensor tensor = call.tensor(name);
        TORCH_CHECK(tensor.dim() >= 3 && tensor.size(-3) > 0, call.op(), ": ", name, " is ", tensor.sizes(),
                    ", without heads");
    }
}

void checkHeads(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t heads = call.number(call.has("num_head") ? "num_head" : "num_heads");
    TORCH_CHECK(heads > 0, call.op(), ": ", heads, " heads");
    const char* const first = call.has("qkv") ? "qkv" : call.has("src") ? "src" : "query";
    const Tensor input = call.tensor(first), bias = call.tensor("qkv_bias");
    TORCH_CHECK(input.scalar_type() == bias.scalar_type(), call.op(), ": ", first,
                " and qkv_bias are of two dtypes");
    if (!call.has("qkv")) return;
    checkRank(call, "qkv", 3, 3);
    const std::int64_t width = call.tensor("qkv").size(2);
    TORCH_CHECK(call.tensor("qkv").numel() > 0 && width % 3 == 0 && (width / 3) % heads == 0, call.op(), ": ",
                heads, " heads for ", call.tensor("qkv").sizes());
    checkRank(call, "qkv_bias", 1, 1);
    checkCountExactly(call, "qkv_bias", width);
}

/// Two numbers of four bits a byte, in rows, with a scale and a zero for each group of a row.
void checkPackedWeights(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkRank(call, "self", 2, 2);
    checkRank(call, "mat2", 2, 2);
    const std::int64_t wide = call.tensor("self").size(1), group = call.number("qGroupSize");
    const Tensor weights = call.tensor("mat2"), scales = call.tensor("qScaleAndZeros");
    TORCH_CHECK(group > 0 && wide % group == 0 && weights.size(1) * 2 == wide, call.op(), ": mat2 is ",
                weights.sizes(), " in groups of ", group, " for ", call.tensor("self").sizes());
    const bool fits = scales.dim() == 3 && scales.size(0) == wide / group &&
                      scales.size(1) == weights.size(0) && scales.size(2) == 2;
    TORCH_CHECK(fits, call.op(), ": qScaleAndZeros is ", scales.sizes());
    for (const char* name : {"self", "mat2", "qScaleAndZeros"})
        checkContiguous(call, name);
}

/// One layer in one direction, as LSTM makes them: four gates.
void checkRecurrentLayer(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    constexpr std::int64_t lstm = 2, gates = 4;
    TORCH_CHECK(call.number("mode") == lstm, call.op(), ": mode is ", call.number("mode"), ", and only ",
                lstm, " (LSTM) is known");
    checkRank(call, "input", 3, 3);
    const Tensor input = call.tensor("input");
    const std::int64_t hidden = call.number("hidden_size");
    TORCH_CHECK(hidden > 0 && hidden < 1 << 24 && input.numel() > 0, call.op(), ": hidden_size is ", hidden,
                ", input ", input.sizes());
    TORCH_CHECK(!call["batch_first"].toBool() && call.number("num_layers") == 1 &&
                    !call["bidirectional"].toBool(),
                call.op(), ": one layer in one direction, time first, is known");
    const auto expect = [&](const char* name, std::initializer_list<std::int64_t> sizes) {
        const Tensor tensor = call.tensor(name);
        TORCH_CHECK(tensor.sizes() == at::IntArrayRef(sizes) && tensor.scalar_type() == input.scalar_type(),
                    call.op(), ": ", name, " is ", tensor.sizes(), " of ", tensor.scalar_type(), ", not ",
                    at::IntArrayRef(sizes), " of ", input.scalar_type());
    };
    expect("weight0", {gates * hidden, input.size(2)});
    expect("weight1", {gates * hidden, hidden});
    if (call["has_biases"].toBool()) {
        expect("weight2", {gates * hidden});
        expect("weight3", {gates * hidden});
    }
    expect("hx_", {1, input.size(1), hidden});
    expect("cx_", {1, input.size(1), hidden});
    for (const char* name : {"input", "hx_", "cx_"})
        checkContiguous(call, name);
    const std::vector<std::int64_t> batches = call.numbers("batch_sizes");
    TORCH_CHECK(batches.empty(), call.op(), ": batch_sizes are not known");
}

/// The kernels walk all lists and elements side by side, in memory.
void checkFusedOptimizer(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::vector<Tensor> self = call.tensors("self");
    const bool amsgrad = call.has("amsgrad") && call["amsgrad"].toBool();
    for (const char* name :
         {"grads", "momentum_buffer_list", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "state_sums"}) {
        if (!call.has(name)) continue;
        const std::vector<Tensor> other = call.tensors(name);
        if (other.empty() && (std::string_view(name) == "momentum_buffer_list"
                                  ? call["momentum"].toDouble() == 0
                                  : std::string_view(name) == "max_exp_avg_sqs" && !amsgrad))
            continue;
        checkFellows(call, "self", name);
        for (std::size_t i = 0; i < self.size(); ++i)
            TORCH_CHECK(other[i].strides() == self[i].strides() && other[i].is_non_overlapping_and_dense(),
                        call.op(), ": ", name, " lies otherwise than self in tensor ", i);
    }
    if (!call.has("state_steps")) return;
    const std::vector<Tensor> steps = call.tensors("state_steps");
    TORCH_CHECK(steps.size() == self.size(), call.op(), ": state_steps has ", steps.size(), " tensors");
    for (const Tensor& step : steps)
        TORCH_CHECK(step.defined() && step.numel() == 1, call.op(), ": a step is no number");
}

/// An empty tensor is made like each of `self`, which must be one that has a size.
void checkSameLists(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::vector<Tensor> self = call.tensors("self");
    for (const Tensor& tensor : self)
        TORCH_CHECK(tensor.defined() && tensor.layout() == at::kStrided, call.op(),
                    ": self has a tensor without strides");
    for (const char* name : {"src", "out"})
        TORCH_CHECK(!call.has(name) || call.tensors(name).size() == self.size(), call.op(), ": ", name,
                    " has ", call.tensors(name).size(), " tensors, and self has ", self.size());
}

void checkCopied(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    for (const char* name : {"self", "src"})
        TORCH_CHECK(call.tensor(name).defined(), call.op(), ": ", name, " is no tensor");
    TORCH_CHECK(call.tensor("self").layout() == call.tensor("src").layout(), call.op(), ": layouts differ");
}

/// A scale for each row of weights of a byte.
void checkScaledWeights(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkRank(call, "mat2", 2, 2);
    checkCountExactly(call, "scales", call.tensor("mat2").size(0));
    for (const char* name : {"self", "mat2", "scales"})
        checkContiguous(call, name);
}

namespace {

/// Rows of a packed sequence: how many sequences go on at each time, which never become more.
void checkPacked(const Arguments& call) {
    const Tensor sizes = call.tensor("batch_sizes");
    checkRank(call, "batch_sizes", 1, 1);
    TORCH_CHECK(sizes.numel() > 0 && sizes.scalar_type() == at::kLong && sizes.is_contiguous(), call.op(),
                ": batch_sizes is ", sizes.sizes());
    if (!hasData(sizes)) return;
    const std::int64_t rows = call.tensor("data").size(0);
    std::int64_t sum = 0, last = rows;
    for (std::int64_t i = 0; i < sizes.numel(); ++i) {
        const std::int64_t size = sizes.const_data_ptr<std::int64_t>()[i];
        TORCH_CHECK(size > 0 && size <= last, call.op(), ": batch_sizes has ", size, " after ", last);
        sum += size;
        last = size;
    }
    TORCH_CHECK(sum == rows, call.op(), ": batch_sizes take ", sum, " of ", rows, " rows");
}

} // namespace

/// Layers of LSTM with all their weights, of which the fast path takes the memory.
void checkRecurrent(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    if (call.has("data")) return checkPacked(call);
    if (call.op() != "aten::lstm") return; // made of other operators, which check for themselves
    const Tensor input = call.tensor("input");
    const std::vector<Tensor> states = call.tensors("hx"), weights = call.tensors("params");
    const std::int64_t layers = call.number("num_layers"),
                       directions = call["bidirectional"].toBool() ? 2 : 1;
    TORCH_CHECK(states.size() == 2 && input.dim() == 3 && layers > 0 && layers < 1 << 16, call.op(),
                ": input is ", input.sizes(), " with ", states.size(), " states for ", layers, " layers");
    const std::int64_t batch = input.size(call["batch_first"].toBool() ? 0 : 1);
    for (const Tensor& state : states)
        TORCH_CHECK(state.dim() == 3 && state.size(0) == layers * directions && state.size(1) == batch,
                    call.op(), ": a state is ", state.sizes(), " for ", input.sizes());
    const std::int64_t out = states[0].size(2), hidden = states[1].size(2);
    const bool biases = call["has_biases"].toBool();
    const std::size_t each = (biases ? 4U : 2U) + (out == hidden ? 0U : 1U);
    TORCH_CHECK(weights.size() == each * static_cast<std::size_t>(layers * directions), call.op(),
                ": there are ", weights.size(), " weights");
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const bool first = i / each < static_cast<std::size_t>(directions);
        std::vector<std::int64_t> sizes{4 * hidden};
        if (i % each == 0) sizes.push_back(first ? input.size(2) : out * directions);
        if (i % each == 1) sizes.push_back(out);
        if (i % each == (biases ? 4U : 2U)) sizes = {out, hidden};
        TORCH_CHECK(weights[i].sizes() == at::IntArrayRef(sizes), call.op(), ": weight ", i, " is ",
                    weights[i].sizes(), ", not ", at::IntArrayRef(sizes));
    }
}

/// The kernel's size is said twice.
void checkKernelSize(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor weight = call.tensor("weight");
    const std::vector<std::int64_t> sizes = call.numbers("kernel_size");
    TORCH_CHECK(weight.dim() == static_cast<std::int64_t>(sizes.size()) + 2 &&
                    weight.sizes().slice(2) == at::IntArrayRef(sizes),
                call.op(), ": kernel_size is ", at::IntArrayRef(sizes), ", and weight is ", weight.sizes());
}

} // namespace dynascope::engine::checks
