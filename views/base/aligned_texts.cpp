// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/aligned_texts.h"

#include <algorithm>

namespace dynascope::views {

namespace {

const QString aheadTag = QStringLiteral("textdiff.ahead");

AlignedText align(const AlignKey& key, ColumnCache& columns) {
    const auto single = [&] { return singleColumn(*columns.of(key.graphA, key.options)); };
    if (key.graphA && key.graphB && key.diff) {
        if (key.a == key.b) return single();
        return alignColumns(*key.graphA, *key.graphB,
                            {columns.of(key.graphA, key.options), columns.of(key.graphB, key.options)},
                            *key.diff, key.options);
    }
    const auto text = [](const session::StagePtr& stage) {
        return stage ? stage->payload.text() : std::string();
    };
    if (key.b && key.a != key.b) return alignTexts(text(key.a), text(key.b), Language::OutputCode);
    if (key.graphA) return single();
    AlignedText alone = alignTexts(text(key.a), {}, Language::OutputCode);
    alone.document[1] = nullptr;
    for (CodeRow& row : alone.rows) {
        row.change = diff::Change::Same;
        row.line[1] = -1;
    }
    std::erase_if(alone.rows, [](const CodeRow& row) { return row.line[0] < 0; });
    return alone;
}

} // namespace

AlignedTextPtr AlignedTexts::make(const AlignKey& key, ColumnCache& columns) {
    return std::make_shared<const AlignedText>(align(key, columns));
}

void AlignedTexts::prepare(AlignKey key) {
    if (find(key) || std::ranges::find(m_wanted, key) != m_wanted.end()) return;
    m_wanted.push_back(std::move(key));
    if (m_wanted.size() > mostKept / 2) m_wanted.pop_front(); // else they would push each other out
    if (m_tasks.isIdle()) prepareNext();
}

void AlignedTexts::prepareNext() {
    if (m_wanted.empty()) return;
    AlignKey next = std::move(m_wanted.front());
    m_wanted.pop_front();
    m_tasks.run<AlignedTextPtr>(
        aheadTag, nullptr, [next, columns = m_columns](const TaskContext&) { return make(next, *columns); },
        [this, next](AlignedTextPtr text) {
            keep(next, std::move(text));
            prepareNext();
        });
}

AlignedTextPtr AlignedTexts::find(const AlignKey& key) const {
    const auto at = std::ranges::find(m_kept, key, &std::pair<AlignKey, AlignedTextPtr>::first);
    return at == m_kept.end() ? nullptr : at->second;
}

void AlignedTexts::keep(AlignKey key, AlignedTextPtr text) {
    std::erase_if(m_kept, [&key](const auto& kept) { return kept.first == key; });
    m_kept.emplace_back(std::move(key), std::move(text));
    if (m_kept.size() > mostKept) m_kept.pop_front();
}

void AlignedTexts::clear() {
    m_tasks.cancel(aheadTag);
    m_wanted.clear();
    m_kept.clear();
    m_columns->clear();
}

} // namespace dynascope::views
