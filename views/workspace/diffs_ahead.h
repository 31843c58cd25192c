// SPDX-License-Identifier: BSD-3-Clause
//
// Diffs of stages that a reader is likely to look at next, made while the present ones are looked at.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/diff/origins.h"
#include "core/session/session.h"
#include "views/workspace/task_runner.h"

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace dynascope::views {

using DiffPtr = std::shared_ptr<const diff::GraphDiff>;

/// GUI thread only. Works on a TaskRunner of its own, so that who waits for a picture does not wait for it. Keeps the
/// diffs that were made or kept last.
class DiffsAhead {
public:
    struct Pair {
        session::StagePtr a, b;
        diff::Origins known; ///< as diff::diffGraphs() takes them
        friend bool operator==(const Pair&, const Pair&) = default;
    };
    static constexpr std::size_t mostKept = 16;
    using Made = std::function<void(const Pair&, const DiffPtr&)>;

    /// `made` is told of each that was prepared.
    explicit DiffsAhead(Made made = {})
        : m_made(std::move(made)) {}

    /// Reads the graphs of these and diffs them, in this order; what an earlier call left to do is dropped. What
    /// cannot be read is left out: who looks at it is told why.
    void prepare(std::vector<Pair> pairs);
    /// What was made or kept of exactly this; null where it is not known.
    [[nodiscard]] DiffPtr find(const Pair& pair) const;
    /// What somebody else made.
    void keep(Pair pair, DiffPtr diff);
    /// Forgets all, since graphs live as long as what is kept here.
    void clear();
    [[nodiscard]] bool isIdle() const { return m_tasks.isIdle(); }

private:
    void prepareNext();

    Made m_made;
    std::vector<Pair> m_wanted; ///< the next one last
    std::deque<std::pair<Pair, DiffPtr>> m_kept;
    TaskRunner m_tasks;
};

} // namespace dynascope::views
