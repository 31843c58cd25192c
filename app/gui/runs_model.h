// SPDX-License-Identifier: BSD-3-Clause
//
// The runs of a folder as a table, for File > Runs.
#pragma once

#include "app/cli/capture_setup.h"
#include "core/runs/run_list.h"
#include "views/theme/theme.h"

#include <QAbstractTableModel>
#include <optional>
#include <vector>

namespace dynascope::app {

struct RunRow {
    runs::FoundRun run;
    cli::CaptureFiles files;
    std::optional<runs::RunSummary> summary{}; ///< once its capture was read
};

/// GUI thread only.
class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Command, Started, End, Took, Compiles, Recompiles, Breaks, Holds, Size, ColumnCount };
    enum Role { SortRole = Qt::UserRole };

    explicit RunsModel(views::Theme& theme, QObject* parent = nullptr);
    void setRows(std::vector<RunRow> rows);
    [[nodiscard]] const std::vector<RunRow>& rows() const { return m_rows; }
    /// Of the run at a path, if it is there still.
    void setSummary(const std::string& path, runs::RunSummary summary);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(const RunRow& row, int column) const;
    [[nodiscard]] QVariant order(const RunRow& row, int column) const;
    [[nodiscard]] QVariant colour(const RunRow& row, int column) const;

    views::Theme& m_theme;
    std::vector<RunRow> m_rows;
};

} // namespace dynascope::app
