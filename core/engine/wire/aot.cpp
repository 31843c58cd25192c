// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/aot.h"

#include "core/engine/wire/execute_fields.h"
#include "core/engine/wire/pass_fields.h"

namespace dynascope::wire {

template <>
struct Fields<AotRequest> {
    static constexpr const char* name = "aot request";
    static void of(auto& f, auto& x) {
        Fields<RunOn>::of(f, x.on);
        f.optional("keep_input_mutations", x.keepInputMutations, true);
        f.optional("grad_mode", x.gradMode);
        f.optional("autocast", x.autocast);
        f.optional("symbolic_sizes", x.symbolicSizes);
        f.optional("unbounded", x.unbounded);
        f.optional("run", x.run);
    }
};

template <>
struct Fields<AotTrace> {
    static constexpr const char* name = "trace";
    static void of(auto& f, auto& x) {
        f("joint", x.joint);
        f("values", x.values);
        f("forward_outputs", x.forwardOutputs);
        f.object("metadata_outer", x.metadataOuter);
        f.object("metadata", x.metadata);
        f.optional("numbers_read", x.numbersRead);
        f.optional("readable", x.readable);
        f("graph_warnings", x.graphWarnings);
        f("time_us", x.microseconds);
    }
};

template <>
struct Fields<AotRun::Failure> {
    static constexpr const char* name = "error";
    static void of(auto& f, auto& x) { f("message", x.message); }
};

template <>
struct Fields<AotRun> {
    static constexpr const char* name = "run";
    static void of(auto& f, auto& x) {
        f.part("outputs", x.done);
        f.optional("error", x.error);
        f.check("outputs", x.done.has_value() != x.error.has_value(), "expected this or 'error'");
    }
};

template <>
struct Fields<AotReply> {
    static constexpr const char* name = "aot reply";
    static void of(auto& f, auto& x) {
        f("graph", x.graph);
        f.optional("refused", x.refused);
        if (!x.refused) f.inlined(x.trace);
        f("warnings", x.warnings);
        f.optional("run", x.run);
    }
};

DYNASCOPE_WIRE(AotRequest)
DYNASCOPE_WIRE(AotReply)

} // namespace dynascope::wire
