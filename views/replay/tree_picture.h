// SPDX-License-Identifier: BSD-3-Clause
//
// The tree of recordings as cards from left to right, with the current path, what was recorded anew and why.
#pragma once

#include "views/replay/tree_walk.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <unordered_map>

namespace dynascope::views {

/// GUI thread only. Left and Right step, Up and Down go to marks, Page up and Page down choose a recording;
/// copies itself as text (Ctrl+C). Cards keep their places while the reader steps.
class TreePicture : public QAbstractScrollArea {
    Q_OBJECT
public:
    TreePicture(TreeWalk& walk, Theme& theme, QWidget* parent = nullptr);

    /// Otherwise warm-ups are left out but for those of the current path.
    void setShowsWarmups(bool shows);
    /// In the viewport; empty for a node that is not drawn.
    [[nodiscard]] QRect nodeRect(replay::NodeId node) const;
    [[nodiscard]] replay::NodeId nodeAt(QPoint viewportPoint) const; ///< noNode for none
    /// The tree at this step, a line for each recording, indented.
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Card {
        const replay::TreeNode* node = nullptr;
        double column = 0, row = 0;
    };
    void layOut();
    void follow();
    void copy() const;
    void chooseNeighbour(int direction);
    [[nodiscard]] bool isShown(const Card& card) const;
    [[nodiscard]] QRect rectOf(const Card& card) const; ///< in the picture
    [[nodiscard]] QPoint offset() const;
    [[nodiscard]] QString stateText(const replay::TreeNode& node) const;
    [[nodiscard]] QColor stateColour(const replay::TreeNode& node) const;
    [[nodiscard]] QString toolTipOf(const replay::TreeNode& node) const;
    void paintEdge(QPainter& painter, const Card& card, bool onPath) const;
    void paintCard(QPainter& painter, const Card& card, bool onPath) const;

    TreeWalk& m_walk;
    Theme& m_theme;
    std::vector<Card> m_cards; ///< parents before children
    std::unordered_map<replay::NodeId, std::size_t> m_at;
    std::vector<replay::NodeId> m_path; ///< sorted
    double m_columns = 0, m_rows = 0;
    bool m_warmups = false;
};

} // namespace dynascope::views
