// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/trace/python_tables.h"

#include <ATen/Context.h>
#include <algorithm>
#include <array>

namespace dynascope::engine::python_side {

namespace {

/// Weights and biases of one direction of one layer; None where there is none.
struct Weights {
    Value input, hidden, inputBias, hiddenBias, projection;
};

std::vector<Weights> weightsOf(const Value& parameters, bool biased, bool projected) {
    const std::size_t group = 2U + (biased ? 2U : 0U) + (projected ? 1U : 0U);
    const std::vector<Value>& all = parameters.items();
    TORCH_CHECK(all.size() % group == 0, "there are ", all.size(), " parameters, in groups of ", group);
    std::vector<Weights> out;
    for (std::size_t i = 0; i < all.size(); i += group) {
        Weights weights{all[i], all[i + 1], {}, {}, {}};
        if (biased) {
            weights.inputBias = all[i + 2];
            weights.hiddenBias = all[i + 3];
        }
        if (projected) weights.projection = all[i + group - 1];
        out.push_back(std::move(weights));
    }
    return out;
}

Value linear(const Value& input, const Value& weight, const Value& bias) {
    return aten("linear", {input, weight, bias});
}
Value sigmoid(const Value& value) {
    return aten("sigmoid", {value});
}
Value tanh(const Value& value) {
    return aten("tanh", {value});
}

/// What goes from step to step: the hidden state, for an LSTM the cell state as well.
using State = std::vector<Value>;
using Cell = State (*)(const Value& step, const State& state, const Weights& weights);
struct Layer {
    Value output;
    State state;
};
using RunLayer = Layer (*)(const Value& input, const State& start, const Weights& weights, bool reversed,
                           Cell cell);

State plainCell(const Value& step, const State& state, const Weights& weights, std::string_view function) {
    return {aten(function, {linear(state[0], weights.hidden, weights.hiddenBias) + step})};
}
State tanhCell(const Value& step, const State& state, const Weights& weights) {
    return plainCell(step, state, weights, "tanh");
}
State reluCell(const Value& step, const State& state, const Weights& weights) {
    return plainCell(step, state, weights, "relu");
}

State gruCell(const Value& step, const State& state, const Weights& weights) {
    const Value in = aten("chunk", {step, 3, 1});
    const Value hidden = aten("chunk", {linear(state[0], weights.hidden, weights.hiddenBias), 3, 2});
    const Value reset = sigmoid(item(hidden, 0) + item(in, 0));
    const Value update = sigmoid(item(hidden, 1) + item(in, 1));
    const Value candidate = tanh(item(in, 2) + item(hidden, 2) * reset);
    return {(state[0] - candidate) * update + candidate};
}

State lstmCell(const Value& step, const State& state, const Weights& weights) {
    const Value gates = linear(state[0], weights.hidden, weights.hiddenBias) + step;
    const Value parts = aten("chunk", {gates, 4, 2});
    const Value in = sigmoid(item(parts, 0)), forget = sigmoid(item(parts, 1));
    const Value candidate = tanh(item(parts, 2)), out = sigmoid(item(parts, 3));
    const Value kept = forget * state[1];
    const Value cell = kept + in * candidate;
    Value hidden = out * tanh(cell);
    if (!weights.projection.isNone()) hidden = linear(hidden, weights.projection, {});
    return {hidden, cell};
}

/// Step by step.
Layer unrolled(const Value& input, const State& start, const Weights& weights, bool reversed, Cell cell) {
    const auto begun = [&] {
        State state;
        for (const Value& value : start)
            state.push_back(aten("unsqueeze", {value, 0}));
        return state;
    };
    const bool stateFirst = start.size() > 1; // as PyTorch's code for an LSTM has it
    State state = stateFirst ? begun() : State();
    Value projected = linear(input, weights.input, weights.inputBias);
    if (reversed) projected = aten("flip", {projected, Value::ints({0})});
    if (!stateFirst) state = begun();
    std::vector<Value> steps;
    const Value rows = aten("unbind", {projected, 0});
    for (const Value& step : rows.items()) {
        state = cell(step, state, weights);
        steps.push_back(state[0]);
    }
    if (reversed) std::reverse(steps.begin(), steps.end());
    Layer out;
    out.output = aten("cat", {Value::list(std::move(steps)), 0});
    for (const Value& value : state)
        out.state.push_back(aten("squeeze", {value, 0}));
    return out;
}

/// As one operator of oneDNN's.
Layer fused(const Value& input, const State& start, const Weights& weights, bool reversed, Cell) {
    constexpr int lstmMode = 2;
    const bool biased = !weights.inputBias.isNone();
    const auto biasFor = [&](const Value& bias, const Value& weight) {
        return biased ? bias : aten("zeros", {Value(weight.tensor().sizes().vec())});
    };
    const Value inputBias = biasFor(weights.inputBias, weights.input);
    const Value hiddenBias = biasFor(weights.hiddenBias, weights.hidden);
    Value hidden = aten("unsqueeze", {start[0], 0}), cell = aten("unsqueeze", {start[1], 0});
    const std::int64_t size = hidden.tensor().size(2);
    const Value steps = aten("contiguous", {input});
    hidden = aten("contiguous", {hidden});
    cell = aten("contiguous", {cell});
    const Value results =
        aten("mkldnn_rnn_layer", {steps, weights.input, weights.hidden, inputBias, hiddenBias, hidden, cell,
                                  reversed, Value::list({}), lstmMode, size, 1, biased, false, false, false});
    return {item(results, 0),
            {aten("squeeze", {item(results, 1), 0}), aten("squeeze", {item(results, 2), 0})}};
}

/// Whether PyTorch takes oneDNN for an LSTM.
bool usesMkldnn(const Value& input, const Arguments& a, bool projected) {
    const auto fits = [](const Value& value) {
        const at::ScalarType dtype = value.tensor().scalar_type();
        return dtype == at::kFloat || dtype == at::kBFloat16;
    };
    const auto allFit = [&](const Value& values) {
        return std::all_of(values.items().begin(), values.items().end(), fits);
    };
    return at::globalContext().userEnabledMkldnn() && fits(input) && allFit(a["hx"]) && allFit(a["params"]) &&
           !input.tensor().requires_grad() && !projected;
}

struct Network {
    Value output;
    std::vector<State> finals; ///< by layer and direction
};

Network run(const Arguments& a, const std::vector<State>& starts, bool projected, RunLayer layer, Cell cell) {
    const std::vector<Weights> weights = weightsOf(a["params"], a["has_biases"].flag(), projected);
    const bool batchFirst = a["batch_first"].flag(), both = a["bidirectional"].flag();
    const std::size_t directions = both ? 2 : 1;
    const auto layers = static_cast<std::size_t>(a["num_layers"].integer());
    TORCH_CHECK(weights.size() >= layers * directions && starts.size() >= layers * directions,
                "there are too few parameters or states for ", layers, " layers");
    Network out;
    out.output = batchFirst ? aten("transpose", {a["input"], 0, 1}) : a["input"];
    for (std::size_t i = 0; i < layers * directions; i += directions) {
        Layer forward = layer(out.output, starts[i], weights[i], false, cell);
        out.finals.push_back(std::move(forward.state));
        if (both) {
            Layer backward = layer(out.output, starts[i + 1], weights[i + 1], true, cell);
            out.finals.push_back(std::move(backward.state));
            const std::int64_t last = forward.output.tensor().dim() - 1;
            forward.output = aten("cat", {Value::list({forward.output, backward.output}), last});
        }
        out.output = std::move(forward.output);
    }
    if (batchFirst) out.output = aten("transpose", {out.output, 0, 1});
    return out;
}

Value stacked(const std::vector<State>& finals, std::size_t which) {
    std::vector<Value> out;
    for (const State& state : finals)
        out.push_back(state.at(which));
    return aten("stack", {Value::list(std::move(out)), 0});
}

template <Cell cell>
Value network(const Arguments& a) {
    std::vector<State> starts;
    const Value rows = aten("unbind", {a["hx"], 0});
    for (const Value& row : rows.items())
        starts.push_back({row});
    const Network result = run(a, starts, false, unrolled, cell);
    return Value::tuple({result.output, stacked(result.finals, 0)});
}

Value lstm(const Arguments& a) {
    TORCH_CHECK(a["hx"].items().size() == 2, "lstm expects two hidden states");
    const Value &hidden = item(a["hx"], 0), &cell = item(a["hx"], 1);
    const bool projected = hidden.tensor().size(2) != cell.tensor().size(2);
    const Value hiddens = aten("unbind", {hidden, 0}), cells = aten("unbind", {cell, 0});
    std::vector<State> starts;
    for (std::size_t i = 0; i < std::min(hiddens.items().size(), cells.items().size()); ++i)
        starts.push_back({item(hiddens, i), item(cells, i)});
    const RunLayer layer = usesMkldnn(a["input"], a, projected) ? fused : unrolled;
    const Network result = run(a, starts, projected, layer, lstmCell);
    return Value::tuple({result.output, stacked(result.finals, 0), stacked(result.finals, 1)});
}

constexpr std::string_view parameters =
    "input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first";

constexpr std::array table{
    Entry{"rnn_tanh.input", parameters, network<tanhCell>},
    Entry{"rnn_relu.input", parameters, network<reluCell>},
    Entry{"gru.input", parameters, network<gruCell>},
    Entry{"lstm.input", parameters, lstm},
};

} // namespace

std::span<const Entry> recurrentKernels() {
    return table;
}

} // namespace dynascope::engine::python_side
