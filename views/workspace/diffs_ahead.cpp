// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/diffs_ahead.h"

#include <algorithm>
#include <utility>

namespace dynascope::views {

namespace {

const QString aheadTag = QStringLiteral("diff.ahead");

DiffPtr diffOf(const DiffsAhead::Pair& pair, const TaskContext& task) {
    const Result<ir::GraphPtr> a = pair.a->graph();
    if (!a || task.cancelled()) return nullptr;
    const Result<ir::GraphPtr> b = pair.b->graph();
    if (!b || task.cancelled()) return nullptr;
    return std::make_shared<const diff::GraphDiff>(diff::diffGraphs(**a, **b, pair.known));
}

} // namespace

void DiffsAhead::prepare(std::vector<Pair> pairs) {
    std::erase_if(pairs, [this](const Pair& pair) {
        return !pair.a || !pair.b || pair.a->content == session::Stage::Content::Code ||
               pair.b->content == session::Stage::Content::Code || find(pair);
    });
    if (pairs.size() > mostKept / 2) pairs.resize(mostKept / 2); // else they would push each other out
    std::ranges::reverse(pairs);
    m_wanted = std::move(pairs);
    if (m_tasks.isIdle()) prepareNext();
}

void DiffsAhead::prepareNext() {
    if (m_wanted.empty()) return;
    Pair next = std::move(m_wanted.back());
    m_wanted.pop_back();
    m_tasks.run<DiffPtr>(
        aheadTag, nullptr, [next](const TaskContext& task) { return diffOf(next, task); },
        [this, next](const DiffPtr& diff) {
            if (diff) keep(next, diff);
            if (diff && m_made) m_made(next, diff);
            prepareNext();
        });
}

DiffPtr DiffsAhead::find(const Pair& pair) const {
    const auto at = std::ranges::find(m_kept, pair, &std::pair<Pair, DiffPtr>::first);
    return at == m_kept.end() ? nullptr : at->second;
}

void DiffsAhead::keep(Pair pair, DiffPtr diff) {
    std::erase_if(m_kept, [&pair](const auto& kept) { return kept.first == pair; });
    m_kept.emplace_back(std::move(pair), std::move(diff));
    if (m_kept.size() > mostKept) m_kept.pop_front();
}

void DiffsAhead::clear() {
    m_tasks.cancel(aheadTag);
    m_wanted.clear();
    m_kept.clear();
}

} // namespace dynascope::views
