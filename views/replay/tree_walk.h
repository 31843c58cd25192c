// SPDX-License-Identifier: BSD-3-Clause
//
// Where the reader of a run of CUDA-graph trees stands in it.
#pragma once

#include "core/replay/tree_run.h"

#include <QObject>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace dynascope::views {

/// The cursor of a run. GUI thread only.
class TreeWalk : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Stands at the end of the new run; null for none.
    void setRun(replay::TreeRunPtr run);
    /// The run has more steps than before. Who stood at its end stands there again.
    void grew();
    [[nodiscard]] const replay::TreeRunPtr& run() const { return m_run; }
    /// Steps carried out: 0 to run()->size().
    [[nodiscard]] std::size_t position() const { return m_cursor ? m_cursor->position() : 0; }
    [[nodiscard]] const replay::TreeState& state() const;
    /// The step that led here; null at the beginning.
    [[nodiscard]] const replay::TreeStep* step() const;
    /// Of the current node, from the root.
    [[nodiscard]] std::vector<replay::NodeId> path() const;

    void moveTo(std::size_t position); ///< beyond the end: to the end
    void forward() { moveTo(position() + 1); }
    void back() { moveTo(position() - std::min<std::size_t>(position(), 1)); }
    /// To the next (+1) or previous (-1) mark; false where there is none.
    bool toMark(int direction);

    /// A node that the reader looks at; noNode for none.
    [[nodiscard]] replay::NodeId selected() const { return m_selected; }
    void select(replay::NodeId node);

signals:
    void runChanged();
    void moved(); ///< also when the run or the selected node changed

private:
    replay::TreeRunPtr m_run;
    std::optional<replay::TreeCursor> m_cursor;
    replay::TreeState m_none;
    std::size_t m_seen = 0; ///< steps of the run when it was looked at last
    replay::NodeId m_selected = replay::noNode;
};

} // namespace dynascope::views
