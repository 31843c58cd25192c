// SPDX-License-Identifier: BSD-3-Clause
#include "views/passes/pass_steps_panel.h"

#include "views/base/nothing_matches.h"
#include "views/passes/pass_steps_model.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

const QString taskTag = QStringLiteral("pass steps");

/// The rows that hold the words of the field, and, where it is asked for, at which the pass did something.
class StepFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setOnlyMatters(bool only) {
        m_only = only;
        invalidateFilter();
    }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        if (m_only && !sourceModel()->index(row, 0, parent).data(PassStepsModel::MattersRole).toBool())
            return false;
        return QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

private:
    bool m_only = false;
};

ShownPassStepsPtr shownSteps(const wire::PassReply& reply, ir::GraphPtr source, ir::GraphPtr result) {
    auto out = std::make_shared<ShownPassSteps>();
    out->steps = computed::passSteps(reply, *source, *result);
    out->lines.reserve(result->size());
    for (const ir::NodePtr& node : result->nodes())
        out->lines.push_back(node->op == ir::Op::Output ? "return " + computed::callText(*node)
                                                        : node->name + " = " + computed::callText(*node));
    out->source = std::move(source);
    out->result = std::move(result);
    return out;
}

} // namespace

struct PassStepsPanel::Private {
    PassStepsPanel& q;
    Passes& passes;
    PassStepsModel model;
    ResultSoFarModel resultModel;
    StepFilter proxy;
    Splitter* split = nullptr;
    QTableView* table = nullptr;
    QListView* result = nullptr;
    QLabel* summary = nullptr;
    QCheckBox* only = nullptr;
    session::StageId shown = session::StageId::None;
    bool following = false;

    Private(PassStepsPanel& owner, Passes& thePasses, Theme& theme)
        : q(owner)
        , passes(thePasses)
        , model(theme)
        , resultModel(theme) {}

    void build();
    [[nodiscard]] QWidget* makeBar();
    /// The computed stage whose last pass is shown: B, else A; null where neither has steps.
    [[nodiscard]] const computed::ComputedStage* wanted() const;
    void show(ShownPassStepsPtr steps);
    void moved(const QModelIndex& now);
    void follow();
};

QWidget* PassStepsPanel::Private::makeBar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 6, 8, 6);
    QLineEdit* filter = q.addFilter(tr("Filter steps"), table);
    QObject::connect(filter, &QLineEdit::textChanged, &proxy, &QSortFilterProxyModel::setFilterFixedString);
    row->addWidget(filter, 1);
    only = new QCheckBox(tr("Only what it did"));
    auto* nothing = new NothingMatches(q.theme(), *table, *filter, tr("No step matches %1."));
    nothing->narrowBy(*only, tr("The pass left every op as it was, and no write stays."),
                      tr("No step at which the pass did something matches %1."));
    only->setToolTip(tr("Leaves out ops that the pass left as they were, but for writes that stay"));
    QObject::connect(only, &QCheckBox::toggled, &q, [this](bool on) {
        proxy.setOnlyMatters(on);
        follow();
    });
    row->addWidget(only);
    const auto button = [&](const QString& text, const QString& tip, int direction) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        QObject::connect(made, &QToolButton::clicked, &q, [this, direction] { q.step(direction); });
        row->addWidget(made);
    };
    button(QStringLiteral("\u2039"), tr("Back one step"), -1);
    button(QStringLiteral("\u203a"), tr("On one step"), 1);
    return bar;
}

void PassStepsPanel::Private::build() {
    table = new QTableView;
    table->setObjectName(QStringLiteral("passSteps.table"));
    table->setAccessibleName(tr("Steps of the pass"));
    proxy.setSourceModel(&model);
    proxy.setFilterKeyColumn(-1);
    proxy.setFilterCaseSensitivity(Qt::CaseInsensitive);
    table->setModel(&proxy);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->verticalHeader()->hide();
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setHighlightSections(false);
    result = new QListView;
    result->setObjectName(QStringLiteral("passSteps.result"));
    result->setAccessibleName(tr("The result so far"));
    result->setModel(&resultModel);
    result->setFrameShape(QFrame::NoFrame);
    result->setUniformItemSizes(true);
    result->setSelectionMode(QAbstractItemView::NoSelection);
    summary = new QLabel;
    summary->setTextFormat(Qt::PlainText);
    summary->setObjectName(QStringLiteral("passSteps.summary"));
    summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    summary->setWordWrap(true);
    summary->setContentsMargins(12, 4, 12, 4);

    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(summary);
    column->addWidget(table, 1);
    split = new Splitter(Qt::Vertical);
    split->addWidget(top);
    split->addWidget(result);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    q.setContent(split);
    q.addCopyRows(table, [](const QModelIndex& row) { return tabbedRow(row, PassStepsModel::ColumnCount); });
    QObject::connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, &q,
                     [this](const QModelIndex& now) { moved(now); });
}

const computed::ComputedStage* PassStepsPanel::Private::wanted() const {
    const Place& place = q.workspace().place();
    for (const int index : {place.stageB, place.stageA}) {
        const session::StagePtr stage = q.workspace().stageAt(index);
        const computed::ComputedStage* known = stage ? passes.find(stage.get()) : nullptr;
        if (known && known->reply && !known->reply->steps.empty()) return known;
    }
    return nullptr;
}

void PassStepsPanel::Private::show(ShownPassStepsPtr steps) {
    summary->setText(steps ? toQString(computed::summaryOf(steps->steps)) : QString());
    resultModel.setSteps(steps);
    {
        const QScopedValueRollback guard(following, true);
        model.setSteps(std::move(steps));
        const int widths[] = {36, 230, 130};
        for (int column = 0; column < int(std::size(widths)); ++column)
            table->setColumnWidth(column, q.theme().scaled(widths[column]));
    }
    follow();
}

void PassStepsPanel::Private::moved(const QModelIndex& now) {
    const int row = proxy.mapToSource(now).row();
    resultModel.setStep(row);
    result->scrollToBottom();
    const computed::PassStepRow* step = model.step(row);
    const computed::ComputedStage* known = wanted();
    if (following || !step || !known) return;
    // Only where the place shows what the pass was given.
    const bool sourceIsA = q.workspace().stageAt(q.workspace().place().stageA) == known->source;
    const Side side = sourceIsA ? Side::A : Side::B;
    const std::string& name = sourceIsA || step->results.empty() ? step->source : step->results.front();
    const ir::GraphPtr& graph = q.workspace().stage(side).graph;
    const ir::NodeIndex node = graph ? graph->find(name) : ir::npos;
    if (node == ir::npos) return;
    const QScopedValueRollback guard(following, true);
    q.workspace().selectNode({side, node});
}

void PassStepsPanel::Private::follow() {
    if (following) return;
    const QScopedValueRollback guard(following, true);
    const NodeSelection& chosen = q.workspace().place().node;
    const computed::ComputedStage* known = wanted();
    int row = -1;
    if (known && !chosen.isEmpty()) {
        const bool ofA = chosen.side == Side::A;
        const int index = ofA ? q.workspace().place().stageA : q.workspace().place().stageB;
        const session::StagePtr stage = q.workspace().stageAt(index);
        const ir::GraphPtr& graph = q.workspace().stage(chosen.side).graph;
        if (graph && chosen.node < graph->size() && (stage == known->source || stage == known->stage))
            row = model.rowOf(graph->node(chosen.node).name, stage == known->stage);
    }
    const QModelIndex at = proxy.mapFromSource(model.index(row, 0));
    if (at.isValid()) {
        table->setCurrentIndex(at);
        table->scrollTo(at);
    } else if (!table->currentIndex().isValid() && proxy.rowCount() > 0) {
        int first = 0; // where the pass did something, or left a write
        while (first + 1 < proxy.rowCount() &&
               !proxy.index(first, 0).data(PassStepsModel::MattersRole).toBool())
            ++first;
        table->setCurrentIndex(proxy.index(first, 0));
        table->scrollTo(table->currentIndex());
    }
}

PassStepsPanel::PassStepsPanel(Workspace& workspace, Passes& passes, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>(*this, passes, theme)) {
    d->build();
    connect(&workspace, &Workspace::stagesChanged, this, &PassStepsPanel::invalidate);
    connect(&workspace, &Workspace::placeChanged, this, &PassStepsPanel::invalidate);
    connect(&passes, &Passes::computed, this, &PassStepsPanel::invalidate);
    restyle();
}

PassStepsPanel::~PassStepsPanel() = default;

void PassStepsPanel::step(int direction) {
    const int row = d->table->currentIndex().row() + direction;
    if (row < 0 || row >= d->proxy.rowCount()) return;
    d->table->setCurrentIndex(d->proxy.index(row, 0));
}

void PassStepsPanel::setOnlyMatters(bool only) {
    d->only->setChecked(only);
}

void PassStepsPanel::restyle() {
    d->table->setFont(theme().font(FontRole::CodeSmall));
    d->table->verticalHeader()->setDefaultSectionSize(theme().scaled(24));
    d->result->setFont(theme().font(FontRole::CodeSmall));
    d->summary->setFont(theme().font(FontRole::Text));
}

void PassStepsPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    d->split->setOrientation(width() > 2 * height() ? Qt::Horizontal : Qt::Vertical);
}

void PassStepsPanel::refresh() {
    const bool nothing = showNothingOpen();
    const computed::ComputedStage* known = nothing ? nullptr : d->wanted();
    if (!known) {
        workspace().tasks().cancel(taskTag);
        setLoading(false);
        d->shown = session::StageId::None;
        d->show(nullptr);
        if (!nothing)
            showMessage(tr("What a pass of the engine did, op by op, stands here: choose a stage that a pass "
                           "computed, or run one from the menu Engine."));
        return;
    }
    showContent();
    if (d->shown == known->stage->id()) {
        d->follow();
        return;
    }
    d->shown = known->stage->id();
    setLoading(true);
    workspace().tasks().run<ShownPassStepsPtr>(
        taskTag, this,
        [reply = known->reply, source = known->source, stage = known->stage](const TaskContext&) {
            const auto before = source->graph(), after = stage->graph();
            return before && after ? shownSteps(*reply, *before, *after) : ShownPassStepsPtr();
        },
        [this](ShownPassStepsPtr steps) {
            setLoading(false);
            d->show(std::move(steps));
        });
}

} // namespace dynascope::views
