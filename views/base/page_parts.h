// SPDX-License-Identifier: BSD-3-Clause
//
// What the pages of the centre are put together from. GUI thread only.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace dynascope::views {

/// A bar in the header's colour; `row` is its layout.
[[nodiscard]] QWidget* headerBar(QHBoxLayout*& row);
/// `role` as the style sheet knows it: "strong", "label", "hint", "figure".
[[nodiscard]] QLabel* plainLabel(const QString& text, const char* role);

/// A part of a page under a header bar of its own. The labels belong to `widget`, which belongs to whoever
/// takes it.
struct TitledBox {
    QWidget* widget = nullptr;
    QLabel *title = nullptr, *note = nullptr;
};
/// `content` below its title; the note at the right end is empty at first.
[[nodiscard]] TitledBox titledBox(const QString& title, QWidget* content);

/// Key figures side by side, each above its name.
class FigureRow : public QWidget {
    Q_OBJECT
public:
    struct Figure {
        QString value, name;
        QColor tone = {}; ///< of the value; the text's own where invalid
        QString toolTip = {};
    };

    explicit FigureRow(QWidget* parent = nullptr);
    void setFigures(const std::vector<Figure>& figures);
    /// For controls at the right end.
    [[nodiscard]] QHBoxLayout* row() const { return m_row; }

private:
    struct Column {
        QWidget* widget;
        QLabel *value, *name;
    };
    QHBoxLayout* m_row;
    std::vector<Column> m_columns;
};

} // namespace dynascope::views
