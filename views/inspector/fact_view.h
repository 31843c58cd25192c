// SPDX-License-Identifier: BSD-3-Clause
//
// Shows Facts: a heading, then sections that fold, with labels in one column and values in another.
#pragma once

#include "views/inspector/facts.h"
#include "views/theme/theme.h"

#include <QPointer>
#include <QScrollArea>
#include <QSet>
#include <vector>

class QVBoxLayout;

namespace dynascope::views {

class FactSection;

/// GUI thread only. Which sections are folded is remembered by title.
class FactView : public QScrollArea {
    Q_OBJECT
public:
    explicit FactView(Theme& theme, QWidget* parent = nullptr);

    /// Sections and facts that stay what they were keep their widgets; those of folded sections are made when
    /// they are unfolded.
    void setFacts(const Facts& facts);
    /// An own widget between two sections; the view owns it until the next setFacts().
    void insertWidget(int section, QWidget* widget);
    /// Everything shown, for copying.
    [[nodiscard]] static QString plainText(const Facts& facts);

signals:
    void followed(const QString& target);

private:
    void setHeading(const Facts& facts);
    [[nodiscard]] QWidget* heading(const Facts& facts);
    void setSections(const std::vector<Section>& sections);
    void drop(QWidget* widget);

    Theme& m_theme;
    QWidget* m_page = nullptr;
    QVBoxLayout* m_column = nullptr; ///< the heading, sections and what was inserted, a stretch
    Facts m_shown;                   ///< without its sections
    QWidget* m_heading = nullptr;
    std::vector<FactSection*> m_sections;
    std::vector<QPointer<QWidget>> m_inserted;
    QSet<QString> m_folded, m_unfolded;
    Facts m_last;              ///< that were set
    bool m_isRestyled = false; ///< what there is has fonts and colours of before
};

} // namespace dynascope::views
