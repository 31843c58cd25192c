// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/pattern_view.h"

#include "core/layout/pane.h"
#include "views/base/page_parts.h"
#include "views/canvas/graph_canvas.h"
#include "views/canvas/scene.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {
constexpr double aboveTheGraph = 28;
}

PatternView::PatternView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_canvas(new canvas::GraphCanvas(theme, tr("The pattern's graph")))
    , m_words(plainLabel({}, "hint")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_words->setObjectName(QStringLiteral("inductor.pattern"));
    m_words->setContentsMargins(12, 3, 12, 3);
    m_words->setWordWrap(true);
    column->addWidget(m_words);
    column->addWidget(m_canvas, 1);
    m_canvas->setMotion(false);
    connect(m_canvas, &canvas::GraphCanvas::itemClicked, m_canvas, &canvas::GraphCanvas::setSelected);
    const auto choose = [this](int item) {
        if (const ir::NodeIndex node = fittedOf(item); node != ir::npos) emit nodeChosen(node);
    };
    connect(m_canvas, &canvas::GraphCanvas::itemPicked, this, choose);
    connect(m_canvas, &canvas::GraphCanvas::showInOtherPane, this, choose); // Enter
    connect(m_canvas, &canvas::GraphCanvas::keyTyped, this, &PatternView::keyTyped);
    clear();
}

void PatternView::clear() {
    m_fitted.clear();
    m_inputs = 0;
    m_words->hide();
    m_canvas->setScene(nullptr, canvas::GraphCanvas::Transition::None);
    m_canvas->setMessage(tr("No pattern is selected"),
                         tr("A row at the left draws what its pattern looks for."));
}

QString PatternView::said() const {
    return m_words->isHidden() ? QString() : m_words->text();
}

void PatternView::setMatch(const inductor::PassRecording& recording, const inductor::Match& match,
                           const ir::Graph& graph) {
    clear();
    const inductor::Pattern* pattern = recording.pattern(match.pattern);
    if (pattern == nullptr) return;
    const inductor::PatternGraph looksFor = inductor::patternGraph(pattern->expression);
    const ir::GraphPtr drawn = inductor::drawnPattern(looksFor);
    if (!drawn)
        return m_canvas->setMessage(tr("This pattern has no graph"),
                                    tr("The recording does not have what it looks for as an expression."));
    m_fitted = inductor::fittedBy(looksFor, match, graph);
    m_inputs = drawn->size() - looksFor.nodes.size();
    QString words = tr("%1 looks for %2")
                        .arg(toQString(pattern->name))
                        .arg(countText(looksFor.nodes.size(), tr("node"), tr("nodes")));
    if (!looksFor.whole)
        words += tr(", and more: the recording has the beginning only");
    else if (m_fitted.empty())
        words += tr("; which of them each node of A was cannot be told: the operators or their order are not "
                    "the pattern's");
    m_words->setText(words + u'.');
    m_words->show();
    draw(drawn, graph);
}

void PatternView::draw(const ir::GraphPtr& pattern, const ir::Graph& graph) {
    const layout::Pane pane =
        layout::makePane(pattern, layout::flatTree(*pattern), layout::kindsOf(*pattern), {});
    const Result<layout::LayoutResult> placed = layout::layoutLayered(pane.input);
    if (!placed)
        return m_canvas->setMessage(tr("This pattern cannot be drawn"), toQString(placed.error().message));
    auto scene = std::make_shared<canvas::Scene>(*canvas::makeScene(pane, *placed, {}));
    for (canvas::SceneItem& item : scene->items)
        if (item.isNode() && item.node >= m_inputs && item.node - m_inputs < m_fitted.size())
            item.chip = toQString(graph.node(m_fitted[item.node - m_inputs]).name);
    m_canvas->setScene(std::move(scene), canvas::GraphCanvas::Transition::None);
    // Cards say which node they stood for from here on; what is wider can be scrolled over.
    const double fits = m_canvas->viewport()->width() / std::max(1.0, m_canvas->scene()->size.width());
    m_canvas->setPlace(std::clamp(fits, canvas::cardsFrom, 1.0), {0, -aboveTheGraph});
}

ir::NodeIndex PatternView::fittedOf(int item) const {
    const canvas::ScenePtr& scene = m_canvas->scene();
    if (!scene || item < 0 || std::size_t(item) >= scene->items.size()) return ir::npos;
    const canvas::SceneItem& at = scene->items[std::size_t(item)];
    if (!at.isNode() || at.node < m_inputs || at.node - m_inputs >= m_fitted.size()) return ir::npos;
    return m_fitted[at.node - m_inputs];
}

void PatternView::showNodes(const std::vector<ir::NodeIndex>& nodes) {
    const canvas::ScenePtr& scene = m_canvas->scene();
    if (!scene) return;
    std::vector<int> lit;
    for (std::size_t i = 0; i < m_fitted.size(); ++i)
        if (std::ranges::find(nodes, m_fitted[i]) != nodes.end())
            lit.push_back(scene->itemOf(ir::NodeIndex(m_inputs + i)));
    std::erase(lit, canvas::noItem);
    m_canvas->setSelected(lit.size() == 1 ? lit.front() : canvas::noItem);
    if (lit.size() == 1) m_canvas->reveal(scene->items[std::size_t(lit.front())].rect);
    m_canvas->setRelated(lit.size() == 1 ? std::vector<int>() : std::move(lit));
}

void PatternView::keyTyped(int key) {
    if (!m_canvas->scene()) return;
    if (key == Qt::Key_F) m_canvas->fit(QRectF(QPointF(), m_canvas->scene()->size), 1);
    if (key == Qt::Key_E) m_canvas->setEdgeLabels(!m_canvas->edgeLabels());
    if (key == Qt::Key_M) m_canvas->setMinimap(!m_canvas->hasMinimap());
}

} // namespace dynascope::views
