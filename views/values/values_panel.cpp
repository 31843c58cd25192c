// SPDX-License-Identifier: BSD-3-Clause
#include "views/values/values_panel.h"

#include "core/computed/node_values.h"
#include "views/inspector/fact_view.h"
#include "views/values/tensor_facts.h"
#include "views/values/value_text.h"
#include "views/workspace/labels.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr std::size_t keptRuns = 6;

} // namespace

ValuesPanel::ValuesPanel(Workspace& workspace, Passes& passes, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , m_passes(passes)
    , m_view(new FactView(theme))
    , m_watch(new WatchModel(this))
    , m_watchView(new QTableView) {
    setObjectName(QStringLiteral("values"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 4);
    bar->setSpacing(2);
    const auto button = [&](const char* icon, const QString& tip, auto run) {
        auto* b = new QToolButton;
        b->setObjectName(QStringLiteral("values-") + QLatin1String(icon));
        b->setIcon(theme.icon(QLatin1String(icon)));
        b->setToolTip(tip);
        b->setAccessibleName(tip);
        connect(b, &QToolButton::clicked, this, run);
        connect(&theme, &Theme::changed, b,
                [b, icon, &theme] { b->setIcon(theme.icon(QLatin1String(icon))); });
        bar->addWidget(b);
    };
    button("previous", tr("Step back: the node that ran before this one"), [this] { step(-1); });
    button("next", tr("Step: the node that ran after this one"), [this] { step(1); });
    button("eye", tr("Watch this node, or stop watching it"), [this] { toggleWatch(); });
    bar->addStretch(1);
    column->addLayout(bar);
    column->addWidget(m_view, 1);
    m_watchView->setModel(m_watch);
    m_watchView->setFrameShape(QFrame::NoFrame);
    m_watchView->setShowGrid(false);
    m_watchView->verticalHeader()->hide();
    m_watchView->verticalHeader()->setDefaultSectionSize(theme.scaled(24));
    m_watchView->horizontalHeader()->setStretchLastSection(true);
    m_watchView->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_watchView->setMaximumHeight(theme.scaled(150));
    m_watchView->hide();
    connect(m_watchView, &QTableView::activated, this, [this](const QModelIndex& at) {
        const Side side = this->workspace().place().node.side;
        const ir::GraphPtr& graph = this->workspace().stage(side).graph;
        const ir::NodeIndex node = graph ? graph->find(m_watch->nodes()[at.row()].toStdString()) : ir::npos;
        if (node != ir::npos) this->workspace().selectNode({side, node});
    });
    column->addWidget(m_watchView);
    setContent(page);
    connect(m_view, &FactView::followed, this, [this](const QString& target) {
        const Side side = this->workspace().place().node.side;
        const ir::GraphPtr& graph = this->workspace().stage(side).graph;
        const ir::NodeIndex node = graph ? graph->find(target.toStdString()) : ir::npos;
        if (node != ir::npos) this->workspace().selectNode({side, node});
    });
    connect(&workspace, &Workspace::nodeSelected, this, &Panel::invalidate);
    connect(&workspace, &Workspace::stagesChanged, this, &Panel::invalidate);
    connect(&workspace, &Workspace::captureClosed, this, [this] {
        m_runs.clear();
        m_asked.reset();
        invalidate();
    });
    connect(&m_passes.engine(), &Engine::stateChanged, this, &Panel::invalidate);
}

session::StagePtr ValuesPanel::stageShown() const {
    const Place& place = workspace().place();
    const Side side = place.node.isEmpty() ? Side::B : place.node.side;
    session::StagePtr stage = workspace().stage(side).stage;
    return stage && stage->content == session::Stage::Content::Graph ? stage : nullptr;
}

const StageRun* ValuesPanel::runOf(const session::Stage* stage) const {
    for (const StageRun& run : m_runs)
        if (run.stage.get() == stage) return &run;
    return nullptr;
}

void ValuesPanel::ask(const session::StagePtr& stage) {
    m_asked = stage;
    Passes::Source source;
    if (const computed::ComputedStage* computed = m_passes.find(stage.get())) {
        source = m_passes.sourceOf(*computed->root);
        source.text = computed->graphText;
        source.on.attributes = computed->attributes;
    } else {
        source = m_passes.sourceOf(*stage);
    }
    m_passes.engine().run<StageRun>(
        QStringLiteral("values"), tr("%1 for its values").arg(toQString(stage->label())), this,
        [source = std::move(source), stage](engine::Client& client, const engine::CallOptions& options)
            -> tl::expected<StageRun, engine::CallError> {
            StageRun run;
            run.stage = stage;
            const auto reply = computed::fetchNodeValues(client, source.text, source.on, options);
            if (!reply) return tl::unexpected(reply.error());
            run.values = computed::nodeValues(*reply);
            for (const wire::RunValue& input : reply->post.inputs)
                if (auto value = computed::tensorValue(input)) run.inputsAfter.push_back(std::move(*value));
            return run;
        },
        [this, stage](tl::expected<StageRun, engine::CallError> run) {
            if (!run && run.error().kind == engine::CallError::Kind::Cancelled) return;
            StageRun out;
            if (run)
                out = std::move(*run);
            else
                out.error = callErrorText(tr("The graph could not be run"), run.error());
            out.stage = stage;
            std::erase_if(m_runs, [&](const StageRun& old) { return old.stage == stage; });
            m_runs.push_front(std::move(out));
            if (m_runs.size() > keptRuns) m_runs.pop_back();
            invalidate();
        });
}

void ValuesPanel::run() {
    if (const session::StagePtr stage = stageShown()) ask(stage);
}

void ValuesPanel::refresh() {
    m_text.clear();
    setLoading(false);
    if (showNothingOpen()) return;
    const session::StagePtr stage = stageShown();
    if (!stage) {
        showMessage(tr("This stage is generated code: it has no nodes that could be run."));
        return;
    }
    const StageRun* run = runOf(stage.get());
    if (!run) {
        Engine& engine = m_passes.engine();
        if (engine.state() == Engine::State::Absent) {
            showMessage(engine.trouble());
        } else if (engine.isRunning(QStringLiteral("values")) && m_asked == stage) {
            showMessage(tr("Running %1...").arg(toQString(stage->label())), tr("Cancel"),
                        [&engine] { engine.cancel(); });
            setLoading(true);
        } else {
            showMessage(m_asked == stage && !engine.trouble().isEmpty()
                            ? engine.trouble()
                            : tr("The values in %1 are not known yet. The engine runs its graph on the "
                                 "case's inputs, "
                                 "or on seeded ones, and keeps what each node gives.")
                                  .arg(toQString(stage->label())),
                        tr("Run it"), [this, stage] { ask(stage); });
        }
        return;
    }
    if (!run->error.isEmpty()) {
        showMessage(run->error, tr("Run it again"), [this, stage] { ask(stage); });
        return;
    }
    showContent();
    showRun(*run);
}

void ValuesPanel::showRun(const StageRun& run) {
    m_watch->setRun(&run);
    m_watchView->setVisible(m_watch->rowCount() > 0);
    const Place& place = workspace().place();
    const ir::Node* node = workspace().selectedNode();
    Facts facts;
    std::optional<computed::TensorValue::Histogram> histogram;
    std::size_t histogramAt = 0;
    if (!node) {
        Section hint;
        hint.facts.push_back(paragraph({quiet(tr("Select a node to see what it held."))}));
        facts.sections.push_back(std::move(hint));
    } else {
        facts.title = toQString(node->name);
        facts.stripe = theme().colours().op(ir::opKind(*node));
        facts.subtitle = {mono(toQString(node->target))};
        const auto at = run.values.find(node->name);
        if (at == run.values.end()) {
            Section none;
            none.facts.push_back(
                paragraph({quiet(node->op == ir::Op::Output ? tr("The outputs are the nodes that it returns.")
                                                            : tr("It made no tensor in this run."))}));
            facts.sections.push_back(std::move(none));
        } else {
            const computed::TensorValue& value = at->second;
            Section type;
            type.title = tr("Tensor");
            type.facts.push_back(fact(tr("Type"), {mono(typeText(value))}));
            type.facts.push_back(fact(tr("Strides"), {mono(shapeText(value.stride))},
                                      tr("Steps in its storage, in elements, for each dimension.")));
            type.facts.push_back(
                fact(tr("Offset"), {mono(QString::number(value.offset)), quiet(tr(" elements"))}));
            Tokens sharing;
            if (!value.storage.empty())
                for (const auto& [other, otherValue] : run.values)
                    if (other != node->name && otherValue.storage == value.storage) {
                        if (sharing.size() >= 12) break;
                        if (!sharing.empty()) sharing.push_back(text(QStringLiteral(", ")));
                        sharing.push_back(monoLink(toQString(other), toQString(other)));
                    }
            if (!sharing.empty())
                type.facts.push_back(fact(tr("Shares"), std::move(sharing), tr("Nodes on the same memory.")));
            facts.sections.push_back(std::move(type));
            if (value.statistics) {
                const auto& s = *value.statistics;
                Section stats;
                stats.title = tr("Statistics");
                stats.facts.push_back(fact(tr("Range"), {mono(cellText(s.min)), quiet(QStringLiteral(" … ")),
                                                         mono(cellText(s.max))}));
                stats.facts.push_back(fact(tr("Mean"), {mono(cellText(s.mean)), quiet(QStringLiteral(" ± ")),
                                                        mono(cellText(s.deviation))}));
                QString odd = tr("%1 zero").arg(s.zero);
                if (s.nan > 0) odd += tr(", %1 NaN").arg(s.nan);
                if (s.infinite > 0) odd += tr(", %1 infinite").arg(s.infinite);
                stats.facts.push_back(
                    fact(tr("Counts"), {text(tr("%1 elements, ").arg(value.count)), text(odd)}));
                histogramAt = facts.sections.size();
                histogram = value.histogram;
                facts.sections.push_back(std::move(stats));
            }
            if (!value.data.empty() || !value.corner.empty())
                facts.sections.push_back(valueSection(tr("Data"), value));
            // The tensor that a write changed, as it was when it was last seen.
            if (ir::opKind(*node) == ir::OpKind::Write && !node->args.empty() && node->args[0].isNode())
                if (const auto before = run.values.find(node->args[0].text); before != run.values.end())
                    facts.sections.push_back(valueSection(
                        tr("Before the write: %1").arg(toQString(node->args[0].text)), before->second));
        }
    }
    if (!run.inputsAfter.empty()) {
        Section after;
        after.title = tr("Inputs after the call");
        const ir::GraphPtr& graph = workspace().stage(place.node.isEmpty() ? Side::B : place.node.side).graph;
        std::size_t input = 0;
        for (std::size_t i = 0; graph && i < graph->size() && input < run.inputsAfter.size(); ++i) {
            const ir::Node& placeholder = graph->node(ir::NodeIndex(i));
            if (placeholder.op != ir::Op::Placeholder) continue;
            const computed::TensorValue& value = run.inputsAfter[input++];
            const auto before = run.values.find(placeholder.name);
            const bool known = before != run.values.end() && !before->second.data.empty();
            const bool same = known && sameData(before->second, value);
            Tokens tokens{mono(summaryText(value))};
            if (known) tokens.push_back(same ? quiet(tr(" unchanged")) : strong(tr(" changed")));
            if (input <= 64) after.facts.push_back(fact(toQString(placeholder.name), std::move(tokens)));
        }
        after.open = after.facts.size() <= 8;
        facts.sections.push_back(std::move(after));
    }
    m_text = FactView::plainText(facts);
    m_view->setFacts(facts);
    if (histogram && histogram->counts.size() > 1) {
        // The heading is the first widget.
        const int shift = facts.title.isEmpty() ? 0 : 1;
        m_view->insertWidget(int(histogramAt) + shift, new HistogramPlot(*histogram, theme()));
    }
}

QString ValuesPanel::plainText() const {
    return m_text;
}

void ValuesPanel::step(int direction) {
    const NodeSelection& at = workspace().place().node;
    const Side side = at.isEmpty() ? Side::B : at.side;
    const ir::GraphPtr& graph = workspace().stage(side).graph;
    if (!graph || graph->size() == 0) return;
    const auto last = std::int64_t(graph->size()) - 1;
    const std::int64_t next =
        at.isEmpty() ? 0 : std::clamp<std::int64_t>(std::int64_t(at.node) + direction, 0, last);
    workspace().selectNode({side, ir::NodeIndex(next)});
}

void ValuesPanel::toggleWatch() {
    const ir::Node* node = workspace().selectedNode();
    if (!node) return;
    m_watch->toggle(toQString(node->name));
    invalidate();
}

} // namespace dynascope::views
