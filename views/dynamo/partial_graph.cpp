// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/partial_graph.h"

#include "core/dynamo/cursor.h"
#include "core/dynamo/graph_window.h"
#include "core/layout/growing.h"
#include "core/layout/pane.h"
#include "views/base/code_view.h"
#include "views/base/page_parts.h"
#include "views/canvas/graph_canvas.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

using dynamo::GraphLine;
using dynamo::Recording;
using dynamo::State;
using dynamo::StepIndex;

constexpr std::size_t chunk = 128;       ///< up to twice as many nodes are shown
constexpr std::uint32_t cardColumns = 4; ///< the pane is higher than wide
constexpr double topMargin = 28;

/// The state once a step is carried out, inlined calls included.
const State* stateOnceDone(const Recording& recording, StepIndex step) {
    const std::uint32_t attempt = recording.frames()[recording.steps()[step].frame].attempt;
    const StepIndex next = dynamo::stepOver(recording, step, dynamo::Direction::Forward);
    return next != dynamo::noStep && recording.frames()[recording.steps()[next].frame].attempt == attempt
               ? recording.stateAt(next)
               : recording.stateAfter(attempt);
}

/// The lines of the nodes that a step makes, in the graph that they go to; `known` were there before.
std::vector<GraphLine> linesAddedBy(const Recording& recording, StepIndex step, std::size_t known) {
    if (!recording.steps()[step].has(dynamo::Happening::Node)) return {};
    const State* state = stateOnceDone(recording, step);
    if (!state) return {};
    std::vector<std::uint32_t> made;
    for (std::size_t i = known; i < state->nodes.size(); ++i) {
        const dynamo::NodeState& node = state->nodes[i];
        if (node.step == step && node.graph == state->graph && !node.gone)
            made.push_back(std::uint32_t(i + 1));
    }
    return dynamo::graphLines(recording, *state, made);
}

} // namespace

PartialGraph::PartialGraph(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_stack(new QStackedWidget)
    , m_view(new CodeView(theme))
    , m_canvas(new canvas::GraphCanvas(theme, tr("Graph so far")))
    , m_note(plainLabel({}, "hint")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_note->setTextFormat(Qt::RichText); // words of this program only
    m_note->setContentsMargins(12, 3, 12, 3);
    m_note->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_note->hide();
    column->addWidget(m_note);
    column->addWidget(m_stack, 1);
    m_stack->addWidget(m_canvas);
    m_stack->addWidget(m_view);
    setFocusProxy(m_stack);
    m_stack->setFocusProxy(m_canvas);
    m_canvas->setMotion(qEnvironmentVariableIsEmpty("DYNASCOPE_REDUCE_MOTION"));
    m_canvas->setMessage(tr("No node yet"),
                         tr("A card comes with each operation on tensors that is traced."));
    m_view->setAccessibleName(tr("Graph so far"));
    connect(m_view, &CodeView::lineClicked, this, [this](int, int line, int, Qt::KeyboardModifiers) {
        if (const StepIndex step = stepOfLine(line); step != dynamo::noStep) emit stepChosen(step);
    });
    m_view->toolTipFor = [this](int, int line, const QString&) {
        const StepIndex step = stepOfLine(line);
        return step == dynamo::noStep ? QString() : tr("Made by step %1. A click goes there.").arg(step);
    };
    const auto choose = [this](int item) {
        if (const StepIndex step = stepOfItem(item); step != dynamo::noStep) emit stepChosen(step);
    };
    connect(m_canvas, &canvas::GraphCanvas::itemClicked, m_canvas, &canvas::GraphCanvas::setSelected);
    connect(m_canvas, &canvas::GraphCanvas::itemPicked, this, choose);
    connect(m_canvas, &canvas::GraphCanvas::showInOtherPane, this, choose); // Enter
    connect(m_canvas, &canvas::GraphCanvas::keyTyped, this, &PartialGraph::keyTyped);
    connect(m_note, &QLabel::linkActivated, this, [this] {
        m_whole = !m_whole;
        if (m_recording) setStep(m_recording, m_step);
    });
}

PartialGraph::Form PartialGraph::form() const {
    return m_stack->currentWidget() == m_canvas ? Form::Cards : Form::Text;
}

void PartialGraph::setForm(Form form) {
    if (form == this->form()) return;
    QWidget* shown = m_view;
    if (form == Form::Cards) shown = m_canvas;
    m_stack->setCurrentWidget(shown);
    m_stack->setFocusProxy(shown);
    present();
    emit formChanged();
}

StepIndex PartialGraph::stepOfLine(int line) const {
    // The head is the first line.
    return line >= 1 && std::size_t(line) <= m_shown.size() ? m_shown[std::size_t(line - 1)].step
                                                            : dynamo::noStep;
}

StepIndex PartialGraph::stepOfItem(int item) const {
    const canvas::ScenePtr& scene = m_canvas->scene();
    if (!scene || item < 0 || std::size_t(item) >= scene->items.size()) return dynamo::noStep;
    const ir::NodeIndex node = scene->items[std::size_t(item)].node;
    return node < m_shown.size() ? m_shown[node].step : dynamo::noStep;
}

void PartialGraph::clear() {
    m_recording.reset();
    m_shown.clear();
    m_nodes = m_added = m_earlier = 0;
    m_attempt = UINT32_MAX;
    m_whole = false;
    m_note->hide();
    m_view->clear();
    m_canvas->setScene(nullptr, canvas::GraphCanvas::Transition::None);
}

void PartialGraph::setStep(dynamo::RecordingPtr recording, StepIndex step) {
    m_recording = std::move(recording);
    m_step = step;
    read();
    present();
}

void PartialGraph::read() {
    const Recording& recording = *m_recording;
    const std::uint32_t attempt = recording.frames()[recording.steps()[m_step].frame].attempt;
    const State* state = recording.stateAt(m_step);
    if (!state) return clear();
    if (attempt != m_attempt || state->graph != m_graph) {
        m_attempt = attempt;
        m_graph = state->graph;
        m_whole = false;
        m_canvas->setScene(nullptr, canvas::GraphCanvas::Transition::None);
    }
    const dynamo::GraphWindow window = dynamo::newestNodes(*state, state->graph, m_whole ? 0 : chunk);
    const StepIndex before = dynamo::stepIn(recording, m_step, dynamo::Direction::Back);
    m_earlier = window.earlier;
    m_nodes = window.nodes.size() + window.earlier;
    m_shown.clear();
    for (GraphLine& line : dynamo::graphLines(recording, *state, window.nodes)) {
        const StepIndex made = state->nodes[line.node - 1].step;
        m_shown.push_back({std::move(line), made, false, made != dynamo::noStep && made == before});
    }
    std::vector<GraphLine> added = linesAddedBy(recording, m_step, state->nodes.size());
    m_added = added.size();
    for (GraphLine& line : added)
        m_shown.push_back({std::move(line), m_step, true, false});
}

void PartialGraph::present() {
    tellEarlier();
    if (form() == Form::Cards)
        showCards();
    else
        showText();
}

void PartialGraph::tellEarlier() {
    m_note->setVisible(m_earlier > 0 || m_whole);
    const QString all = numberText(m_nodes);
    m_note->setText(m_whole ? tr("All %1 nodes. <a href=\"#\">The newest only</a>").arg(all)
                            : tr("The newest %1 of %2 nodes. <a href=\"#\">All of them</a>")
                                  .arg(numberText(m_nodes - m_earlier), all));
    m_note->setToolTip(plainToolTip(tr("What a step costs grows with the nodes that are shown.")));
}

canvas::ScenePtr PartialGraph::scene() const {
    std::vector<GraphLine> lines;
    for (const Node& node : m_shown)
        lines.push_back(node.line);
    const ir::GraphPtr graph = dynamo::fxGraph(lines);
    if (!graph || graph->size() == 0) return nullptr;
    const layout::Pane pane = layout::makePane(graph, layout::flatTree(*graph), layout::kindsOf(*graph), {});
    // In the order in which they were made, which is not the graph's: inputs come first there.
    std::vector<std::uint32_t> order(pane.folded.items.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return m_shown[pane.folded.items[a].node].line.node < m_shown[pane.folded.items[b].node].line.node;
    });
    canvas::Marks marks;
    for (const Node& node : m_shown)
        marks.changes.push_back(node.added ? diff::Change::Added : diff::Change::Same);
    const canvas::ScenePtr made =
        canvas::makeScene(pane, layout::layoutGrowing(pane.input, order, cardColumns), marks);
    auto scene = std::make_shared<canvas::Scene>(*made);
    for (canvas::SceneItem& item : scene->items)
        if (const StepIndex step = m_shown[item.node].step; step != dynamo::noStep)
            item.chip = tr("step %1").arg(step);
    return scene;
}

void PartialGraph::showCards() {
    using canvas::GraphCanvas;
    const bool first = m_canvas->scene() == nullptr;
    m_canvas->setScene(scene(), first ? GraphCanvas::Transition::None : GraphCanvas::Transition::Step);
    if (!m_canvas->scene()) {
        if (m_shown.empty())
            m_canvas->setMessage(tr("No node yet"),
                                 tr("A card comes with each operation on tensors that is traced."));
        else
            m_canvas->setMessage(tr("These nodes cannot be drawn"), tr("Their text is shown as it is."));
        return;
    }
    if (first) {
        const double fits = m_canvas->viewport()->width() / std::max(1.0, m_canvas->scene()->size.width());
        m_canvas->setPlace(std::clamp(fits, canvas::cardsFrom, 1.0), {0, -topMargin});
    }
    int marked = canvas::noItem, newest = canvas::noItem;
    std::vector<int> latest;
    for (ir::NodeIndex i = 0; i < m_shown.size(); ++i) {
        const int item = m_canvas->scene()->itemOf(i);
        if (m_shown[i].added && marked == canvas::noItem) marked = item;
        if (m_shown[i].latest) latest.push_back(item);
        newest = item;
    }
    m_canvas->setSelected(marked);
    if (marked != canvas::noItem)
        newest = marked;
    else if (!latest.empty())
        newest = latest.front();
    const bool happened = marked != canvas::noItem || !latest.empty();
    m_canvas->setRelated(std::move(latest));
    // A reader who looks elsewhere is left alone until something comes.
    if (first || happened) m_canvas->reveal(m_canvas->scene()->items[std::size_t(newest)].rect);
}

void PartialGraph::showText() {
    std::set<int> latest;
    QHash<int, GutterMark> marks;
    QString text = QStringLiteral("graph():");
    std::vector<CodeRow> rows{{{0, -1}, diff::Change::Same, {}, {}}};
    for (const Node& node : m_shown) {
        const int at = int(rows.size());
        text += u'\n' + toQString(node.line.text).replace(u'\n', u' ');
        rows.push_back({{at, -1}, node.added ? diff::Change::Added : diff::Change::Same, {}, {}});
        if (node.latest) latest.insert(at);
        if (node.step == dynamo::noStep) continue;
        GutterMark mark;
        mark.text = QString::number(node.step);
        mark.toolTip = tr("The step that made it");
        marks.insert(at, mark);
    }
    const std::shared_ptr<CodeDocument> document = makeCodeDocument(text, Language::Python);
    for (CodeLine& line : document->lines)
        line.number = 0; // the step stands there
    CodeView::Options options;
    options.signs = true;
    options.emptyText = tr("No graph yet.");
    const int last = int(rows.size()) - 1;
    m_view->setRows(document, nullptr, std::move(rows), options);
    m_view->setMarks(0, std::move(marks));
    m_view->setHighlight(0, {}, std::move(latest));
    m_view->reveal(0, last);
}

void PartialGraph::keyTyped(int key) {
    const canvas::ScenePtr& scene = m_canvas->scene();
    if (!scene) return;
    switch (key) {
    case Qt::Key_F:
        return m_canvas->fit(
            m_canvas->selectedRect().isNull() ? QRectF(QPointF(), scene->size) : m_canvas->selectedRect(), 1);
    case Qt::Key_E:
        return m_canvas->setEdgeLabels(!m_canvas->edgeLabels());
    case Qt::Key_M:
        return m_canvas->setMinimap(!m_canvas->hasMinimap());
    case Qt::Key_Escape:
        return m_canvas->setSelected(canvas::noItem);
    default:
        return;
    }
}

} // namespace dynascope::views
