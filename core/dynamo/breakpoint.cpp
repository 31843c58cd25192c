// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/breakpoint.h"

namespace dynascope::dynamo {

Result<Breakpoint> Breakpoint::parse(std::string_view text) {
    Result<LiveBreakpoint> where = readLiveBreakpoint(text);
    if (!where) return tl::unexpected(where.error());
    Breakpoint out;
    out.m_where = std::move(*where);
    if (!out.m_where.condition.empty()) {
        Result<Condition> condition = Condition::parse(out.m_where.condition);
        if (!condition) return tl::unexpected(condition.error());
        out.m_condition = std::move(*condition);
    }
    return out;
}

} // namespace dynascope::dynamo
