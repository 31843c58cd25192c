// SPDX-License-Identifier: BSD-3-Clause
//
// What a pass did, op by op, in words: for whoever steps through it. Functionalize says more, see
// functional_recording.h.
#pragma once

#include "core/engine/wire/pass.h"
#include "core/ir/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::computed {

/// What became of one op of the source.
struct PassStepRow {
    enum class What : std::uint8_t {
        Stays,   ///< the same op is in the result, maybe by another name or with nodes behind it
        Changed, ///< another op stands for it
        Made,    ///< several nodes stand for it
        Removed
    };
    std::string source; ///< its node; empty for work on the graph as a whole
    std::string call;   ///< "add_(h, 1)"
    What what = What::Stays;
    std::vector<std::string> results; ///< nodes of the result that it became
    std::string why;                  ///< a sentence without its stop; empty where the engine has none
    /// Of normalize_ir: "writes into storage 2, where h and row lie too"; empty where nothing is shared.
    std::string memory;
    std::size_t end = 0;     ///< nodes of the result after it: the first ones of it
    bool writeStays = false; ///< it stays, and writes
};
/// "stays", "changed", "made", "removed".
[[nodiscard]] std::string_view stepWord(PassStepRow::What what);

struct PassSteps {
    std::string pass;
    std::vector<PassStepRow> rows; ///< in the order of the source
};

/// Those of the last pass of a reply; `source` is the graph that this pass was given, `result` the reply's. No
/// rows where the reply has no steps.
[[nodiscard]] PassSteps passSteps(const wire::PassReply& reply, const ir::Graph& source,
                                  const ir::Graph& result);

/// "normalize_ir: 14 ops, 3 changed, 1 removed; 2 writes stay".
[[nodiscard]] std::string summaryOf(const PassSteps& steps);

} // namespace dynascope::computed
