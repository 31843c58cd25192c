// SPDX-License-Identifier: BSD-3-Clause
//
// Functional collectives, whose C++ kernels divide by the number of ranks and read a first dimension without asking
// whether there is one.
#include "core/ranks/collectives.h"
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/checks/families.h"

namespace dynascope::engine::checks {

namespace {

void checkRanks(const Arguments& call, std::int64_t ranks) {
    TORCH_CHECK(ranks >= 1 && ranks <= ranks::mostGroupSize, call.op(), ": a group of ", ranks, " ranks");
}

void checkRows(const Arguments& call, const Tensor& tensor) {
    TORCH_CHECK(tensor.defined() && tensor.dim() > 0, call.op(), ": a tensor without dimensions has no rows");
}

} // namespace

void checkGather(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    checkRanks(call, call.number("group_size"));
}

void checkReduceScatter(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const std::int64_t ranks = call.number("group_size");
    checkRanks(call, ranks);
    std::vector<Tensor> given = call.tensors("inputs");
    if (given.empty()) given.push_back(call.tensor("input"));
    for (const Tensor& tensor : given) {
        checkRows(call, tensor);
        TORCH_CHECK(tensor.size(0) % ranks == 0, call.op(), ": ", tensor.size(0),
                    " rows cannot be dealt out to ", ranks, " ranks");
    }
}

void checkAllToAll(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor input = call.tensor("input");
    checkRows(call, input);
    const auto received = call.numbers("output_split_sizes"), sent = call.numbers("input_split_sizes");
    checkRanks(call, static_cast<std::int64_t>(sent.size()));
    TORCH_CHECK(received.size() == sent.size(), call.op(), ": ", sent.size(), " splits are sent, and ",
                received.size(), " received");
    std::int64_t rows = 0, taken = 0;
    bool large = false;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        TORCH_CHECK(sent[i] >= 0 && received[i] >= 0, call.op(), ": a split of negative size");
        large = large || __builtin_add_overflow(rows, sent[i], &rows) ||
                __builtin_add_overflow(taken, received[i], &taken);
    }
    TORCH_CHECK(!large && rows == input.size(0), call.op(), ": the splits that are sent do not make up the ",
                input.size(0), " rows");
}

void checkShardDim(const c10::FunctionSchema& schema, const c10::IValue* values) {
    const Arguments call(schema, values);
    const Tensor input = call.tensor("input");
    checkRows(call, input);
    const std::int64_t gathered = call.number("gather_dim"), sharded = call.number("shard_dim");
    for (const std::int64_t dim : {gathered, sharded})
        TORCH_CHECK_INDEX(dim >= 0 && dim < input.dim(), call.op(), ": dimension ", dim, " of ", input.dim());
    TORCH_CHECK(gathered != sharded, call.op(), ": gathers and shards one dimension");
}

} // namespace dynascope::engine::checks
