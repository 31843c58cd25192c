// SPDX-License-Identifier: BSD-3-Clause
//
// The graph that a pattern looks for, drawn beside the nodes that it fitted: each card names the node that it stood for,
// where that can be told, and leads to it.
#pragma once

#include "core/inductor/fitted_pattern.h"

#include <QWidget>
#include <vector>

class QLabel;

namespace dynascope::views {

class Theme;
namespace canvas {
class GraphCanvas;
}

/// GUI thread only. Patterns are small: they are laid out at once.
class PatternView : public QWidget {
    Q_OBJECT
public:
    explicit PatternView(Theme& theme, QWidget* parent = nullptr);

    /// A match in the graph before its pass.
    void setMatch(const inductor::PassRecording& recording, const inductor::Match& match,
                  const ir::Graph& graph);
    void clear();
    /// The nodes of the graph before the pass that are chosen there; the cards that stood for them are lit.
    void showNodes(const std::vector<ir::NodeIndex>& nodes);

    [[nodiscard]] canvas::GraphCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] QString said() const;

signals:
    /// Of the graph before the pass.
    void nodeChosen(dynascope::ir::NodeIndex node);

private:
    [[nodiscard]] ir::NodeIndex fittedOf(int item) const; ///< npos where none is known
    void draw(const ir::GraphPtr& pattern, const ir::Graph& graph);
    void keyTyped(int key);

    canvas::GraphCanvas* m_canvas;
    QLabel* m_words;
    std::size_t m_inputs = 0;            ///< placeholders, which come first
    std::vector<ir::NodeIndex> m_fitted; ///< by node of the pattern; empty where it cannot be told
};

} // namespace dynascope::views
