// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/dynamo/state_rows.h"

#include <QAbstractItemModel>

namespace dynascope::views {

class Theme;

/// The rows of a step below their sections. GUI thread only.
class StateModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Kind, Text, Note, ColumnCount };

    explicit StateModel(Theme& theme, QObject* parent = nullptr);
    /// Where the titles are those of before, only what differs changes: selection and scroll position stay.
    void setSections(std::vector<StateSection> sections);
    /// Null for a section.
    [[nodiscard]] const StateRow* row(const QModelIndex& index) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void updateSection(int at, StateSection next);
    [[nodiscard]] QVariant sectionData(const StateSection& section, int column, int role) const;
    [[nodiscard]] QVariant rowData(const StateRow& row, int column, int role) const;

    Theme& m_theme;
    std::vector<StateSection> m_sections;
};

} // namespace dynascope::views
