// SPDX-License-Identifier: BSD-3-Clause
//
// The methods "tree_function", "tree", "tree_begin", "tree_next" and "tree_drop" (protocol.h).
#pragma once

#include "core/engine/replay/cuda_device.h"
#include "core/engine/replay/tree_run.h"
#include "core/engine/server/server.h"
#include "core/engine/wire/tree.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::engine {

/// Functions that a client collects, and their runs. Belongs to the thread that owns all torch state.
class TreeRuns {
public:
    using PoolOf =
        std::function<tl::expected<std::unique_ptr<GraphPool>, Failure>(const std::string& backend)>;

    template <typename T>
    using Answer = tl::expected<T, Failure>;

    /// `inputs` are those that the request brought along or that were made from the graph.
    [[nodiscard]] Answer<wire::TreeFunctionReply> addFunction(const wire::TreeFunctionRequest& said,
                                                              std::shared_ptr<const Program> program,
                                                              const nlohmann::json& inputs);
    [[nodiscard]] Answer<wire::TreeReply> run(const wire::TreeRequest& said, const PoolOf& poolOf,
                                              const TaskContext& task);
    /// A run that goes on step by step, as its client asks.
    [[nodiscard]] Answer<wire::TreeBeginReply> begin(const wire::TreeRequest& said, const PoolOf& poolOf);
    [[nodiscard]] Answer<wire::TreeNextReply> next(const wire::TreeNextRequest& said,
                                                   const TaskContext& task);
    void drop(const wire::TreeDropRequest& said);

private:
    struct Live {
        std::string name;
        std::unique_ptr<GraphPool> pool; ///< outlives the run
        std::unique_ptr<PoolTreeRun> run;
    };
    struct Tree {
        std::string name;
        std::vector<TreeRunFunction> functions;
    };
    [[nodiscard]] std::vector<Tree>::iterator find(const std::string& name);
    [[nodiscard]] std::vector<Live>::iterator findLive(const std::string& name);
    /// The functions of a tree, which is none any more, and what the case says of them.
    [[nodiscard]] tl::expected<TreeRunRequest, Failure> takeRequest(const wire::TreeRequest& said);

    std::vector<Tree> m_trees; ///< the oldest first
    std::vector<Live> m_live;  ///< likewise
    std::uint64_t m_next = 1;
};

} // namespace dynascope::engine
