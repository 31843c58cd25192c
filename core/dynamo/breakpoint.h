// SPDX-License-Identifier: BSD-3-Clause
//
// Places to halt at on the way through a recording. They are written as those of live mode.
#pragma once

#include "core/dynamo/condition.h"
#include "core/dynamo/live.h"

#include <optional>
#include <string>
#include <string_view>

namespace dynascope::dynamo {

/// "cap.py:31", "cap.py:31 if nodes > 3", "nodes > 10", "graph break", "exception".
class Breakpoint {
public:
    /// Errors are those of Condition::parse.
    [[nodiscard]] static Result<Breakpoint> parse(std::string_view text);

    [[nodiscard]] std::string text() const { return describe(m_where); }
    [[nodiscard]] const LiveBreakpoint& where() const { return m_where; }
    /// By itself or of a line; null for none.
    [[nodiscard]] const Condition* condition() const { return m_condition ? &*m_condition : nullptr; }

private:
    LiveBreakpoint m_where;
    std::optional<Condition> m_condition;
};

} // namespace dynascope::dynamo
