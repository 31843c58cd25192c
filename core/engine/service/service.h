// SPDX-License-Identifier: BSD-3-Clause
//
// The engine's methods (core/engine/wire/protocol.h) over the interpreter and the passes: the table of them is in
// service.cpp.
//
// It computes nothing itself: a method reads a request, asks the room whose work it is, and fills in a reply. What comes
// from a pipe and goes into it is core/engine/server's.
//
// In this order: this header; execute.h, a method in a file of its own, as aot_method.h, verify_method.h,
// ranks_method.h, replay_methods.h and tree_method.h are; pass_runner.h, which lists and runs passes; plugins.h, those
// that come from elsewhere.
#pragma once

#include "core/engine/server/server.h"
#include "core/engine/service/plugins.h"
#include "core/passes/registry.h"

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace dynascope::engine {

struct Program; // not included: this header is free of LibTorch, so that app/engine is
class ReplayPlans;

/// Holds the graphs of one client. Not thread-safe: it belongs to the thread that owns all torch state.
class Service {
public:
    /// Loads the plugins of these folders.
    explicit Service(const std::vector<std::string>& pluginFolders = {});
    ~Service();
    Service(Service&&) noexcept;
    Service& operator=(Service&&) noexcept;

    /// Carries out one request. Never throws.
    [[nodiscard]] Reply handle(const std::string& method, const nlohmann::json& params,
                               const RequestContext& task);

private:
    using ProgramPtr = std::shared_ptr<const Program>;

    struct Call;

    /// By the table of methods.
    Reply dispatch(const std::string& name, const nlohmann::json& params, const RequestContext& task);
    [[nodiscard]] static Reply executeMethod(Call& call);
    Reply pass(Call& call);
    Reply verify(Call& call);
    [[nodiscard]] Reply passes() const;
    Reply load(const nlohmann::json& params);
    [[nodiscard]] tl::expected<ProgramPtr, Failure> programOf(const std::string& hash);

    /// Most recently used first.
    std::list<std::pair<std::string, ProgramPtr>> m_programs;
    passes::Registry m_passes;
    std::vector<std::string> m_pluginFolders;
    std::vector<PluginReport> m_plugins;
    std::unique_ptr<ReplayPlans> m_replays;
};

} // namespace dynascope::engine
