// SPDX-License-Identifier: BSD-3-Clause
//
// Where compiles and stages of a session are in what was read again of the same files. Compiles are the same by rank
// and id, captured stages by being the same object or by name, occurrence, attempt and phase; stages that were computed
// stand behind the captured ones and keep their order. Holds references: both sessions must outlive it. Any thread.
#pragma once

#include "core/session/session.h"

#include <vector>

namespace dynascope::session {

class Renumbering {
public:
    Renumbering(const Session& before, const Session& now);

    [[nodiscard]] const Session& before() const { return m_before; }
    /// The index of a compile, by its index before; -1 where it is gone.
    [[nodiscard]] int compile(int old) const;
    /// The same as a pointer into the new session, or null.
    [[nodiscard]] const Compile* compileNow(int old) const;
    /// The index of a stage of compile `oldCompile`, -1 where it is gone. Indices past the captured stages are those
    /// of computed ones, which stay behind the captured ones.
    [[nodiscard]] int stage(int oldCompile, int old) const;
    /// Whether stage `old` and stage `now` of that compile hold one graph, so that a node's number means the same.
    [[nodiscard]] bool isSame(int oldCompile, int old, int now) const;

private:
    const Session &m_before, &m_now;
    std::vector<int> m_compiles; ///< by the old index; -1 where it is gone
};

} // namespace dynascope::session
