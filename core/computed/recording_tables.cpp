// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a recording: what is known of every value and storage after an op.
#include "core/computed/functional_recording.h"

#include <algorithm>

namespace dynascope::computed {

const FunctionalRecording::Held* FunctionalRecording::find(const Table& table,
                                                           const std::string& value) const {
    const auto at = m_position.find(value);
    return at == m_position.end() || at->second >= table.rows.size() ? nullptr : table.rows[at->second].get();
}

std::span<const std::size_t> FunctionalRecording::members(const Table& table, int group) const {
    const auto known = m_members.find(group);
    if (known == m_members.end()) return {};
    const auto end = std::lower_bound(known->second.begin(), known->second.end(), table.rows.size());
    return {known->second.begin(), end};
}

int FunctionalRecording::advance(Table& table, std::size_t op) const {
    const OpStep& step = m_run.steps[op];
    int written = -1;
    const auto touch = [&](int group, int generation, const std::string& base,
                           const std::vector<double>* values) {
        const auto& old = table.storages[group];
        StorageRow known = old ? *old : StorageRow();
        known.storage = group;
        if (generation > known.generation) written = group;
        known.generation = std::max(known.generation, generation);
        if (!base.empty()) known.base = base;
        if (values) known.values = *values;
        table.storages[group] = std::make_shared<const StorageRow>(std::move(known));
    };
    for (const StorageRow& row : step.storages)
        touch(row.storage, row.generation, row.base, &row.values);
    for (const ScoreRow& row : step.rows)
        touch(row.storage, row.storageGeneration, row.base, nullptr);
    for (const ScoreRow& row : step.rows) {
        const std::string& value = canonical(row.value);
        const std::size_t at = m_position.at(value);
        if (at >= table.rows.size()) table.rows.resize(at + 1);
        Held held{row, table.rows[at] ? table.rows[at]->changedBy : std::string()};
        held.row.value = value;
        table.rows[at] = std::make_shared<const Held>(std::move(held));
    }
    for (const ScoreRow& row : step.rows) {
        const StorageRow& storage = *table.storages[row.storage];
        for (const std::size_t member : members(table, row.storage)) {
            const ScoreRow& known = table.rows[member]->row;
            if (known.base == storage.base && known.storageGeneration == storage.generation) continue;
            Held held = *table.rows[member];
            const bool wasCurrent = held.row.generation == held.row.storageGeneration;
            held.row.base = storage.base;
            held.row.storageGeneration = storage.generation;
            if (wasCurrent && held.row.generation < held.row.storageGeneration) held.changedBy = step.source;
            table.rows[member] = std::make_shared<const Held>(std::move(held));
        }
    }
    return written;
}

FunctionalRecording::Table FunctionalRecording::tableBefore(std::size_t op) const {
    const std::size_t kept = op / tableInterval;
    Table table = m_tables[kept];
    for (std::size_t i = kept * tableInterval; i < op; ++i)
        advance(table, i);
    return table;
}

} // namespace dynascope::computed
