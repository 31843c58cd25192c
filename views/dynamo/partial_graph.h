// SPDX-License-Identifier: BSD-3-Clause
//
// The graph as it was before a step, with what the step adds to it, as cards and as text; each node is tied
// to the step that made it.
#pragma once

#include "core/dynamo/describe.h"
#include "views/canvas/scene.h"

#include <QWidget>
#include <vector>

class QLabel;
class QStackedWidget;

namespace dynascope::views {

class CodeView;
class Theme;
namespace canvas {
class GraphCanvas;
}

/// GUI thread only. A click on a node, or Enter on a card, asks for the step that made it. Of a large graph
/// the newest nodes are shown, so that a step costs the same wherever it is.
class PartialGraph : public QWidget {
    Q_OBJECT
public:
    enum class Form { Cards, Text };

    explicit PartialGraph(Theme& theme, QWidget* parent = nullptr);

    void setStep(dynamo::RecordingPtr recording, dynamo::StepIndex step);
    void clear();
    void setForm(Form form);
    [[nodiscard]] Form form() const;
    [[nodiscard]] CodeView* view() const { return m_view; }
    [[nodiscard]] canvas::GraphCanvas* canvas() const { return m_canvas; }
    /// Nodes before the step, and those it adds.
    [[nodiscard]] std::size_t nodes() const { return m_nodes; }
    [[nodiscard]] std::size_t added() const { return m_added; }
    /// The step that made the node of a line of text; noStep for the graph's head.
    [[nodiscard]] dynamo::StepIndex stepOfLine(int line) const;
    /// The same of a card.
    [[nodiscard]] dynamo::StepIndex stepOfItem(int item) const;

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);
    void formChanged();

private:
    struct Node {
        dynamo::GraphLine line;
        dynamo::StepIndex step = dynamo::noStep;
        bool added = false;  ///< by the step that is shown
        bool latest = false; ///< by the one before it
    };

    void read();
    void present();
    void showCards();
    void showText();
    void tellEarlier();
    [[nodiscard]] canvas::ScenePtr scene() const;
    void keyTyped(int key);

    QStackedWidget* m_stack;
    CodeView* m_view;
    canvas::GraphCanvas* m_canvas;
    QLabel* m_note;
    dynamo::RecordingPtr m_recording;
    dynamo::StepIndex m_step = dynamo::noStep;
    std::vector<Node> m_shown;
    std::size_t m_nodes = 0, m_added = 0, m_earlier = 0; ///< m_earlier are left out because many came later
    std::uint32_t m_attempt = UINT32_MAX, m_graph = 0;   ///< of m_shown
    bool m_whole = false;                                ///< however large
};

} // namespace dynascope::views
