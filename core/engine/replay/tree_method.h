// SPDX-License-Identifier: BSD-3-Clause
//
// The methods "tree_function" and "tree" (protocol.h).
#pragma once

#include "core/engine/client/server.h"
#include "core/engine/replay/cuda_device.h"
#include "core/engine/replay/tree_run.h"

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

    /// Throws nlohmann's exceptions, as the others do.
    [[nodiscard]] Reply addFunction(const nlohmann::json& params, std::shared_ptr<const Program> program,
                                    const nlohmann::json& inputs);
    [[nodiscard]] Reply run(const nlohmann::json& params, const PoolOf& poolOf, const TaskContext& task);

private:
    struct Tree {
        std::string name;
        std::vector<TreeRunFunction> functions;
    };
    [[nodiscard]] std::vector<Tree>::iterator find(const std::string& name);

    std::vector<Tree> m_trees; ///< the oldest first
    std::uint64_t m_next = 1;
};

} // namespace dynascope::engine
