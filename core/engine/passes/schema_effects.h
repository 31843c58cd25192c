// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/pass.h"

namespace dynascope::engine {

/// By the operator's schema and tags; by name where the target has none.
[[nodiscard]] passes::Effects schemaEffects(const ir::Node& node);

} // namespace dynascope::engine
