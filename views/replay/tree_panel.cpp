// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/tree_panel.h"

#include "views/base/page_parts.h"
#include "views/inspector/fact_view.h"
#include "views/replay/live_tree_bar.h"
#include "views/replay/live_trees.h"
#include "views/replay/pool_strip.h"
#include "views/replay/tree_facts.h"
#include "views/replay/tree_picture.h"
#include "views/replay/tree_rows.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace dynascope::views {

struct TreePanel::Private {
    TreeWalk walk;
    FigureRow* figures = nullptr;
    RowTable *events = nullptr, *inputs = nullptr, *rerecords = nullptr;
    QTabBar* lower = nullptr;
    TreePicture* picture = nullptr;
    FactView* detail = nullptr;
    QLabel *where = nullptr, *eventCount = nullptr, *checks = nullptr;
    std::array<QString, 2> notes; ///< by list of the tree
    QToolButton *first = nullptr, *previous = nullptr, *next = nullptr, *last = nullptr;
    QToolButton *previousMark = nullptr, *nextMark = nullptr, *warmups = nullptr;
    Splitter *split = nullptr, *lists = nullptr, *tree = nullptr;
    std::shared_ptr<const replay::TreeProgram> program;
    LiveTrees* live = nullptr;
    LiveTreeBar* bar = nullptr;
    PoolStrip* pool = nullptr;
    QLabel* hint = nullptr;
    QWidget* body = nullptr;
    QTimer* growth = nullptr; ///< what the engine carries out is shown ten times a second
};

namespace {

/// How many calls gave what an eager run gives.
FigureRow::Figure verifiedFigure(const replay::TreeRun& run, std::size_t position, const Colours& c) {
    std::size_t verified = 0, same = 0;
    for (std::size_t i = 0; i < position; ++i)
        if (const replay::StepMeasure* measure = run.log().measure(i); measure && measure->verified) {
            ++verified;
            same += measure->difference.empty() ? 1 : 0;
        }
    return {
        TreePanel::tr("%1 of %2").arg(same).arg(verified), TreePanel::tr("same as eager"),
        same == verified ? c.added : c.removed,
        TreePanel::tr(
            "Calls whose results, and what they left in parameters, are those of an eager run, bit by bit")};
}

} // namespace

TreePanel::TreePanel(Workspace& workspace, Theme& theme, LiveTrees* live, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    setObjectName(QStringLiteral("tree"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->live = live;
    if (live) {
        column->addWidget(d->bar = new LiveTreeBar(*live, theme));
        column->addWidget(d->hint = plainLabel({}, "hint"), 1);
        d->hint->setAlignment(Qt::AlignCenter);
        d->hint->setWordWrap(true);
        d->hint->setContentsMargins(40, 40, 40, 40);
    }
    d->body = new QWidget;
    column->addWidget(d->body, 1);
    column = new QVBoxLayout(d->body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(d->figures = new FigureRow);
    column->addWidget(d->pool = new PoolStrip(d->walk, theme));
    d->split = new Splitter(Qt::Horizontal);
    d->split->addWidget(makeLists());
    d->split->addWidget(makeTree());
    d->split->setChildrenCollapsible(false);
    column->addWidget(d->split, 1);
    setContent(page);
    setFocusProxy(d->picture);
    applyDefaultSizes(1600);

    connect(&d->walk, &TreeWalk::moved, this, &TreePanel::showPosition);
    connect(d->events, &RowTable::rowSelected, this,
            [this](int row) { d->walk.moveTo(std::size_t(row) + 1); });
    for (RowTable* table : {d->inputs, d->rerecords})
        connect(table, &RowTable::linkActivated, this, [this, table](int row, int column) {
            const QVariant at = table->rows().index(row, column).data(RowTableModel::SortRole);
            d->walk.moveTo(std::size_t(at.toULongLong()) + 1);
        });
    connect(d->detail, &FactView::followed, this, &TreePanel::follow);
    if (live) {
        d->growth = new QTimer(this);
        d->growth->setSingleShot(true);
        d->growth->setInterval(100);
        connect(d->growth, &QTimer::timeout, this, &TreePanel::showLive);
        connect(live, &LiveTrees::grew, this, [this] {
            if (isVisible() && !d->growth->isActive()) d->growth->start();
        });
        connect(live, &LiveTrees::changed, this, [this] { isVisible() ? showLive() : invalidate(); });
        const auto key = [this](const char* keys, auto run) {
            auto* shortcut = new QShortcut(QKeySequence(tr(keys)), this);
            shortcut->setContext(Qt::WidgetWithChildrenShortcut);
            connect(shortcut, &QShortcut::activated, this, run);
        };
        key("Ctrl+Return", [this] { d->bar->start(); });
        key("Ctrl+Space", [this] { d->bar->pauseOrGo(); });
        key("Ctrl+F10", [this] { d->bar->stepCall(); });
        key("Ctrl+F5", [this] { d->bar->runToMark(); });
        key("Esc", [this] { d->live->cancel(); });
    }
    restyle();
}

TreePanel::~TreePanel() = default;

TreeWalk& TreePanel::walk() const {
    return d->walk;
}

void TreePanel::stepForward() {
    const bool atEnd = d->walk.run() && d->walk.position() == d->walk.run()->size();
    if (d->live && d->live->canStep() && atEnd)
        d->live->stepCall();
    else
        d->walk.forward();
}

bool TreePanel::canStepForward() const {
    return d->walk.run() && (d->walk.position() < d->walk.run()->size() || (d->live && d->live->canStep()));
}

void TreePanel::nextMark() {
    if (!d->walk.toMark(1) && d->live && d->live->canStep()) {
        d->walk.moveTo(SIZE_MAX);
        d->live->runToMark();
    }
}

QWidget* TreePanel::makeLists() {
    d->lists = new Splitter(Qt::Vertical);
    d->lists->setChildrenCollapsible(false);
    const auto list = [&](const QString& name, QLabel*& note, RowTable* table) {
        const TitledBox box = titledBox(name, table);
        note = box.note;
        d->lists->addWidget(box.widget);
        addCopyRows(table);
    };
    list(tr("Events"), d->eventCount, d->events = new RowTable(tr("Events"), eventColumns(), theme()));
    d->events->setObjectName(QStringLiteral("tree.events"));
    d->lists->addWidget(makeLowerLists());
    return d->lists;
}

QWidget* TreePanel::makeLowerLists() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->setContentsMargins(0, 0, 12, 0);
    row->addWidget(d->lower = new QTabBar);
    d->lower->setObjectName(QStringLiteral("tree.lowerTabs"));
    d->lower->setDrawBase(false);
    d->lower->setExpanding(false);
    d->lower->setAccessibleName(tr("Lists of the tree"));
    row->addStretch(1);
    row->addWidget(d->checks = plainLabel({}, "hint"));
    auto* pages = new QStackedWidget;
    column->addWidget(pages, 1);
    const auto page = [&](const QString& name, const QString& tip, RowTable* table) {
        d->lower->setTabToolTip(d->lower->addTab(name), tip);
        pages->addWidget(table);
        addCopyRows(table);
    };
    page(tr("Mutation categories"),
         tr("The mutation category of each input of a function, and how it was found"),
         d->inputs = new RowTable(tr("Mutation categories"), runInputColumns(), theme()));
    page(tr("Re-records"), tr("Which invariant failed at each re-recording, with addresses"),
         d->rerecords = new RowTable(tr("Re-records"), rerecordColumns(), theme()));
    d->inputs->setEmptyText(tr("No function was called so far."));
    d->rerecords->setEmptyText(tr("Nothing was re-recorded so far."));
    connect(d->lower, &QTabBar::currentChanged, this, [this, pages](int tab) {
        pages->setCurrentIndex(tab);
        showNote();
    });
    return box;
}

QWidget* TreePanel::makeTree() {
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->setSpacing(2);
    row->addWidget(plainLabel(tr("Recording tree"), "strong"));
    row->addSpacing(10);
    row->addWidget(d->where = plainLabel({}, "hint"));
    row->addStretch(1);
    d->warmups = new QToolButton;
    d->warmups->setText(tr("Warm-ups"));
    d->warmups->setCheckable(true);
    d->warmups->setProperty("chip", true);
    d->warmups->setToolTip(tr("Show all warm-ups in the tree, not only those of the current path"));
    row->addWidget(d->warmups);
    row->addSpacing(6);
    const auto button = [&](const QString& name, const QString& tip, auto run) {
        auto* out = new QToolButton;
        d->rerecords->setObjectName(QStringLiteral("tree.rerecords"));
        d->inputs->setObjectName(QStringLiteral("tree.inputs"));
        out->setAccessibleName(name);
        out->setToolTip(tip);
        connect(out, &QToolButton::clicked, this, run);
        row->addWidget(out);
        return out;
    };
    d->first = button(tr("First event"), tr("Before the first event (Home)"), [this] { d->walk.moveTo(0); });
    d->previousMark = button(tr("Previous mark"), tr("Previous re-record, eager run or error (Shift+F5, Up)"),
                             [this] { d->walk.toMark(-1); });
    d->previous = button(tr("Step back"), tr("Back one event (Shift+F10, Left)"), [this] { d->walk.back(); });
    d->next = button(tr("Step forward"), tr("Forward one event (F10, Right)"), [this] { stepForward(); });
    d->nextMark =
        button(tr("Next mark"), tr("Next re-record, eager run or error (F5, Down)"), [this] { nextMark(); });
    d->last =
        button(tr("Last event"), tr("After the last event (End)"), [this] { d->walk.moveTo(SIZE_MAX); });
    d->tree = new Splitter(Qt::Vertical);
    d->tree->setChildrenCollapsible(false);
    d->tree->addWidget(d->picture = new TreePicture(d->walk, theme()));
    d->tree->addWidget(d->detail = new FactView(theme()));
    d->detail->setObjectName(QStringLiteral("tree.detail"));
    d->detail->setAccessibleName(tr("This step"));
    column->addWidget(d->tree, 1);
    connect(d->warmups, &QToolButton::toggled, d->picture, &TreePicture::setShowsWarmups);
    return side;
}

void TreePanel::applyDefaultSizes(int windowWidth) {
    const int side = windowWidth * 46 / 100;
    d->split->setSizes({windowWidth - side, side});
    d->lists->setSizes({560, 300});
    d->tree->setSizes({400, 460});
}

void TreePanel::restyle() {
    const std::pair<QToolButton*, const char*> icons[] = {{d->first, "first"},       {d->previousMark, "up"},
                                                          {d->previous, "previous"}, {d->next, "next"},
                                                          {d->nextMark, "down"},     {d->last, "last"}};
    for (const auto& [button, icon] : icons)
        button->setIcon(theme().icon(QLatin1String(icon)));
    showPosition();
}

/// The newest run of the capture, or what one would be.
void TreePanel::showLive() {
    const replay::TreeRunPtr run = d->live->run();
    d->body->setVisible(run != nullptr);
    d->hint->setVisible(run == nullptr);
    const session::Session* session = workspace().session();
    d->hint->setText(
        !session || session->compiles.empty()
            ? tr("This capture has no compiled graphs to run.")
            : tr("Run the compiled graphs of this capture under CUDA-graph trees: which calls are warmed up, "
                 "recorded, replayed or run eagerly, and why. Each iteration calls every graph once, "
                 "forwards "
                 "first, with made-up inputs; every call is compared with an eager run."));
    if (!run) {
        if (d->walk.run()) d->walk.setRun(nullptr);
        d->events->setRows({});
        return;
    }
    if (d->walk.run() == run && std::size_t(d->events->rows().rowCount()) == run->size())
        return showPosition();
    d->events->setRows(eventRows(*run));
    if (d->walk.run() == run)
        d->walk.grew();
    else
        d->walk.setRun(run);
}

void TreePanel::refresh() {
    if (d->live) {
        if (!showNothingOpen()) {
            showContent();
            showLive();
        }
        return;
    }
    const auto forget = [this] {
        workspace().tasks().cancel(QStringLiteral("replay.tree"));
        setLoading(false);
        d->program.reset();
        d->events->setRows({});
        d->walk.setRun(nullptr);
    };
    if (showNothingOpen()) return forget();
    const auto program = session::attachedAs<replay::TreeProgram>(workspace().capture()->session->tree);
    if (!program) {
        forget();
        showMessage(
            tr("This capture has no calls of CUDA graphs. A case of kind cudagraph_tree_trace has: open its "
               "JSON file."));
        return;
    }
    showContent();
    if (d->program == program) return showPosition();
    forget();
    d->program = program;
    setLoading(true);
    workspace().tasks().run<replay::TreeRunPtr>(
        QStringLiteral("replay.tree"), this,
        [program](const TaskContext& task) {
            return std::make_shared<const replay::TreeRun>(*program, task);
        },
        [this](replay::TreeRunPtr run) {
            setLoading(false);
            d->events->setRows(eventRows(*run));
            d->walk.setRun(std::move(run));
        });
}

void TreePanel::showPosition() {
    const replay::TreeRunPtr& run = d->walk.run();
    const std::size_t position = d->walk.position(), size = run ? run->size() : 0;
    for (QToolButton* button : {d->first, d->previous})
        button->setEnabled(position > 0);
    const bool goesOn = d->live && d->live->canStep();
    d->next->setEnabled(position < size || goesOn);
    d->last->setEnabled(position < size);
    d->previousMark->setEnabled(run && !run->marks().empty() && run->marks().front() + 1 < position);
    d->nextMark->setEnabled(goesOn || (run && !run->marks().empty() && run->marks().back() >= position));
    d->detail->setFacts(treeFacts(d->walk));
    if (!run) {
        for (RowTable* table : {d->inputs, d->rerecords})
            table->setRows({});
        return;
    }
    const Colours& c = theme().colours();
    const replay::TreeState& state = d->walk.state();
    const std::size_t again = run->rerecords(position);
    std::vector<FigureRow::Figure> figures{
        {numberText(run->recordings(position)),
         tr("recordings"),
         {},
         tr("Nodes of the tree so far, warm-ups not counted")},
        {numberText(again), tr("re-records"), again > 0 ? c.removed : QColor(),
         tr("Recordings among them that were made because no recording of the function fitted")},
        {numberText(run->counted(position)),
         tr("count against the limit"),
         {},
         tr("All re-records but those where only a parameter or buffer stood elsewhere; beyond "
            "%1 at one node the function runs eagerly there")
             .arg(run->program().options.rerecordLimit)},
        {toQString(replay::pathStateName(state.path)), tr("path"), c.accent,
         tr("What the calls on the current path do: warm up, record or replay")},
        {QString::number(state.latestGeneration()),
         tr("generation"),
         {},
         tr("Counts entries into compiled code, or marked steps downwards")},
        {state.pendingBackward ? tr("pending") : tr("none"), tr("backward"),
         state.pendingBackward ? c.changed : QColor(),
         tr("A forward ran whose backward did not: its outputs must be kept")},
        {numberText(state.alive.size()),
         tr("alive outputs"),
         {},
         tr("Of the current path, when last looked at")}};
    if (d->live) figures.push_back(verifiedFigure(*run, position, c));
    d->figures->setFigures(figures);
    d->where->setText(d->live ? tr("event %1 of %2").arg(position).arg(run->program().events.size())
                              : tr("event %1 of %2").arg(position).arg(size));
    d->eventCount->setText(tr("%1, %2").arg(countText(size, tr("event"), tr("events")),
                                            countText(run->marks().size(), tr("mark"), tr("marks"))));
    d->events->select(int(position) - 1);
    const RunCategories categories = runCategories(*run, position);
    std::size_t slow = 0, fast = 0;
    for (const RunFunction& function : categories.functions) {
        slow += function.slow;
        fast += function.fast;
    }
    d->notes = {tr("checks so far: %1 slow, %2 fast").arg(slow).arg(fast), {}};
    const int chosen = d->inputs->selected();
    d->inputs->setRows(runInputRows(*run, categories));
    d->inputs->select(chosen);
    const std::vector<Rerecord> list = rerecordsOf(*run, position);
    const int chosenRerecord = d->rerecords->selected();
    d->rerecords->setRows(rerecordRows(*run, list));
    d->rerecords->select(chosenRerecord);
    d->lower->setTabText(1, again == 0 ? tr("Re-records") : tr("Re-records %1").arg(again));
    d->notes[1] = tr("%1 for %2")
                      .arg(countText(again, tr("re-record"), tr("re-records")),
                           countText(list.size(), tr("reason"), tr("reasons")));
    showNote();
}

void TreePanel::showNote() {
    d->checks->setText(d->notes[std::size_t(std::clamp(d->lower->currentIndex(), 0, 1))]);
}

void TreePanel::follow(const QString& target) {
    const qsizetype colon = target.indexOf(u':');
    const QString kind = target.left(colon), rest = target.mid(colon + 1);
    if (kind == QLatin1String("step")) d->walk.moveTo(rest.toULongLong());
    if (kind == QLatin1String("node")) d->walk.select(rest.toLongLong());
}

} // namespace dynascope::views
