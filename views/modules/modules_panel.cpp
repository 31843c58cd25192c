// SPDX-License-Identifier: BSD-3-Clause
#include "views/modules/modules_panel.h"

#include "core/layout/module_classes.h"
#include "core/session/module_classes.h"
#include "core/session/program_names.h"
#include "views/base/nothing_matches.h"
#include "views/modules/module_delegate.h"
#include "views/modules/module_model.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QScopedValueRollback>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

const QString taskTag = QStringLiteral("modules");
constexpr int filterDelayMs = 150;
constexpr std::size_t expandWholeLimit = 400;

} // namespace

struct ModulesPanel::Private {
    ModulesPanel& q;
    ModuleModel model;
    QLineEdit* filter = nullptr;
    QToolButton* side = nullptr;
    QTreeView* view = nullptr;
    QLabel* footer = nullptr;
    EmptyMessage* nothing = nullptr;
    QTimer filterTimer;
    ir::GraphPtr shown; ///< whose tree the model holds, or is being made
    bool preferA = false;
    bool following = false;

    explicit Private(ModulesPanel& owner)
        : q(owner) {}

    [[nodiscard]] Side wantedSide() const {
        const Side first = preferA ? Side::A : Side::B;
        const Side second = preferA ? Side::B : Side::A;
        return q.workspace().stage(first).graph || !q.workspace().stage(second).graph ? first : second;
    }

    void build();
    void applyFilter();
    void sayWhereNothingMatches();
    void follow();
    void updateFooter();
    void showTimes();
};

void ModulesPanel::Private::build() {
    auto* content = new QWidget(&q);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    auto* bar = new QWidget(content);
    auto* barLayout = new QHBoxLayout(bar);
    barLayout->setContentsMargins(8, 6, 8, 6);
    view = new QTreeView(content);
    filter = q.addFilter(tr("Filter: layers.0.q_proj target:aten.linear shape:[*, 64]"), view);
    filter->setAccessibleName(tr("Filter nodes"));
    side = new QToolButton(bar);
    side->setCheckable(true);
    side->setToolTip(tr("Whose graph is listed: stage A or stage B"));
    side->setAccessibleName(tr("List stage A instead of B"));
    barLayout->addWidget(filter, 1);
    barLayout->addWidget(side);
    column->addWidget(bar);

    view->setModel(&model);
    view->setItemDelegate(new ModuleDelegate(q.theme(), view));
    view->setHeaderHidden(true);
    view->setUniformRowHeights(true);
    view->setFrameShape(QFrame::NoFrame);
    view->setMouseTracking(true);
    view->setAccessibleName(tr("Modules and nodes"));
    nothing = new EmptyMessage(q.theme(), *view);
    column->addWidget(view, 1);

    footer = new QLabel(content);
    footer->setTextFormat(Qt::PlainText);
    footer->setWordWrap(true); // else what was measured would widen the dock
    footer->setContentsMargins(12, 4, 12, 4);
    footer->setFont(q.theme().font(FontRole::Text));
    column->addWidget(footer);
    q.setContent(content);

    filterTimer.setSingleShot(true);
    filterTimer.setInterval(filterDelayMs);
    connect(filter, &QLineEdit::textChanged, &q, [this] { filterTimer.start(); });
    connect(&filterTimer, &QTimer::timeout, &q, [this] { applyFilter(); });
    connect(side, &QToolButton::toggled, &q, [this](bool on) {
        preferA = on;
        q.invalidate();
    });
    connect(view->selectionModel(), &QItemSelectionModel::currentChanged, &q, [this](const QModelIndex& now) {
        if (following || !now.isValid()) return;
        const QScopedValueRollback guard(following, true);
        q.workspace().selectNode({wantedSide(), model.firstNode(now)});
        q.workspace().seekNode();
    });
}

void ModulesPanel::Private::applyFilter() {
    const auto parsed = session::Filter::parse(filter->text().toStdString());
    filter->setToolTip(parsed ? QString() : QString::fromStdString(parsed.error().toString()));
    filter->setProperty("invalid", !parsed.has_value());
    if (!parsed) {
        footer->setText(QString::fromStdString(parsed.error().message));
        return;
    }
    model.setFilter(*parsed);
    sayWhereNothingMatches();
    if (!parsed->isEmpty() && model.shownNodes() <= expandWholeLimit) view->expandAll();
    follow();
    updateFooter();
}

void ModulesPanel::Private::sayWhereNothingMatches() {
    const bool hidden = model.graph() && model.graph()->size() > 0 && model.shownNodes() == 0;
    if (!hidden) return nothing->setWord({});
    nothing->setWord(tr("No node matches %1.").arg(filter->text()), tr("Clear the filter"), [this] {
        filter->clear();
        applyFilter();
    });
}

void ModulesPanel::Private::follow() {
    if (following) return;
    const NodeSelection& node = q.workspace().place().node;
    ir::NodeIndex wanted = ir::npos;
    if (!node.isEmpty() && node.side == wantedSide()) {
        wanted = node.node;
    } else if (const auto related = q.workspace().related(); !related.empty()) {
        wanted = related.front();
    }
    const QScopedValueRollback guard(following, true);
    const QModelIndex index = wanted == ir::npos ? QModelIndex() : model.indexOf(wanted);
    if (index.isValid()) {
        view->setCurrentIndex(index);
        view->scrollTo(index);
    } else {
        view->setCurrentIndex({});
    }
}

void ModulesPanel::Private::updateFooter() {
    const ir::Graph* graph = model.graph();
    if (!graph) return;
    std::size_t inputs = 0;
    for (const ir::NodePtr& node : graph->nodes()) {
        inputs += node->op == ir::Op::Placeholder ? 1 : 0;
    }
    const QLocale locale;
    const auto number = [&locale](std::size_t n) { return locale.toString(qulonglong(n)); };
    footer->setText(model.shownNodes() == graph->size()
                        ? tr("%1, %2 of them inputs")
                              .arg(countText(graph->size(), tr("node"), tr("nodes")), number(inputs))
                        : tr("%1 of %2 nodes").arg(number(model.shownNodes()), number(graph->size())));
    if (const auto times = q.workspace().nodeTimes(q.workspace().stage(wantedSide()).stage.get()))
        footer->setText(
            footer->text() + tr(", %1 measured").arg(durationText(times->sum)) +
            (times->joined ? tr(", %1 % joined").arg(100 * *times->joined, 0, 'f', 0) : QString()) +
            (times->passedOnFrom.empty() ? QString()
                                         : tr(", passed on from %1").arg(toQString(times->passedOnFrom))));
}

void ModulesPanel::Private::showTimes() {
    const StageView& stage = q.workspace().stage(wantedSide());
    const bool same = model.graph() && model.graph() == stage.graph.get();
    model.setTimes(same ? q.workspace().nodeTimes(stage.stage.get()) : nullptr);
    view->viewport()->update();
}

ModulesPanel::ModulesPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>(*this)) {
    d->build();
    connect(&workspace, &Workspace::stagesChanged, this, &ModulesPanel::invalidate);
    connect(&workspace, &Workspace::timesChanged, this, [this] {
        d->showTimes();
        d->updateFooter();
    });
    connect(&workspace, &Workspace::nodeSelected, this, [this] {
        if (isVisible()) d->follow();
    });
}

ModulesPanel::~ModulesPanel() = default;

void ModulesPanel::restyle() {
    d->footer->setFont(theme().font(FontRole::Text));
}

void ModulesPanel::refresh() {
    if (showNothingOpen()) return;
    const Side side = d->wantedSide();
    d->side->setText(side == Side::A ? tr("Stage A") : tr("Stage B"));
    const StageView& stage = workspace().stage(side);
    setLoading(stage.loading);
    if (stage.loading) return;
    if (!stage.graph) {
        showMessage(stage.error.isEmpty() ? tr("Neither stage is a graph. Choose one on the timeline.")
                                          : stage.error);
        return;
    }
    showContent();
    if (d->shown == stage.graph) {
        d->follow();
        return;
    }
    d->shown = stage.graph;
    const session::NamingPtr naming =
        workspace().compile() ? session::namingOf(*workspace().compile()) : nullptr;
    using TreePtr = std::shared_ptr<const ModuleTree>;
    const session::GuardList guards =
        workspace().compile() ? workspace().compile()->guards : session::GuardList();
    const auto work = [graph = stage.graph, naming, guards](const TaskContext&) -> TreePtr {
        auto tree = std::make_shared<ModuleTree>();
        tree->graph = graph;
        tree->groups = layout::groupNodes(*graph, session::parameterNames(naming, *graph));
        layout::nameClasses(tree->groups, session::moduleClasses(guards));
        layout::nameClasses(tree->groups, layout::recordedClasses(*graph));
        tree->names = layout::moduleNames(tree->groups);
        return tree;
    };
    setLoading(true);
    workspace().tasks().run<TreePtr>(taskTag, this, work, [this](TreePtr tree) {
        setLoading(false);
        const bool small = tree->graph->size() <= expandWholeLimit / 4;
        d->model.setTimes(nullptr);
        d->model.setTree(std::move(tree));
        d->sayWhereNothingMatches();
        d->showTimes();
        if (small) d->view->expandAll();
        d->follow();
        d->updateFooter();
    });
}

} // namespace dynascope::views
