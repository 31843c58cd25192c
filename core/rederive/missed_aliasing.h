// SPDX-License-Identifier: BSD-3-Clause
//
// Code that was compiled for inputs that overlap, called with inputs that do not, and the other way round.
// Internal to rederive.
#pragma once

#include "core/engine/client/client.h"
#include "core/ir/symbol_value.h"
#include "core/session/session.h"

#include <string>

namespace dynascope::engine {

/// AOTAutograd's runtime hands the code the base of one input, and the code takes the others out of that at
/// the places that they had when it was compiled. Unless a guard checks that inputs overlap, others get
/// there. One sentence with what comes of it, found by running both graphs on inputs that overlap and on ones
/// that do not; empty where nothing does, or where that cannot be told. `captured` is an inference graph or,
/// of training, the forward graph, whose results for the program are compared. Symbolic sizes are `sizes`.
[[nodiscard]] std::string missedAliasing(Client& engine, const session::Compile& compile,
                                         const ir::Graph& dynamo, const ir::Graph& captured,
                                         const ir::SymbolValues& sizes, const CallOptions& options = {});

/// Whether the captured code, called with inputs that share memory in part as no guard forbids, does something
/// else than the function: one sentence that says so, else empty. AOTAutograd traces writes with the inputs that
/// it is shown; of Dynamo's guards those on identity alone keep others out. `metadata` is the text of its record;
/// where sizes are symbolic (`sizes`), or it is not known what is written, that is not asked.
[[nodiscard]] std::string missedGuard(Client& engine, const session::Compile& compile,
                                      const ir::Graph& dynamo, const ir::Graph& captured,
                                      const std::string& metadata, const ir::SymbolValues& sizes,
                                      const CallOptions& options = {});

} // namespace dynascope::engine
