// SPDX-License-Identifier: BSD-3-Clause
//
// The method "execute": runs a graph and says what came of it, and what each node held. And "tensor", the
// elements of one value.
#pragma once

#include "core/engine/wire/wire.h"

#include <optional>

namespace dynascope::wire {

struct ExecuteRequest {
    RunOn on;
    std::string until;                    ///< name of the last node to run; empty for all
    bool values = false;                  ///< describe every node's value
    std::vector<std::string> watch;       ///< describe only these nodes' values
    bool data = true;                     ///< give the elements of outputs and inputs after the call ...
    std::optional<std::int64_t> elements; ///< ... but at most so many of each, one at least; nothing: all
    bool grad = false;                    ///< track gradients even where no input requires one
};

struct ValueHistogram {
    double first = 0, last = 0;
    std::vector<std::int64_t> counts;
};

/// Over the finite elements of a tensor, of complex ones their magnitudes. Nothing where there are none, and
/// no deviation of a single one.
struct ValueSummary {
    std::optional<double> min, max, mean, deviation;
    std::int64_t nan = 0, infinite = 0, zero = 0; ///< elements
    std::optional<ValueHistogram> histogram;      ///< in graphs of over 2,000 nodes of watched ones only
};

/// Of a node that gave a tensor.
struct TensorFacts {
    std::string dtype; ///< "float32"
    std::vector<std::int64_t> shape, stride;
    std::int64_t offset = 0;   ///< in elements
    std::uint64_t storage = 0; ///< the same storage has the same number
    std::uint64_t bytes = 0;
    bool requiresGrad = false;
    std::int64_t version = 0;
    std::optional<std::uint64_t> isInput; ///< position of the input that it is
    /// Rows of at most 8 x 8 elements, the first of the last two dimensions.
    std::vector<Elements> corner;
    ValueSummary summary;
};

/// What a node, or an item of its list, gave.
struct HeldValue {
    enum class Kind : std::uint8_t { Tensor, Scalar, List, None };

    Kind kind = Kind::None;
    std::string text;                  ///< of a scalar its value
    std::optional<TensorFacts> tensor; ///< of a tensor
    std::string type;                  ///< of a scalar: Python's
    std::vector<HeldValue> items;      ///< of a list
};

/// What a node held right after it ran.
struct NodeValue {
    std::string node;
    std::vector<std::string> bumped; ///< nodes whose tensors this one wrote to
    HeldValue held;
};

struct RunTensor {
    std::string dtype;
    std::vector<std::int64_t> shape, stride;
    std::int64_t offset = 0;
    std::optional<Elements> data;
    friend bool operator==(const RunTensor&, const RunTensor&) = default;
};

struct RunAliases {
    std::optional<std::uint64_t> isInput;       ///< the very tensor
    std::vector<std::uint64_t> inputs, outputs; ///< that share its storage; outputs before it
};

/// An output, an input after the call, or a gradient.
struct RunValue {
    std::optional<RunTensor> tensor;
    std::optional<RunAliases> aliases; ///< of an output that is a tensor
    std::optional<bool> sameStorage;   ///< of an input: it still lies in a storage of the case
    std::optional<Number> scalar;      ///< of a number
    std::optional<std::string> text;   ///< of anything else
    bool none = false;
};

struct RunAfter {
    std::vector<std::optional<Elements>> storages; ///< nothing where elements were not asked for
    std::vector<RunValue> inputs;
};

struct ExecuteReply {
    std::vector<RunValue> outputs;                             ///< empty where the run was cut short
    RunAfter post;                                             ///< what the caller's memory holds
    std::optional<std::vector<std::optional<RunValue>>> grads; ///< of inputs that require one
    /// In order of execution, where they were asked for.
    std::optional<std::vector<NodeValue>> values;
    std::optional<std::string> stoppedAt; ///< `until`, where the run ended there
};

struct TensorRequest {
    RunOn on;
    std::string node;
    std::uint64_t item = 0; ///< which tensor or number, where the value has several
};

/// The elements come as bulk data: in logical order, as the machine has them (little-endian).
struct TensorReply {
    std::string dtype;
    std::vector<std::int64_t> shape;
};

} // namespace dynascope::wire
