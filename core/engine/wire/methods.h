// SPDX-License-Identifier: BSD-3-Clause
//
// The methods that say what an engine is and has: initialize, environment, load, coverage, passes, plugins.
#pragma once

#include "core/engine/wire/wire.h"

#include <optional>

namespace dynascope::wire {

/// What a graph that took over the engine could do, tried out.
struct Confinement {
    int landlock = 0; ///< the kernel's ABI; 0: none
    bool writesFiles = true;
    bool readsFiles = true; ///< others than libraries
    bool opensSockets = true;
    bool startsPrograms = true;
    std::uint64_t otherThreads = 0;     ///< that ran when it was confined
    std::uint64_t memoryLimitBytes = 0; ///< of private memory; 0: none
    bool seccomp = false;               ///< as the kernel says of the process; the next likewise
    bool noNewPrivileges = false;
};

struct InitializeRequest {
    int protocol = 0;
    std::string client; ///< its version
};

struct InitializeReply {
    int protocol = 0;
    std::string engine; ///< its version
    std::string torch;  ///< PyTorch's
    std::vector<std::string> devices;
    /// An engine that does not say is taken for one that is not confined.
    std::optional<Confinement> confinement;
};

/// What a CUDA driver answers.
struct CudaStatus {
    struct Device {
        std::string name;
        std::uint64_t bytes = 0;
        std::string capability; ///< "9.0"
    };
    std::string driver;       ///< version
    std::string problem;      ///< why no device can be used; empty where one can
    std::string cupti;        ///< version
    std::string cuptiProblem; ///< likewise
    std::vector<Device> devices;
};

struct CudaPresence {
    std::string plugin;                   ///< path of the engine's module
    std::string pluginProblem;            ///< empty where it can be used
    std::vector<std::string> deviceFiles; ///< "/dev/nvidia0"
    std::optional<CudaStatus> status;     ///< where the module can be used
};

/// What the engine has to work with, for `doctor`.
struct EnvironmentReply {
    std::string torch;
    int threads = 0; ///< of an op
    Confinement confinement;
    CudaPresence cuda;
};

struct LoadRequest {
    std::string text; ///< of a graph, in any form that can be read
};

struct LoadReply {
    std::string graph; ///< graphHash(text): how requests name it
    std::uint64_t nodes = 0;
};

/// What every request on a graph has besides its own fields.
struct OnGraph {
    std::string graph; ///< that LoadReply named
};

/// A node that the engine cannot run.
struct UnsupportedNode {
    std::string node, target, reason;
    /// "hardware", "collective", "hook" (Python that the capture does not hold), "refused" (reaches outside
    /// the graph), "malformed" or "unknown".
    std::string obstacle;
};

struct CoverageReply {
    std::uint64_t nodes = 0; ///< of the graph
    std::vector<UnsupportedNode> unsupported;
};

struct PassInfo {
    std::string name, description;
    std::string origin; ///< "builtin", or the plugin's path
};

struct PassesReply {
    std::vector<PassInfo> passes;
    std::vector<std::string> problems; ///< a line for each cause why a plugin was not loaded
};

/// A *.so in a plugin folder, or a folder from which none is loaded.
struct PluginInfo {
    std::string path, name;
    std::string owner;               ///< user of the file; empty where not known
    std::string torch;               ///< PyTorch that it is built for; empty: any
    std::vector<std::string> passes; ///< that it brought
    bool loaded = false;             ///< at least one pass came of it
    std::vector<std::string> problems;
};

/// A module of the engine's own for a device.
struct BackendInfo {
    std::string path, name;
    bool loaded = false;
    std::vector<std::string> problems;
};

/// What was found when the engine started.
struct PluginsReply {
    std::vector<std::string> folders; ///< that were searched, in order
    std::vector<PluginInfo> plugins;
    std::vector<BackendInfo> backends;
};

/// What the engine does. Answered while a request is being carried out, as the two below.
struct StatusReply {
    bool busy = false;
    std::string method;       ///< of the request that is being carried out; empty: none is
    std::uint64_t queued = 0; ///< requests that wait
};

/// Stops the request with this JSON-RPC id, a number or a string.
struct CancelRequest {
    Any id;
};

struct CancelReply {
    bool cancelled = false; ///< there was such a request
};

/// Room for more bulk data of the request with this JSON-RPC id.
struct CreditRequest {
    Any id;
    std::uint64_t count = 0; ///< pieces
};

} // namespace dynascope::wire
