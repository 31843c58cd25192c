// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of a report of a tree, for documents that hold one.
#pragma once

#include "core/base/codec.h"
#include "core/replay/tree_report.h"

namespace dynascope::wire {

template <>
struct Fields<replay::TreeReportStep> {
    static constexpr const char* name = "step";
    static void of(auto& f, auto& x) {
        f("event", x.event);
        f("function", x.function);
        f("action", x.action);
        f.orNull("node", x.node, replay::noNode);
        f.orNull("parent", x.parent, replay::noNode);
        f("again", x.again);
        f("why", x.why);
        f("path", x.path);
        f("overwritten", x.overwritten);
        f("us", x.us);
        f("difference", x.difference);
    }
};

template <>
struct Fields<replay::TreeReport> {
    static constexpr const char* name = "report of a tree";
    static void of(auto& f, auto& x) {
        f("backend", x.backend);
        f("steps", x.steps);
        f("nodes", x.nodes);
        f("pool_bytes", x.poolBytes);
        f("verified", x.verified);
        f("different", x.different);
        f.optional("undecided", x.undecided);
    }
};

} // namespace dynascope::wire
