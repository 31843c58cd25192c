// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/tree.h"

#include "core/engine/wire/pass_fields.h"
#include "core/replay/tree_log_fields.h"
#include "core/replay/tree_report_fields.h"

namespace dynascope::wire {

template <>
struct Fields<TreeFunctionRequest> {
    static constexpr const char* name = "tree function request";
    static void of(auto& f, auto& x) {
        Fields<RunOn>::of(f, x.on);
        f.optional("name", x.name);
        f.optional("tree", x.tree);
    }
};

template <>
struct Fields<TreeFunctionReply> {
    static constexpr const char* name = "tree function reply";
    static void of(auto& f, auto& x) {
        f("tree", x.tree);
        f("function", x.function);
    }
};

template <>
struct Fields<TreeRequest> {
    static constexpr const char* name = "tree request";
    static void of(auto& f, auto& x) {
        f("tree", x.tree);
        f("case", x.program);
        f.optional("backend", x.backend, std::string("cpu"));
        f.optional("verify", x.verify, true);
    }
};

template <>
struct Fields<TreeReply> {
    static constexpr const char* name = "tree reply";
    static void of(auto& f, auto& x) { f("report", x.report); }
};

template <>
struct Fields<TreeBeginReply> {
    static constexpr const char* name = "tree run reply";
    static void of(auto& f, auto& x) { f("run", x.run); }
};

template <>
struct Fields<TreeNextRequest> {
    static constexpr const char* name = "tree step request";
    static void of(auto& f, auto& x) {
        f("run", x.run);
        f.optional("steps", x.steps, std::uint64_t(1));
    }
};

template <>
struct Fields<TreeNextReply> {
    static constexpr const char* name = "tree step reply";
    static void of(auto& f, auto& x) { f("part", x.part); }
};

template <>
struct Fields<TreeDropRequest> {
    static constexpr const char* name = "tree drop request";
    static void of(auto& f, auto& x) { f("run", x.run); }
};

DYNASCOPE_WIRE(TreeFunctionRequest)
DYNASCOPE_WIRE(TreeFunctionReply)
DYNASCOPE_WIRE(TreeRequest)
DYNASCOPE_WIRE(TreeReply)
DYNASCOPE_WIRE(TreeBeginReply)
DYNASCOPE_WIRE(TreeNextRequest)
DYNASCOPE_WIRE(TreeNextReply)
DYNASCOPE_WIRE(TreeDropRequest)

} // namespace dynascope::wire
