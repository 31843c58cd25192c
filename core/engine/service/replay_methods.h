// SPDX-License-Identifier: BSD-3-Clause
//
// The methods "record", "replay" and "drop", and those of trees (protocol.h).
#pragma once

#include "core/engine/replay/backend.h"
#include "core/engine/server/server.h"
#include "core/engine/service/tree_method.h"
#include "core/engine/wire/replay.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::engine {

/// The recordings of one client. Belongs to the thread that owns all torch state.
class ReplayPlans {
public:
    ReplayPlans();
    ~ReplayPlans();

    /// `inputs` are those that the request brought along or that were made from the graph.
    [[nodiscard]] tl::expected<wire::RecordReply, Failure>
    record(const wire::RecordRequest& said, const std::shared_ptr<const Program>& program,
           const nlohmann::json& inputs, const TaskContext& task);
    [[nodiscard]] tl::expected<wire::ReplayReply, Failure> replay(const wire::ReplayRequest& said,
                                                                  const RequestContext& task);
    [[nodiscard]] wire::DropReply drop(const wire::DropRequest& said);
    [[nodiscard]] tl::expected<wire::TreeFunctionReply, Failure>
    treeFunction(const wire::TreeFunctionRequest& said, std::shared_ptr<const Program> program,
                 const nlohmann::json& inputs);
    [[nodiscard]] tl::expected<wire::TreeReply, Failure> tree(const wire::TreeRequest& said,
                                                              const TaskContext& task);
    [[nodiscard]] tl::expected<wire::TreeBeginReply, Failure> treeBegin(const wire::TreeRequest& said);
    [[nodiscard]] tl::expected<wire::TreeNextReply, Failure> treeNext(const wire::TreeNextRequest& said,
                                                                      const TaskContext& task);
    void treeDrop(const wire::TreeDropRequest& said);

private:
    struct Plan {
        std::string title; ///< what sentences call it
        std::shared_ptr<RecordedGraph> graph;
        std::vector<std::shared_ptr<Plan>> sources; ///< whose memory its inputs are
        std::size_t remarks = 0;                    ///< in the recording that the client knows of
    };

    [[nodiscard]] tl::expected<std::shared_ptr<Plan>, Failure> find(const std::string& name) const;
    /// Puts memory of other plans in the place of inputs.
    [[nodiscard]] tl::expected<void, Failure> connect(const std::vector<wire::InputWire>& wires,
                                                      std::vector<c10::IValue>& inputs, Plan& plan) const;

    /// The backend of that name, made when it is first asked for.
    [[nodiscard]] tl::expected<ReplayBackend*, Failure> backend(const std::string& name);

    [[nodiscard]] tl::expected<std::unique_ptr<GraphPool>, Failure> pool(const std::string& backend);
    /// Opened when it is first asked for.
    [[nodiscard]] tl::expected<std::shared_ptr<CudaDevice>, Failure> cudaDevice(int index);

    std::map<int, std::shared_ptr<CudaDevice>> m_cudaDevices;
    TreeRuns m_trees;
    std::map<std::string, std::unique_ptr<ReplayBackend>> m_backends;
    std::map<std::string, std::shared_ptr<Plan>> m_plans;
    std::uint64_t m_next = 1;
};

} // namespace dynascope::engine
