// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/split_panel.h"

#include "core/session/program_names.h"
#include "views/autograd/alias_rows.h"
#include "views/autograd/cut_view.h"
#include "views/autograd/split_rows.h"
#include "views/base/page_parts.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/theme/splitter.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {
constexpr int narrowWindow = 1440;
} // namespace

struct SplitPanel::Private {
    FigureRow* figures = nullptr;
    CutView* cut = nullptr;
    RowTable* values = nullptr;
    FactView* detail = nullptr;
    QLabel* count = nullptr;
    Splitter *split = nullptr, *lists = nullptr;
    std::shared_ptr<const computed::JointSplit> shown;
};

SplitPanel::SplitPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : CompilePanel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    setObjectName(QStringLiteral("split"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(d->figures = new FigureRow);
    d->split = new Splitter(Qt::Horizontal);
    d->split->setChildrenCollapsible(false);
    d->split->addWidget(d->cut = new CutView(theme));
    d->lists = new Splitter(Qt::Vertical);
    d->lists->setChildrenCollapsible(false);
    d->values = new RowTable(tr("Saved tensors"), valueColumns(), theme);
    const TitledBox box = titledBox(tr("Saved tensors"), d->values);
    d->values->setEmptyText(tr("Nothing is saved for backward."));
    d->count = box.note;
    addCopyRows(d->values);
    d->lists->addWidget(box.widget);
    d->lists->addWidget(d->detail = new FactView(theme));
    d->detail->setObjectName(QStringLiteral("split.detail"));
    d->detail->setAccessibleName(tr("Value"));
    d->split->addWidget(d->lists);
    column->addWidget(d->split, 1);
    setContent(page);
    setFocusProxy(d->cut);
    applyDefaultSizes(1600);

    connect(d->cut, &CutView::valueSelected, this, [this](int value) {
        d->values->select(value);
        showValue(value);
    });
    connect(d->cut, &CutView::rowActivated, this,
            [this](CutView::Side side, int at) { goToRow(side == CutView::Side::Forward, at); });
    connect(d->values, &RowTable::rowSelected, this, [this](int value) {
        d->cut->selectValue(value);
        showValue(value);
    });
    connect(d->values, &RowTable::rowActivated, this, [this](int value) { goToValue(value, false); });
    connect(d->values, &RowTable::linkActivated, this, [this](int value) { goToValue(value, true); });
    connect(d->detail, &FactView::followed, this, &SplitPanel::follow);
}

SplitPanel::~SplitPanel() = default;

CutView* SplitPanel::cut() const {
    return d->cut;
}
RowTable* SplitPanel::values() const {
    return d->values;
}
const computed::JointSplit* SplitPanel::split() const {
    return d->shown.get();
}

void SplitPanel::applyDefaultSizes(int windowWidth) {
    const int lists = windowWidth * (windowWidth < narrowWindow ? 54 : 46) / 100;
    d->split->setSizes({windowWidth - lists, lists});
    d->lists->setSizes({420, 380});
}

void SplitPanel::forget() {
    workspace().tasks().cancel(QStringLiteral("autograd.split"));
    d->cut->setSplit(nullptr);
    d->values->setRows({});
    d->detail->setFacts({});
    d->shown.reset();
}

void SplitPanel::showAgain() {
    if (!d->shown || !d->shown->declined.empty()) return;
    showFigures(); // colours
    showValue(d->cut->selectedValue());
}

void SplitPanel::begin(const session::SessionPtr& session, std::size_t compile) {
    workspace().tasks().run<std::shared_ptr<const computed::JointSplit>>(
        QStringLiteral("autograd.split"), this,
        [session, compile](const TaskContext& task) {
            auto split =
                std::make_shared<computed::JointSplit>(computed::splitJoint(*session, compile, task));
            const session::NamingPtr naming = session::namingOf(session->compiles[compile]);
            for (computed::CutSide* side : {&split->forward, &split->backward})
                if (side->graph) side->names = session::programNames(naming, *side->graph);
            return split;
        },
        [this](std::shared_ptr<const computed::JointSplit> split) { showSplit(std::move(split)); });
}

void SplitPanel::showSplit(std::shared_ptr<const computed::JointSplit> split) {
    setLoading(false);
    d->shown = std::move(split);
    if (!d->shown->joint) {
        const session::Compile& now = session()->compiles[std::size_t(compile())];
        const bool inference =
            std::any_of(now.stages.begin(), now.stages.end(),
                        [](const session::StagePtr& stage) { return stage->name == "aot_inference_graph"; });
        const QString why = inference ? tr("it was traced for inference, since no input needs a gradient or "
                                           "gradients were off. Nothing is cut in two or saved for backward")
                                      : tr("the capture holds no graph of AOTAutograd");
        const std::vector<std::size_t> others = computed::trainingCompiles(*session());
        if (others.empty() && !computed::hasMetadata(*session(), now))
            return showMessage(tr("This capture has no joint graph: %1.").arg(why));
        if (others.empty())
            return showMessage(
                tr("This capture has no joint graph: %1. Its inputs and outputs are under Alias "
                   "and mutation.")
                    .arg(why),
                tr("Show alias and mutation"), [this] { emit elsewhereRequested(); });
        return showMessage(tr("This compile has no joint graph: %1.").arg(why), tr("Show one that has"),
                           [this, other = others.front()] {
                               Place place = workspace().place();
                               place.compile = int(other);
                               place.node = {};
                               workspace().go(place);
                           });
    }
    if (!d->shown->declined.empty())
        return showMessage(tr("The joint graph is not split: %1").arg(toQString(d->shown->declined)));
    showContent();
    d->cut->setSplit(d->shown);
    d->values->setRows(valueRows(*d->shown));
    d->values->sortByColumn(int(ValueColumn::Bytes), Qt::DescendingOrder);
    const auto saved =
        std::size_t(std::count_if(d->shown->values.begin(), d->shown->values.end(),
                                  [](const computed::CutValue& value) { return !value.recomputed; }));
    d->count->setText(tr("%1 saved, %2 recomputed").arg(saved).arg(d->shown->values.size() - saved));
    showFigures();
    showValue(-1);
}

void SplitPanel::showFigures() {
    const Colours& c = theme().colours();
    const computed::JointSplit& split = *d->shown;
    const bool compared = split.forward.isomorphic || split.backward.isomorphic;
    const bool same = split.forward.isomorphic.value_or(true) && split.backward.isomorphic.value_or(true);
    // Inductor's passes change the joint graph before it is split; what is split here is the one before them.
    const bool declined = compared && !same && split.byInductor;
    const FigureRow::Figure verdict{
        !compared  ? tr("not run")
        : same     ? tr("isomorphic")
        : declined ? tr("declined")
                   : tr("different"),
        tr("as PyTorch's split"),
        !compared  ? c.text3
        : same     ? c.added
        : declined ? c.changed
                   : c.removed,
        declined
            ? tr("Inductor's passes change the joint graph before it is split: these halves are of the joint "
                 "graph before them, not of the one that PyTorch split")
            : tr("Whether both halves are the graphs that PyTorch made")};
    const bool isPyTorchs = compared && same;
    d->figures->setFigures(
        {{bytesText(qulonglong(split.savedBytes - split.inputBytes)),
          isPyTorchs ? tr("saved for backward") : tr("saved for backward in this split"), c.memory()[0],
          isPyTorchs
              ? tr("Held from forward to backward")
              : tr("Held from forward to backward in the split that is made here of the captured joint "
                   "graph; PyTorch's own may save other values")},
         {bytesText(qulonglong(split.inputBytes)),
          tr("inputs kept"),
          {},
          tr("Inputs of forward that backward reads too: they cost no memory of their own")},
         {bytesText(qulonglong(split.recomputedBytes)),
          tr("recomputed"),
          {},
          tr("Values that are not kept, because backward recomputes them from what is")},
         {bytesText(split.forward.peakBytes), tr("forward peak"), {}, tr("An estimate: without inputs")},
         {bytesText(backwardPeak(split)),
          tr("backward peak, at most"),
          {},
          tr("An estimate: an upper bound with everything that was saved held to the end")},
         verdict});
}

void SplitPanel::showValue(int value) {
    if (!d->shown || !d->shown->declined.empty()) return;
    const bool any = value >= 0 && value < int(d->shown->values.size());
    d->detail->setFacts(any ? valueFacts(*d->shown, std::size_t(value)) : splitFacts(*d->shown));
}

void SplitPanel::goToValue(int value, bool line) {
    if (!d->shown || value < 0 || value >= int(d->shown->values.size())) return;
    const computed::CutValue& of = d->shown->values[std::size_t(value)];
    const ir::Node* node = makerOf(*d->shown, of);
    if (line && node && node->location())
        goToLine(workspace(), d->shown->compile, d->shown->joint, of.node, *node->location());
    else
        goToStage(workspace(), d->shown->compile, d->shown->joint, of.node);
}

void SplitPanel::goToRow(bool forward, int row) {
    if (!d->shown) return;
    const computed::CutSide& side = forward ? d->shown->forward : d->shown->backward;
    if (row < 0 || row >= int(side.rows.size())) return;
    // Names are those of the joint graph, and PyTorch's halves keep them.
    goToStage(workspace(), d->shown->compile, side.captured ? side.captured : d->shown->joint,
              side.graph->node(side.rows[std::size_t(row)]).name);
}

void SplitPanel::follow(const QString& target) {
    const qsizetype colon = target.indexOf(u':');
    const QString kind = target.left(colon);
    const int row = target.mid(colon + 1).toInt();
    if (kind == QLatin1String("forward")) return goToRow(true, row);
    if (kind == QLatin1String("backward")) return goToRow(false, row);
    if (kind == QLatin1String("source") && d->shown)
        goToStage(workspace(), d->shown->compile, d->shown->joint);
    followLink(workspace(), target);
}

} // namespace dynascope::views
