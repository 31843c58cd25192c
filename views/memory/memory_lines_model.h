// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that is alive at one moment, by the line that allocated it, as table rows.
#pragma once

#include "core/session/memory_snapshot.h"

#include <QAbstractTableModel>
#include <vector>

namespace dynascope::views {

class Theme;

/// GUI thread only.
class MemoryLinesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Bytes, Blocks, Line, ColumnCount };
    struct Row {
        session::MemoryGroup group;
        int colour = -1; ///< index of Colours::memory(); -1 is grey
    };

    explicit MemoryLinesModel(Theme& theme, QObject* parent = nullptr);
    void setRows(std::vector<Row> rows);
    [[nodiscard]] const Row& row(int index) const { return m_rows[std::size_t(index)]; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    Theme& m_theme;
    std::vector<Row> m_rows;
};

/// "train.py:20 in forward"; what is said where no stack was recorded.
[[nodiscard]] QString memoryLineText(const ir::SourceLocation& at);

} // namespace dynascope::views
