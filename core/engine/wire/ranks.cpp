// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/ranks.h"

#include "core/engine/wire/execute_fields.h"
#include "core/engine/wire/pass_fields.h"
#include "core/replay/recording_fields.h"

namespace dynascope::wire {

template <>
struct Fields<RankWire> {
    static constexpr const char* name = "rank wire";
    static void of(auto& f, auto& x) {
        f("input", x.input);
        f("graph", x.graph);
        f.optional("output", x.output);
        f.optional("source", x.source);
        f.check("output", x.output.has_value() != x.source.has_value(), "expected this or 'source'");
    }
};

template <>
struct Fields<RankGraph> {
    static constexpr const char* name = "rank graph";
    static void of(auto& f, auto& x) {
        f("name", x.name);
        f("text", x.text);
        Fields<RunOn>::of(f, x.on);
        f.optional("kept", x.kept);
        f.optional("wires", x.wires);
    }
};

template <>
struct Fields<RankProgram> {
    static constexpr const char* name = "rank program";
    static void of(auto& f, auto& x) { f("graphs", x.graphs); }
};

template <>
struct Fields<RankGroup> {
    static constexpr const char* name = "rank group";
    static void of(auto& f, auto& x) {
        f("name", x.name);
        f("ranks", x.ranks);
    }
};

template <>
struct Fields<RanksRequest> {
    static constexpr const char* name = "ranks request";
    static void of(auto& f, auto& x) {
        f("ranks", x.ranks);
        f("groups", x.groups);
        f.optional("iterations", x.iterations, std::uint64_t{10});
        f.optional("node_iterations", x.nodeIterations, std::uint64_t{10});
        f.optional("verify", x.verifyEvery, std::uint64_t{1});
        f.optional("output_elements", x.outputElements);
        f.optional("backend", x.backend, std::string("cpu"));
        f.check("backend", x.backend == "cpu" || x.backend == "cuda", "expected 'cpu' or 'cuda'");
    }
};

template <>
struct Fields<RankError> {
    static constexpr const char* name = "rank error";
    static void of(auto& f, auto& x) {
        f("graph", x.graph);
        f.optional("node", x.node);
        f("message", x.message);
    }
};

template <>
struct Fields<RankResult> {
    static constexpr const char* name = "rank result";
    static void of(auto& f, auto& x) {
        f("recordings", x.recordings);
        f.optional("run", x.run);
        f.optional("error", x.error);
        f.optional("outputs", x.outputs);
    }
};

template <>
struct Fields<RankWaiting> {
    static constexpr const char* name = "rank that waits";
    static void of(auto& f, auto& x) {
        f("rank", x.rank);
        f("call", x.call);
        f.optional("graph", x.graph);
        f.optional("node", x.node);
    }
};

template <>
struct Fields<RanksFailure> {
    static constexpr const char* name = "ranks failure";
    static void of(auto& f, auto& x) {
        f("kind", x.kind);
        f("text", x.text);
        f("waiting", x.waiting);
        f("ended", x.ended);
        f("never", x.never);
    }
};

template <>
struct Fields<RanksReply> {
    static constexpr const char* name = "ranks reply";
    static void of(auto& f, auto& x) {
        f("ranks", x.ranks);
        f("meetings", x.meetings);
        f.optional("failure", x.failure);
    }
};

DYNASCOPE_WIRE(RanksRequest)
DYNASCOPE_WIRE(RanksReply)
DYNASCOPE_WIRE(RankResult)

} // namespace dynascope::wire
