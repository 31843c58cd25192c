// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/base/sectioned_model.h"
#include "views/dynamo/state_rows.h"

namespace dynascope::views {

class Theme;

/// The rows of a step below their sections. GUI thread only.
class StateModel : public SectionedModel {
    Q_OBJECT
public:
    enum Column { Name, Kind, Text, Note, ColumnCount };

    explicit StateModel(Theme& theme, QObject* parent = nullptr);
    /// Where the titles are those of before, only what differs changes: selection and scroll position stay.
    void setSections(std::vector<StateSection> sections);
    /// Null for a section.
    [[nodiscard]] const StateRow* row(const QModelIndex& index) const;

    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] int sectionCount() const override { return int(m_sections.size()); }
    [[nodiscard]] int rowsIn(int section) const override;
    void updateSection(int at, StateSection next);
    [[nodiscard]] QVariant sectionData(const StateSection& section, int column, int role) const;
    [[nodiscard]] QVariant rowData(const StateRow& row, int column, int role) const;

    Theme& m_theme;
    std::vector<StateSection> m_sections;
};

} // namespace dynascope::views
