// SPDX-License-Identifier: BSD-3-Clause
//
// Shows Facts: a heading, then sections that fold, with labels in one column and values in another.
#pragma once

#include "views/inspector/facts.h"
#include "views/theme/theme.h"

#include <QScrollArea>
#include <QSet>

class QGridLayout;
class QVBoxLayout;

namespace dynascope::views {

/// GUI thread only. Which sections are folded is remembered by title.
class FactView : public QScrollArea {
    Q_OBJECT
public:
    explicit FactView(Theme& theme, QWidget* parent = nullptr);

    void setFacts(const Facts& facts);
    /// An own widget between two sections; the view owns it until the next setFacts().
    void insertWidget(int section, QWidget* widget);
    /// Everything shown, for copying.
    [[nodiscard]] static QString plainText(const Facts& facts);

signals:
    void followed(const QString& target);

private:
    [[nodiscard]] QWidget* heading(const Facts& facts);
    [[nodiscard]] QWidget* sectionWidget(const Section& section);
    void addFact(const Fact& fact, QGridLayout& grid, int row);
    [[nodiscard]] QWidget* framed(const Fact& fact);

    Theme& m_theme;
    QWidget* m_page = nullptr;
    QVBoxLayout* m_column = nullptr;
    QSet<QString> m_folded, m_unfolded;
    int m_labelWidth = 0;
};

} // namespace dynascope::views
