// SPDX-License-Identifier: BSD-3-Clause
//
// The calling convention as a diagram: a column for each layer, cards in it, lines between them, and the
// synthetic bases with their members drawn on the storage.
#pragma once

#include "core/computed/aot_convention.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <QString>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace dynascope::views {

/// What the program calls the argument: a parameter by its qualified name ("encoder.layer.0.weight").
[[nodiscard]] QString argumentName(const computed::OuterCard& outer);

/// GUI thread only. Left and Right walk the steps, Up and Down the cards of the step; copies itself as text
/// (Ctrl+C).
class ConventionView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit ConventionView(Theme& theme, QWidget* parent = nullptr);

    void setConvention(std::shared_ptr<const computed::AotConvention> convention);
    [[nodiscard]] computed::AotConventionStep step() const { return m_step; }
    void setStep(computed::AotConventionStep step);
    /// Index into the list of the step's column, -1 for none.
    [[nodiscard]] int selected() const { return m_selected; }
    /// In the viewport; empty for a card that there is not.
    [[nodiscard]] QRect cardRect(computed::AotConventionStep column, int index) const;
    [[nodiscard]] QRect headingRect(computed::AotConventionStep column) const;
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void moved(); ///< another step or another card
    void cardActivated(dynascope::computed::AotConventionStep column, int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    static constexpr int writeBackHeight = 36; ///< the lane below the cards, at font size 12
    struct Card {
        computed::AotConventionStep column = computed::AotConventionStep::Outer;
        int index = 0; ///< into the list of that column
        QRect rect;    ///< in the picture
        QString title, second, corner, toolTip;
        QColor stripe;
        bool dashed = false, write = false;
        int base = -1; ///< drawn with its storage
    };
    struct Line {
        std::size_t from = 0, to = 0; ///< cards
        bool write = false, dropped = false;
    };
    void layOut();
    void addOuter();
    void addBases();
    void addInner();
    void addOutputs();
    void addEpilogue();
    void join();
    void place();
    [[nodiscard]] int cardAt(QPoint viewportPoint) const; ///< into m_cards, -1 for none
    [[nodiscard]] int find(computed::AotConventionStep column, int index) const;
    [[nodiscard]] QPoint offset() const;
    void fit();
    void copy() const;
    void choose(int index);
    void paintHeadings(QPainter& painter) const;
    void paintLine(QPainter& painter, const Line& line) const;
    void paintWriteBack(QPainter& painter) const;
    void paintCard(QPainter& painter, const Card& card) const;
    void paintStorage(QPainter& painter, const QRect& area, const computed::BaseCard& base) const;
    [[nodiscard]] int baseHeight(const computed::BaseCard& base) const;

    Theme& m_theme;
    std::shared_ptr<const computed::AotConvention> m_convention;
    std::vector<Card> m_cards;
    std::vector<Line> m_lines;
    std::map<std::pair<int, int>, std::size_t> m_at; ///< by column and index: the card
    int m_columns[computed::conventionSteps]{};      ///< left edges
    int m_widths[computed::conventionSteps]{};
    int m_height = 0;
    computed::AotConventionStep m_step = computed::AotConventionStep::Outer;
    int m_selected = -1;
};

[[nodiscard]] QString conventionStepName(computed::AotConventionStep step);

} // namespace dynascope::views
