// SPDX-License-Identifier: BSD-3-Clause
//
// The engine's protocol as types. Each method of protocol.h has a request and a reply in a header of this
// folder; encode() and decode() (core/base/document.h) take them to JSON and back. Where a field is Any, its
// form is open, and one place reads it: inputs and constants in the form of an oracle case
// (tests/oracle/README.md), exec/case_values.h of the engine; metadata, core/engine/cases; programs of trees,
// core/replay/tree_simulator.h. Values only: made on any thread, owned by whoever holds them. Free of Qt and LibTorch.
#pragma once

#include "core/base/document.h"

#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace dynascope::wire {

/// Elements of a tensor in logical order, as an oracle case has them: numbers, true and false, [real,
/// imaginary] for complex ones, and "nan", "inf", "-inf" for what JSON has no number for.
struct Elements {
    Any list = Any::array();

    /// The first `most`, of complex ones the real part, of truth values 0 and 1.
    [[nodiscard]] std::vector<double> numbers(std::size_t most) const;
    /// The first `most` as JSON has them, "nan" and "inf" without quotes.
    [[nodiscard]] std::vector<std::string> texts(std::size_t most) const;
    [[nodiscard]] std::size_t size() const { return list.size(); }
    friend bool operator==(const Elements&, const Elements&) = default;
};

/// One number, written as an element is.
struct Number {
    std::variant<bool, std::int64_t, double, std::complex<double>> value;

    /// As JSON has it: true, 5, 0.5, "nan", [0.5,1.0].
    [[nodiscard]] std::string text() const;
    friend bool operator==(const Number&, const Number&) = default;
};

/// What a method that runs a graph runs it on. The graph itself is named by its hash (`graph`), which
/// Client adds. Inputs and constants have the form of an oracle case, where a storage may also be {dtype,
/// size, seed, low, high} and an input a number; graph_inputs.h makes such inputs for a captured graph.
struct RunOn {
    Any inputs;     ///< of an oracle case, or with seeds; null: made from the graph's own text
    Any attributes; ///< constants; null or left out: seeded from the graph's text
    /// Values of symbolic sizes where inputs are made from the graph's text: {"s0": 7}.
    std::map<std::string, std::int64_t> symbols;
};

} // namespace dynascope::wire
