// SPDX-License-Identifier: BSD-3-Clause
//
// One section of a FactView: a title that folds it, and its facts below. A section is set again and again as
// something else is chosen, so it keeps its widgets and makes those that it lacks; of a folded one none,
// until it is unfolded.
#pragma once

#include "views/inspector/facts.h"
#include "views/theme/theme.h"

#include <QLabel>
#include <QWidget>
#include <optional>
#include <vector>

class QGridLayout;
class QHBoxLayout;
class QToolButton;

namespace dynascope::views {

class FactText;

/// A label that gives way: it is cut with an ellipsis, and then says all of it as a tooltip. No more of a text
/// is laid out than there is room for. GUI thread only.
class ElidedLabel : public QLabel {
public:
    explicit ElidedLabel(QWidget* parent);
    void setWhole(const QString& text, const QString& toolTip);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    QString m_text, m_toolTip;
    bool m_isLaidOut = false; ///< its width means something
};

/// A small badge of a tone, see Section::chipTone.
[[nodiscard]] QLabel* chipLabel(const QString& text, const QString& tone, QWidget* parent);

/// GUI thread only. Its title is what it is: sections of another title are other widgets.
class FactSection : public QWidget {
    Q_OBJECT
public:
    FactSection(QString title, Theme& theme, QWidget* parent);

    /// A section of this title. Labels are `labelWidth` pixels wide.
    void setSection(const Section& section, int labelWidth, bool open);
    [[nodiscard]] const QString& title() const { return m_title; }

signals:
    void followed(const QString& target);
    /// By the user.
    void toggled(const QString& title, bool open);

private:
    struct Row {
        Fact fact;
        ElidedLabel* label = nullptr; ///< Labelled
        QLabel* sign = nullptr;       ///< Card, Code
        FactText* value = nullptr;
        std::vector<QWidget*> widgets; ///< in the grid
    };
    void addTitle();
    void setOpen(bool open);
    void fill();
    [[nodiscard]] Row makeRow(const Fact& fact, int row);
    void setRow(Row& row, const Fact& fact);

    Theme& m_theme;
    QString m_title;
    Section m_section;
    int m_labelWidth = 0;
    bool m_isFilled = true;     ///< the rows show the section
    std::optional<bool> m_open; ///< as the title shows it
    QWidget* m_body;
    QGridLayout* m_grid;
    QHBoxLayout* m_titleRow = nullptr;
    QToolButton* m_button = nullptr; ///< none without a title
    QLabel* m_chip = nullptr;
    std::vector<Row> m_rows;
};

} // namespace dynascope::views
