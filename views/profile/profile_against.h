// SPDX-License-Identifier: BSD-3-Clause
//
// Two profiles against each other, below the lanes of A: where the time of both goes, and row by row what became slower.
#pragma once

#include "views/profile/compared_rows.h"

#include <QWidget>

class QLabel;

namespace dynascope::views {

class RowTable;
class ShareBars;

/// GUI thread only.
class ProfileAgainst : public QWidget {
    Q_OBJECT
public:
    explicit ProfileAgainst(Theme& theme, QWidget* parent = nullptr);

    /// Null shows nothing. Names are of the two profiles.
    void show(ComparedProfilesPtr compared, profile::By by, const QString& a, const QString& b);
    void setFilter(const QString& filter);
    [[nodiscard]] RowTable* table() const { return m_table; }
    [[nodiscard]] const ComparedProfilesPtr& compared() const { return m_compared; }

signals:
    /// A row is to be followed; `inA` where A has it.
    void followed(const dynascope::views::ProfileLink& link, bool inA);

private:
    void showRows();
    void follow(int row);

    RowTable* m_table;
    ShareBars* m_bars;
    QLabel* m_verdict;
    ComparedProfilesPtr m_compared;
    profile::By m_by = profile::By::Node;
    QString m_filter;
    std::vector<int> m_numbers; ///< of the table's rows in what is compared
};

} // namespace dynascope::views
