// SPDX-License-Identifier: BSD-3-Clause
#include "core/doctor/document.h"

#include "core/base/codec.h"
#include "core/replay/recording_fields.h"
#include "core/replay/tree_report_fields.h"

#include <array>
#include <utility>

namespace dynascope::wire {

using namespace doctor;

namespace {

/// Why something failed, or what came of it, whose fields begin with `first`.
void errorOr(auto& f, auto& error, const char* first, auto& cameOfIt) {
    f.optional("error", error);
    f.part(first, cameOfIt);
    f.check(first, cameOfIt || !error.empty(), "expected this or 'error'");
}

} // namespace

template <>
struct Words<Finding::State> {
    static constexpr std::array of{std::string_view("works"), std::string_view("limited"),
                                   std::string_view("missing")};
};

template <>
struct Fields<Finding> {
    static constexpr const char* name = "finding";
    static void of(auto& f, auto& x) {
        f("what", x.what);
        f("state", x.state);
        f("text", x.text);
        f("advice", x.advice);
    }
};

template <>
struct Fields<BatteryRun::Again> {
    static constexpr const char* name = "recorded again";
    static void of(auto& f, auto& x) {
        f("us", x.us);
        f("updated", x.updated);
        f("why", x.why);
    }
};

template <>
struct Fields<BatteryRun> {
    static constexpr const char* name = "run of a program";
    static void of(auto& f, auto& x) {
        f("run", x.run);
        f("recordings", x.recordings);
        f("recorded_again", x.recordedAgain);
        f("left_out", x.leftOut);
        f.optional("node_time_warnings", x.nodeTimeWarnings);
    }
};

template <>
struct Fields<BatteryProgram> {
    static constexpr const char* name = "program";
    static void of(auto& f, auto& x) { errorOr(f, x.error, "run", x.ran); }
};

template <>
struct Fields<BatteryTreeRun> {
    static constexpr const char* name = "run of trees";
    static void of(auto& f, auto& x) {
        f.object("case", x.treeCase);
        f("report", x.report);
    }
};

template <>
struct Fields<BatteryTrees> {
    static constexpr const char* name = "trees";
    static void of(auto& f, auto& x) { errorOr(f, x.error, "case", x.ran); }
};

template <>
struct Fields<PeerTimes> {
    static constexpr const char* name = "times";
    static void of(auto& f, auto& x) {
        f("cudagraph_us", x.cudaGraphUs);
        f("eager_us", x.eagerUs);
        f("pool_bytes", x.poolBytes);
    }
};

template <>
struct Fields<PeerProgram> {
    static constexpr const char* name = "program of the peer";
    static void of(auto& f, auto& x) { errorOr(f, x.error, "cudagraph_us", x.times); }
};

template <>
struct Fields<PeerPrograms> {
    static constexpr const char* name = "programs of the peer";
    static void of(auto& f, auto& x) {
        f("torch", x.torch);
        f("device", x.device);
        f("programs", x.programs);
    }
};

template <>
struct Fields<BatteryPeer> {
    static constexpr const char* name = "the peer";
    static void of(auto& f, auto& x) { errorOr(f, x.error, "programs", x.ran); }
};

template <>
struct Fields<GpuBattery> {
    static constexpr const char* name = "battery";
    static void of(auto& f, auto& x) {
        f("backend", x.backend);
        f("programs", x.programs);
        f("trees", x.trees);
        f.optional("peer", x.peer);
    }
};

template <>
struct Fields<Document> {
    static constexpr const char* name = "is no document of 'doctor -o'";
    static void of(auto& f, auto& x) {
        constexpr int current = 1;
        int format = current;
        f("dynascope_doctor", format);
        f.check("dynascope_doctor", format == current, "expected 1");
        f("version", x.version);
        f.optional("system", x.system);
        f("findings", x.findings);
        f.optional("gpu", x.gpu);
    }
};

template <>
struct Fields<WindowAnswer> {
    static constexpr const char* name = "dynascope --self-check";
    static void of(auto& f, auto& x) {
        f("qt", x.qt);
        f("platform", x.platform);
        f("screen", x.screen);
    }
};

template <>
struct Fields<PythonAnswer> {
    static constexpr const char* name = "the interpreter";
    static void of(auto& f, auto& x) {
        f("python", x.python);
        f("torch", x.torch);
    }
};

DYNASCOPE_WIRE(BatteryPeer)
DYNASCOPE_WIRE(Document)
DYNASCOPE_WIRE(WindowAnswer)
DYNASCOPE_WIRE(PythonAnswer)

} // namespace dynascope::wire

namespace dynascope::doctor {

std::string_view stateName(Finding::State state) {
    return wire::Words<Finding::State>::of[static_cast<std::size_t>(state)];
}

std::optional<double> BatteryPeer::replayUs(const std::string& program) const {
    if (!ran) return std::nullopt;
    const auto at = ran->programs.find(program);
    if (at == ran->programs.end() || !at->second.times) return std::nullopt;
    return at->second.times->cudaGraphUs;
}

Result<BatteryPeer> peerFrom(const std::string& printed) {
    return wire::decode<BatteryPeer>(wire::parsed(printed));
}

std::string textOf(const Document& document) {
    return wire::textOf(wire::encode(document));
}

Result<Document> documentFrom(const std::string& text) {
    return wire::decode<Document>(wire::parsed(text));
}

Result<WindowAnswer> windowAnswerFrom(const std::string& printed) {
    return wire::decode<WindowAnswer>(wire::parsed(printed));
}

Result<PythonAnswer> pythonAnswerFrom(const std::string& printed) {
    return wire::decode<PythonAnswer>(wire::parsed(printed));
}

} // namespace dynascope::doctor
