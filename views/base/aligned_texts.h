// SPDX-License-Identifier: BSD-3-Clause
//
// Text diffs of stages: those that were looked at last, and those that a reader is likely to look at next.
#pragma once

#include "core/session/session.h"
#include "views/base/aligned_text.h"
#include "views/workspace/task_runner.h"

#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace dynascope::views {

/// What a text is made from; the same key needs no new work.
struct AlignKey {
    session::StagePtr a, b;
    ir::GraphPtr graphA, graphB; ///< null where the stage is code, or is not read
    std::shared_ptr<const diff::GraphDiff> diff;
    AlignOptions options;
    friend bool operator==(const AlignKey&, const AlignKey&) = default;
};

/// GUI thread only, but for make(). Prepares on a TaskRunner of its own, so that who waits for a text does not wait for
/// those that come after it.
class AlignedTexts {
public:
    static constexpr std::size_t mostKept = 16;
    using Columns = std::shared_ptr<ColumnCache>;

    [[nodiscard]] static AlignedTextPtr make(const AlignKey& key, ColumnCache& columns); ///< any thread
    [[nodiscard]] const Columns& columns() const { return m_columns; }

    /// Makes it after what is prepared already.
    void prepare(AlignKey key);
    [[nodiscard]] AlignedTextPtr find(const AlignKey& key) const; ///< or null
    void keep(AlignKey key, AlignedTextPtr text);
    /// Forgets all, since graphs live as long as what is kept here.
    void clear();
    [[nodiscard]] bool isIdle() const { return m_tasks.isIdle(); }

private:
    void prepareNext();

    Columns m_columns = std::make_shared<ColumnCache>();
    std::deque<AlignKey> m_wanted;
    std::deque<std::pair<AlignKey, AlignedTextPtr>> m_kept;
    TaskRunner m_tasks;
};

} // namespace dynascope::views
