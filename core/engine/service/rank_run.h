// SPDX-License-Identifier: BSD-3-Clause
//
// One rank of a distributed program: its graphs are recorded one after the other and replayed together. On the thread
// whose process groups are the rank's.
#pragma once

#include "core/base/task.h"
#include "core/engine/replay/replay_run.h"
#include "core/engine/server/server.h"
#include "core/engine/wire/ranks.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// Programs by text: ranks mostly run the same.
using ProgramsByText = std::map<std::string, std::shared_ptr<const Program>>;

class RankRun {
public:
    /// Compiles the graphs and makes their inputs; process groups that are not there yet become mirrors
    /// (mirror_groups.h). `program` must outlive the run.
    [[nodiscard]] static tl::expected<RankRun, Failure> prepare(const wire::RankProgram& program,
                                                                ProgramsByText& known);

    struct How {
        std::uint64_t iterations = 10, nodeIterations = 10, verifyEvery = 1;
        bool eager = false; ///< measure eager runs as well
        std::optional<std::int64_t>
            outputElements;                     ///< describe results, with at most so many elements of each
        std::shared_ptr<ReplayBackend> backend; ///< null: planned addresses on the CPU
    };
    /// Never throws. Afterwards error() says where it ended early.
    [[nodiscard]] wire::RankResult run(const How& how, const TaskContext& task);

    /// Name of the graph in which the rank failed; empty where it did not.
    [[nodiscard]] std::string failedGraph() const;

private:
    /// One graph, ready to be recorded.
    struct Prepared {
        const wire::RankGraph* said = nullptr;
        std::shared_ptr<const Program> program;
        std::vector<c10::IValue> inputs;
        Attributes attributes;
    };

    static tl::expected<Prepared, Failure> prepareGraph(const wire::RankGraph& graph, ProgramsByText& known);
    [[nodiscard]] std::optional<PlanError> recordAndReplay(const How& how, const TaskContext& task,
                                                           wire::RankResult& out);

    std::vector<Prepared> m_prepared;
    std::optional<std::size_t> m_failed;
};

} // namespace dynascope::engine
