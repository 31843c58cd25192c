// SPDX-License-Identifier: BSD-3-Clause
//
// Code that was compiled for inputs that overlap, called with inputs that do not. Internal to rederive.
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

} // namespace dynascope::engine
