// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/graph_pane.h"

#include "views/base/code_view.h"
#include "views/base/page_parts.h"
#include "views/canvas/graph_canvas.h"
#include "views/dynamo/partial_graph.h"
#include "views/dynamo/recording_questions.h"
#include "views/dynamo/state_rows.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

GraphPane::GraphPane(Theme& theme, const RecordingQuestions& questions, QWidget* parent)
    : QWidget(parent)
    , m_questions(questions)
    , m_graph(new PartialGraph(theme))
    , m_text(new QToolButton) {
    const TitledBox box = titledBox(tr("Partial graph"), m_graph);
    m_note = box.note;
    box.title->setToolTip(plainToolTip(tr(
        "The graph before this instruction, and in green what the instruction adds to it.\nEach node "
        "says which step made it; a click, or Enter, goes there. A dashed frame: the step before made it.")));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(box.widget);
    m_text->setCheckable(true);
    m_text->setFocusPolicy(Qt::TabFocus);
    m_text->setToolTip(tr("As text, a line for each node"));
    m_text->setAccessibleName(tr("Partial graph as text"));
    box.title->parentWidget()->layout()->addWidget(m_text);
    const auto drawIcon = [this, &theme] { m_text->setIcon(theme.icon(QStringLiteral("code"))); };
    connect(&theme, &Theme::changed, m_text, drawIcon);
    drawIcon();
    connect(m_graph, &PartialGraph::formChanged, this, [this] { m_text->setChecked(isText()); });
    connect(m_text, &QToolButton::toggled, this, [this](bool text) {
        m_graph->setForm(text ? PartialGraph::Form::Text : PartialGraph::Form::Cards);
    });
    connect(m_graph, &PartialGraph::stepChosen, this, &GraphPane::stepChosen);
    m_graph->view()->extendMenu = [this](QMenu& menu, int, int line) {
        extendMenu(menu, m_graph->stepOfLine(line));
    };
    connect(m_graph->canvas(), &canvas::GraphCanvas::menuAboutToShow, this,
            [this](QMenu* menu, int item) { extendMenu(*menu, m_graph->stepOfItem(item)); });
}

void GraphPane::show(dynamo::RecordingPtr recording, dynamo::StepIndex step) {
    const QString op = opOf(*recording, step);
    m_graph->setStep(std::move(recording), step);
    QString text = countText(m_graph->nodes(), tr("node"), tr("nodes"));
    if (m_graph->added() > 0) text += tr(" before, +%1 by %2").arg(m_graph->added()).arg(op);
    m_note->setText(text);
}

void GraphPane::clear() {
    m_graph->clear();
}

bool GraphPane::isText() const {
    return m_graph->form() == PartialGraph::Form::Text;
}

void GraphPane::setText(bool text) {
    m_text->setChecked(text);
}

void GraphPane::extendMenu(QMenu& menu, dynamo::StepIndex step) {
    if (m_questions.isBusy() || step == dynamo::noStep) return;
    menu.addSeparator();
    connect(menu.addAction(tr("Go to the step that made it")), &QAction::triggered, this,
            [this, step] { emit stepChosen(step); });
}

} // namespace dynascope::views
