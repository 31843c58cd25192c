// SPDX-License-Identifier: BSD-3-Clause
//
// Holds the bytecode that was generated for a graph's side effects against what the changed objects ask for.
#pragma once

#include "core/dynamo/side_effects.h"

#include <simdjson.h>

namespace dynascope::dynamo {

/// Fills in steps, faults and what became of each object; `replay` is a record of the tag Replay.
void holdAgainst(SideEffectReport& report, const simdjson::dom::element& replay);

} // namespace dynascope::dynamo
