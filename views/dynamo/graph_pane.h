// SPDX-License-Identifier: BSD-3-Clause
//
// The partial graph below its title, with the switch between cards and text.
#pragma once

#include "core/dynamo/recording.h"

#include <QWidget>

class QLabel;
class QMenu;
class QToolButton;

namespace dynascope::views {

class PartialGraph;
class RecordingQuestions;
class Theme;

/// GUI thread only.
class GraphPane : public QWidget {
    Q_OBJECT
public:
    GraphPane(Theme& theme, const RecordingQuestions& questions, QWidget* parent = nullptr);

    void show(dynamo::RecordingPtr recording, dynamo::StepIndex step);
    void clear();
    [[nodiscard]] bool isText() const;
    void setText(bool text);

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

private:
    void extendMenu(QMenu& menu, dynamo::StepIndex step);

    const RecordingQuestions& m_questions;
    PartialGraph* m_graph;
    QLabel* m_note;
    QToolButton* m_text;
};

} // namespace dynascope::views
