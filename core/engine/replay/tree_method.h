// SPDX-License-Identifier: BSD-3-Clause
//
// The methods "tree_function" and "tree" (protocol.h).
#pragma once

#include "core/engine/client/server.h"
#include "core/engine/replay/cuda_device.h"
#include "core/engine/replay/tree_run.h"

#include <functional>
#include <map>
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
    std::map<std::string, std::vector<TreeRunFunction>> m_trees;
    std::uint64_t m_next = 1;
};

} // namespace dynascope::engine
