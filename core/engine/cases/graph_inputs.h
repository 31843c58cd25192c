// SPDX-License-Identifier: BSD-3-Clause
//
// Inputs for a graph whose real ones are not at hand: seeded values in the shapes, strides and shared
// storages that a capture describes, or that the graph's own text shows. The result has the form of an oracle
// case's `inputs`, but a storage is {dtype, size, seed, low, high, diagonal}, so that no large tensor ever
// becomes text; and an input that is a view, or the base of one, says which of `bases` it views or is:
// {storage, shape, stride, storage_offset, dtype, requires_grad, is_leaf}. One that is conjugated or negated
// lazily says `conj` or `neg`.
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"
#include "core/ir/symbol_value.h"
#include "core/session/session.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace dynascope::engine {

struct GraphInputOptions {
    ir::SymbolValues symbols;  ///< the user's values; they go before the captured hints
    std::uint64_t seed = 1;    ///< of the first storage; the next has the next number
    bool requiresGrad = false; ///< mark what the capture says requires grad
    bool views = false;        ///< inputs that view a base, or are it, do so here: autograd goes by views
};

/// By the placeholders' metadata alone. The same graph and options give the same values everywhere. Integers
/// that the graph uses as indices stay in range. An input of which nothing is known and that no operator reads, such as
/// the device mesh of a DTensor, is null. Fails, naming the input, where a shape is not known.
[[nodiscard]] Result<nlohmann::json> inputsOfGraph(const ir::Graph& graph,
                                                   const GraphInputOptions& options = {});

/// By the compile's describe_storage, describe_tensor, describe_source and create_symbol records where a
/// placeholder stands for a described source, else by metadata. The same source gets the same values in every
/// graph of the compile, so that a Dynamo graph and AOTAutograd's graphs of it can be compared.
[[nodiscard]] Result<nlohmann::json> inputsOfCapture(const session::Compile& compile, const ir::Graph& graph,
                                                     const GraphInputOptions& options = {});

} // namespace dynascope::engine
