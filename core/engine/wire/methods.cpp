// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/methods.h"

#include "core/base/codec.h"

namespace dynascope::wire {

template <>
struct Fields<Confinement> {
    static constexpr const char* name = "confinement";
    static void of(auto& f, auto& x) {
        f.natural("landlock", x.landlock);
        f("writes_files", x.writesFiles);
        f("reads_files", x.readsFiles);
        f("opens_sockets", x.opensSockets);
        f("starts_programs", x.startsPrograms);
        f("other_threads", x.otherThreads);
        f("memory_limit_bytes", x.memoryLimitBytes);
        f("seccomp", x.seccomp);
        f("no_new_privileges", x.noNewPrivileges);
    }
};

template <>
struct Fields<InitializeRequest> {
    static constexpr const char* name = "initialize request";
    static void of(auto& f, auto& x) {
        f("protocol", x.protocol);
        f.optional("client", x.client);
    }
};

template <>
struct Fields<InitializeReply> {
    static constexpr const char* name = "initialize reply";
    static void of(auto& f, auto& x) {
        f("protocol", x.protocol);
        f("engine", x.engine);
        f("torch", x.torch);
        f("devices", x.devices);
        f.optional("confinement", x.confinement);
    }
};

template <>
struct Fields<CudaStatus::Device> {
    static constexpr const char* name = "device";
    static void of(auto& f, auto& x) {
        f("name", x.name);
        f("bytes", x.bytes);
        f("capability", x.capability);
    }
};

template <>
struct Fields<CudaStatus> {
    static constexpr const char* name = "CUDA status";
    static void of(auto& f, auto& x) {
        f("driver", x.driver);
        f("problem", x.problem);
        f("cupti", x.cupti);
        f("cupti_problem", x.cuptiProblem);
        f("devices", x.devices);
    }
};

template <>
struct Fields<CudaPresence> {
    static constexpr const char* name = "CUDA";
    static void of(auto& f, auto& x) {
        f("plugin", x.plugin);
        f("plugin_problem", x.pluginProblem);
        f("device_files", x.deviceFiles);
        f.part("driver", x.status);
    }
};

template <>
struct Fields<EnvironmentReply> {
    static constexpr const char* name = "environment reply";
    static void of(auto& f, auto& x) {
        f("torch", x.torch);
        f.natural("threads", x.threads);
        f("confinement", x.confinement);
        f("cuda", x.cuda);
    }
};

template <>
struct Fields<LoadRequest> {
    static constexpr const char* name = "load request";
    static void of(auto& f, auto& x) { f("text", x.text); }
};

template <>
struct Fields<LoadReply> {
    static constexpr const char* name = "load reply";
    static void of(auto& f, auto& x) {
        f("graph", x.graph);
        f("nodes", x.nodes);
    }
};

template <>
struct Fields<OnGraph> {
    static constexpr const char* name = "request on a graph";
    static void of(auto& f, auto& x) { f("graph", x.graph); }
};

template <>
struct Fields<UnsupportedNode> {
    static constexpr const char* name = "node";
    static void of(auto& f, auto& x) {
        f("node", x.node);
        f("target", x.target);
        f("reason", x.reason);
        f("obstacle", x.obstacle);
    }
};

template <>
struct Fields<CoverageReply> {
    static constexpr const char* name = "coverage reply";
    static void of(auto& f, auto& x) {
        f("nodes", x.nodes);
        f("unsupported", x.unsupported);
    }
};

template <>
struct Fields<PassInfo> {
    static constexpr const char* name = "pass";
    static void of(auto& f, auto& x) {
        f("name", x.name);
        f("description", x.description);
        f("origin", x.origin);
    }
};

template <>
struct Fields<PassesReply> {
    static constexpr const char* name = "passes reply";
    static void of(auto& f, auto& x) {
        f("passes", x.passes);
        f("problems", x.problems);
    }
};

template <>
struct Fields<PluginInfo> {
    static constexpr const char* name = "plugin";
    static void of(auto& f, auto& x) {
        f("path", x.path);
        f("name", x.name);
        f("owner", x.owner);
        f("torch", x.torch);
        f("passes", x.passes);
        f("loaded", x.loaded);
        f("problems", x.problems);
    }
};

template <>
struct Fields<BackendInfo> {
    static constexpr const char* name = "backend";
    static void of(auto& f, auto& x) {
        f("path", x.path);
        f("name", x.name);
        f("loaded", x.loaded);
        f("problems", x.problems);
    }
};

template <>
struct Fields<PluginsReply> {
    static constexpr const char* name = "plugins reply";
    static void of(auto& f, auto& x) {
        f("folders", x.folders);
        f("plugins", x.plugins);
        f("backends", x.backends);
    }
};

template <>
struct Fields<StatusReply> {
    static constexpr const char* name = "status reply";
    static void of(auto& f, auto& x) {
        f("busy", x.busy);
        f.optional("method", x.method);
        f("queued", x.queued);
    }
};

template <>
struct Fields<CancelRequest> {
    static constexpr const char* name = "cancel request";
    static void of(auto& f, auto& x) { f("id", x.id); }
};

template <>
struct Fields<CancelReply> {
    static constexpr const char* name = "cancel reply";
    static void of(auto& f, auto& x) { f("cancelled", x.cancelled); }
};

template <>
struct Fields<CreditRequest> {
    static constexpr const char* name = "credit request";
    static void of(auto& f, auto& x) {
        f("id", x.id);
        f("count", x.count);
    }
};

DYNASCOPE_WIRE(InitializeRequest)
DYNASCOPE_WIRE(InitializeReply)
DYNASCOPE_WIRE(EnvironmentReply)
DYNASCOPE_WIRE(LoadRequest)
DYNASCOPE_WIRE(LoadReply)
DYNASCOPE_WIRE(OnGraph)
DYNASCOPE_WIRE(CoverageReply)
DYNASCOPE_WIRE(PassesReply)
DYNASCOPE_WIRE(PluginsReply)
DYNASCOPE_WIRE(StatusReply)
DYNASCOPE_WIRE(CancelRequest)
DYNASCOPE_WIRE(CancelReply)
DYNASCOPE_WIRE(CreditRequest)

} // namespace dynascope::wire
