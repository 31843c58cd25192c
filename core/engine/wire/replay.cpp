// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/replay.h"

#include "core/engine/wire/execute_fields.h"
#include "core/engine/wire/pass_fields.h"
#include "core/replay/recording_fields.h"

namespace dynascope::wire {

template <>
struct Fields<InputWire> {
    static constexpr const char* name = "wire";
    static void of(auto& f, auto& x) {
        f("input", x.input);
        f("plan", x.plan);
        f.optional("output", x.output);
        f.optional("source", x.source);
        f.check("output", x.output.has_value() != x.source.has_value(), "expected this or 'source'");
    }
};

template <>
struct Fields<RecordRequest> {
    static constexpr const char* name = "record request";
    static void of(auto& f, auto& x) {
        Fields<RunOn>::of(f, x.on);
        f.optional("title", x.title);
        f.optional("backend", x.backend, std::string("cpu"));
        f.optional("threads", x.threads);
        f.optional("onednn", x.oneDnn, true);
        f.optional("kept", x.kept);
        f.optional("wires", x.wires);
        f.optional("again", x.again);
    }
};

template <>
struct Fields<RecordReply> {
    static constexpr const char* name = "record reply";
    static void of(auto& f, auto& x) {
        f("plan", x.plan);
        f("recording", x.recording);
    }
};

template <>
struct Fields<ReplayRequest> {
    static constexpr const char* name = "replay request";
    static void of(auto& f, auto& x) {
        f("plans", x.plans);
        f.optional("iterations", x.iterations);
        f.optional("node_iterations", x.nodeIterations);
        f.optional("verify", x.verifyEvery);
        f.optional("eager", x.eager, true);
        f.optional("times", x.times, std::string("nodes"));
        f.optional("live", x.live);
        f.optional("outputs", x.outputs);
    }
};

template <>
struct Fields<ReplayedResult> {
    static constexpr const char* name = "result";
    static void of(auto& f, auto& x) { f.part("shape", x.tensor); }
};

template <>
struct Fields<ReplayReply> {
    static constexpr const char* name = "replay reply";
    static void of(auto& f, auto& x) {
        f("run", x.run);
        f("recordings", x.recordings);
        f.optional("live_events", x.liveEvents);
        f.optional("outputs", x.outputs);
    }
};

template <>
struct Fields<DropRequest> {
    static constexpr const char* name = "drop request";
    static void of(auto& f, auto& x) { f("plans", x.plans); }
};

template <>
struct Fields<DropReply> {
    static constexpr const char* name = "drop reply";
    static void of(auto& f, auto& x) { f("plans", x.plans); }
};

DYNASCOPE_WIRE(RecordRequest)
DYNASCOPE_WIRE(RecordReply)
DYNASCOPE_WIRE(ReplayRequest)
DYNASCOPE_WIRE(ReplayReply)
DYNASCOPE_WIRE(DropRequest)
DYNASCOPE_WIRE(DropReply)

} // namespace dynascope::wire
