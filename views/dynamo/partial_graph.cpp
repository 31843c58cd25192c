// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/partial_graph.h"

#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "views/models/labels.h"
#include "views/text/code_view.h"

#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using dynamo::GraphLine;
using dynamo::Recording;
using dynamo::State;
using dynamo::StepIndex;

/// The state once a step is carried out, inlined calls included.
const State* stateOnceDone(const Recording& recording, StepIndex step) {
    const std::uint32_t attempt = recording.frames()[recording.steps()[step].frame].attempt;
    const StepIndex next = dynamo::stepOver(recording, step, dynamo::Direction::Forward);
    return next != dynamo::noStep && recording.frames()[recording.steps()[next].frame].attempt == attempt
               ? recording.stateAt(next)
               : recording.stateAfter(attempt);
}

/// The lines of the nodes that a step makes, in the graph that they go to.
std::vector<GraphLine> linesAddedBy(const Recording& recording, StepIndex step) {
    if (!recording.steps()[step].has(dynamo::Happening::Node)) return {};
    const State* state = stateOnceDone(recording, step);
    if (!state) return {};
    std::vector<GraphLine> out;
    for (GraphLine& line : dynamo::graphLines(recording, *state, state->graph))
        if (line.node != 0 && state->nodes[line.node - 1].step == step) out.push_back(std::move(line));
    return out;
}

} // namespace

PartialGraph::PartialGraph(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_view(new CodeView(theme)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    setFocusProxy(m_view);
    m_view->setAccessibleName(tr("Graph so far"));
    connect(m_view, &CodeView::lineClicked, this, [this](int, int line, int, Qt::KeyboardModifiers) {
        if (const StepIndex step = stepOfLine(line); step != dynamo::noStep) emit stepChosen(step);
    });
    m_view->toolTipFor = [this](int, int line, const QString&) {
        const StepIndex step = stepOfLine(line);
        return step == dynamo::noStep ? QString() : tr("Made by step %1. A click goes there.").arg(step);
    };
}

StepIndex PartialGraph::stepOfLine(int line) const {
    return line >= 0 && std::size_t(line) < m_lines.size() ? m_lines[std::size_t(line)].step : dynamo::noStep;
}

void PartialGraph::clear() {
    m_lines.clear();
    m_nodes = m_added = 0;
    m_view->clear();
}

void PartialGraph::setStep(const Recording& recording, StepIndex step) {
    const std::vector<GraphLine> added = linesAddedBy(recording, step);
    const State* state = recording.stateAt(step);
    if (!state) return clear();
    std::vector<GraphLine> lines = dynamo::graphLines(recording, *state, state->graph);
    m_nodes = lines.size() - 1;
    m_added = added.size();
    const StepIndex before = dynamo::stepIn(recording, step, dynamo::Direction::Back);
    m_lines.clear();
    std::set<int> latest;
    QHash<int, GutterMark> marks;
    QString text;
    std::vector<CodeRow> rows;
    const auto take = [&](const GraphLine& line, StepIndex made, diff::Change change) {
        const int at = int(m_lines.size());
        m_lines.push_back({line.node, made});
        text += toQString(line.text).replace(u'\n', u' ') + u'\n';
        rows.push_back({{at, -1}, change, {}, {}});
        if (made == dynamo::noStep) return;
        GutterMark mark;
        mark.text = QString::number(made);
        mark.toolTip = tr("The step that made it");
        marks.insert(at, mark);
    };
    for (const GraphLine& line : lines) {
        const StepIndex made = line.node == 0 ? dynamo::noStep : state->nodes[line.node - 1].step;
        if (made != dynamo::noStep && made == before) latest.insert(int(m_lines.size()));
        take(line, made, diff::Change::Same);
    }
    for (const GraphLine& line : added)
        take(line, step, diff::Change::Added);
    text.chop(1);
    const std::shared_ptr<CodeDocument> document = makeCodeDocument(text, Language::Python);
    for (CodeLine& line : document->lines)
        line.number = 0; // the step stands there
    CodeView::Options options;
    options.signs = true;
    options.emptyText = tr("No graph yet.");
    m_view->setRows(document, nullptr, std::move(rows), options);
    m_view->setMarks(0, std::move(marks));
    m_view->setHighlight(0, {}, std::move(latest));
    m_view->reveal(0, int(m_lines.size()) - 1);
}

} // namespace dynascope::views
