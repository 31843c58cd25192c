// SPDX-License-Identifier: BSD-3-Clause
//
// The graph as it was before a step, with what the step adds to it, each node beside the step that made it.
#pragma once

#include "core/dynamo/recording.h"

#include <QWidget>
#include <vector>

namespace dynascope::views {

class CodeView;
class Theme;

/// GUI thread only. A click on a node asks for the step that made it.
class PartialGraph : public QWidget {
    Q_OBJECT
public:
    explicit PartialGraph(Theme& theme, QWidget* parent = nullptr);

    void setStep(const dynamo::Recording& recording, dynamo::StepIndex step);
    void clear();
    [[nodiscard]] CodeView* view() const { return m_view; }
    /// Nodes before the step, and those it adds.
    [[nodiscard]] std::size_t nodes() const { return m_nodes; }
    [[nodiscard]] std::size_t added() const { return m_added; }
    /// The step that made the node of a line; noStep for the graph's head.
    [[nodiscard]] dynamo::StepIndex stepOfLine(int line) const;

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

private:
    struct Line {
        std::uint32_t node = 0; ///< 0 for the head
        dynamo::StepIndex step = dynamo::noStep;
    };

    CodeView* m_view;
    std::vector<Line> m_lines;
    std::size_t m_nodes = 0, m_added = 0;
};

} // namespace dynascope::views
