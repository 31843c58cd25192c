// SPDX-License-Identifier: BSD-3-Clause
//
// A form for what a graph's text does not tell of its inputs and constants: one row each, filled in as far as
// the text or the capture goes. Filled in by hand, it gives what the engine needs to run the graph.
#pragma once

#include "core/base/result.h"
#include "core/engine/wire/wire.h"
#include "core/ir/graph.h"
#include "core/session/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

/// All texts are as typed. Empty ones are not given.
struct InputRow {
    bool constant = false; ///< of a get_attr; else an input
    std::string name;      ///< of the placeholder, or of the attribute
    std::string dtype;     ///< "float32"; "int" or "float" for a number that is no tensor
    std::string shape;     ///< "[2, 3]", "[]" for a scalar
    std::string stride;    ///< likewise; empty: contiguous
    std::string memory;    ///< any word: inputs with the same one share memory; empty: memory of its own
    std::string offset;    ///< in that memory, in elements; empty: 0
    std::string values;    ///< "1 2 3" in the order of the elements, one number for all, or "seed 7"
    friend bool operator==(const InputRow&, const InputRow&) = default;
    [[nodiscard]] bool isNumber() const { return dtype == "int" || dtype == "float"; }
};

/// Rows for the graph's placeholders in their order, then for the attributes that it reads.
[[nodiscard]] std::vector<InputRow> inputForm(const ir::Graph& graph, const session::Compile* compile);

/// What a row still lacks or has wrong, in a few words: "has no shape"; empty if it is complete.
[[nodiscard]] std::string lackOf(const InputRow& row);

/// As requests to the engine have them. Fails, naming the row, where one is incomplete or rows do not fit each other.
[[nodiscard]] Result<wire::RunOn> formValues(const std::vector<InputRow>& rows);

/// A form that was filled in, and of which stage of a session.
struct SavedForm {
    std::size_t compile = 0,
                stage = 0; ///< indices into Session::compiles and Compile::stages; maybe too large
    std::vector<InputRow> rows;
    friend bool operator==(const SavedForm&, const SavedForm&) = default;
};
/// For session files, as JSON. What cannot be read is left out.
[[nodiscard]] std::string formsText(const std::vector<SavedForm>& forms);
[[nodiscard]] std::vector<SavedForm> readForms(std::string_view text);

/// The names that a row's dtype may have, numbers included.
[[nodiscard]] const std::vector<std::string>& formDtypes();

} // namespace dynascope::engine
