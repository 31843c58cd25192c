// SPDX-License-Identifier: BSD-3-Clause
//
// How DynamoPage is put together: its parts, how they are divided, and what of them is kept between runs.
#include "views/base/page_parts.h"
#include "views/dynamo/breakpoint_run.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/call_panes.h"
#include "views/dynamo/code_panes.h"
#include "views/dynamo/dynamo_private.h"
#include "views/dynamo/graph_pane.h"
#include "views/dynamo/live_bar.h"
#include "views/dynamo/live_control.h"
#include "views/dynamo/recording_questions.h"
#include "views/dynamo/recording_tabs.h"
#include "views/dynamo/recording_watch.h"
#include "views/dynamo/state_model.h"
#include "views/dynamo/state_panes.h"
#include "views/dynamo/step_controls.h"
#include "views/dynamo/step_tools.h"
#include "views/dynamo/steps_strip.h"
#include "views/theme/splitter.h"

#include <QDataStream>
#include <QHBoxLayout>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

constexpr quint32 stateVersion = 1;
constexpr int narrowWindow = 1400;

} // namespace

void DynamoPage::build() {
    d->questions = new RecordingQuestions(workspace().tasks(), this);
    d->watch = new RecordingWatch(
        workspace().tasks(), [this] { return isVisible(); }, this);
    d->runs = new BreakpointRun(*d->questions, this);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(d->controls = new StepControls(theme(), *this));
    column->addWidget(d->liveBar = new LiveBar(theme()));
    column->addWidget(d->strip = new StepsStrip(theme()));
    column->addWidget(d->tabs = new RecordingTabs(buildSteps(), workspace(), theme(), *d->questions), 1);
    d->live = new LiveControl(*d->liveBar, *d->watch, breakpoints(), this);
    addCopyRows(d->tabs->keyTree());
    setContent(page);
    setFocusProxy(d->strip);
}

QWidget* DynamoPage::buildSteps() {
    auto* steps = new QWidget;
    auto* column = new QVBoxLayout(steps);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* told = nullptr;
    column->addWidget(headerBar(told));
    told->addWidget(d->caption = plainLabel({}, "strong"), 1);
    d->caption->setObjectName(QStringLiteral("dynamo.caption"));
    d->caption->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    told->addWidget(d->answer = plainLabel({}, "hint"));
    d->answer->setObjectName(QStringLiteral("dynamo.answer"));

    d->tools = new StepTools(theme(), *d->questions);
    d->code = new CodePanes(theme(), breakpoints(), *d->questions, this);
    auto* left = new Splitter(Qt::Vertical);
    left->addWidget(d->code->sourcePane());
    left->addWidget(d->tools);
    auto* top = new Splitter(Qt::Horizontal);
    top->addWidget(d->graph = new GraphPane(theme(), *d->questions));
    top->addWidget(d->calls = new CallPanes(theme()));
    d->states = new StatePanes(theme(), *d->questions);
    for (QTreeView* tree : d->states->trees()) {
        addCopyRows(tree, [](const QModelIndex& index) { return tabbedRow(index, StateModel::ColumnCount); });
        tree->setContextMenuPolicy(Qt::CustomContextMenu); // copying, and what StatePanes adds
    }
    auto* right = new Splitter(Qt::Vertical);
    right->addWidget(top);
    right->addWidget(d->states);
    auto* split = new Splitter(Qt::Horizontal);
    split->addWidget(left);
    split->addWidget(d->code->bytecodePane());
    split->addWidget(right);
    d->splits = {split, left, right, top, d->calls};
    for (QSplitter* each : d->splits)
        for (int i = 0; i < each->count(); ++i)
            each->setCollapsible(i, false);
    applyDefaultSizes(window()->width());
    column->addWidget(split, 1);
    return steps;
}

void DynamoPage::connectParts() {
    connect(d->strip, &StepsStrip::stepChosen, this, &DynamoPage::goToStep);
    connect(d->graph, &GraphPane::stepChosen, this, &DynamoPage::goToStep);
    connect(d->calls, &CallPanes::stepChosen, this, &DynamoPage::goToStep);
    connect(d->calls, &CallPanes::frameChosen, this, &DynamoPage::showFrame);
    connect(d->calls, &CallPanes::followed, this, &DynamoPage::follow);
    connect(d->states, &StatePanes::stepChosen, this, &DynamoPage::goToStep);
    connect(d->states, &StatePanes::breakpointWanted, this,
            [this](const QString& condition) { breakpoints().add(condition); });
    connect(d->code, &CodePanes::stepChosen, this, &DynamoPage::goToStep);
    connect(d->tools, &StepTools::stepChosen, this, &DynamoPage::goToStep);
    connect(d->tabs, &RecordingTabs::stepChosen, this, &DynamoPage::goToStep);
    connect(d->tabs, &RecordingTabs::followed, this, &DynamoPage::follow);
    connect(d->runs, &BreakpointRun::arrived, this, &DynamoPage::goToStep);
    connect(d->runs, &BreakpointRun::said, d->answer, &QLabel::setText);
    connect(&breakpoints(), &BreakpointsModel::edited, this, &DynamoPage::breakpointsEdited);
    connect(d->questions, &RecordingQuestions::busyChanged, this, [this](bool busy) {
        setLoading(busy);
        emit stepped();
    });
    StepControls* controls = d->controls;
    connect(controls, &StepControls::recordingChosen, this, &DynamoPage::showRecording);
    connect(controls, &StepControls::commanded, this, &DynamoPage::run);
    connect(controls, &StepControls::happeningWanted, this, &DynamoPage::runTo);
    connect(controls, &StepControls::breakpointToggled, d->code, &CodePanes::toggleBreakpoint);
    connect(controls, &StepControls::conditionEntered, this, [this](bool back) {
        if (canStep()) d->runs->runUntil(d->recording, d->step, d->controls->condition(), back);
    });
    connect(controls, &StepControls::searchEdited, this, [this] {
        if (d->recording && d->recording->steps().size() <= answeredAtOnce)
            d->tools->search(d->controls->searched());
    });
    connect(controls, &StepControls::searchEntered, this,
            [this](bool back) { d->tools->searchOn(d->controls->searched(), back); });
}

void DynamoPage::connectLive() {
    connect(d->watch, &RecordingWatch::read, this, &DynamoPage::takeNewer);
    connect(d->live, &LiveControl::stopped, d->tabs, &RecordingTabs::showSteps);
    connect(d->live, &LiveControl::stoppedElsewhere, this, &DynamoPage::recordingWanted);
    connect(d->live, &LiveControl::changed, this, &DynamoPage::stepped);
}

void DynamoPage::applyDefaultSizes(int windowWidth) {
    const bool narrow = windowWidth < narrowWindow;
    const QList<int> parts[] = {narrow ? QList<int>{310, 230, 460} : QList<int>{380, 220, 400}, // main
                                {480, 420},                                                     // left
                                {440, 480},                                                     // right
                                {540, 460}, // graph, beside
                                {300, 600}};
    for (std::size_t i = 0; i < d->splits.size(); ++i)
        d->splits[i]->setSizes(parts[i]);
}

QByteArray DynamoPage::saveState() const {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream.setVersion(QDataStream::Qt_6_4);
    QList<QByteArray> splits;
    for (const QSplitter* split : d->splits)
        splits << split->saveState();
    stream << stateVersion << splits << qint32(d->tabs->currentIndex()) << qint32(d->tools->currentIndex())
           << qint32(d->states->currentIndex()) << d->graph->isText() << d->tools->asked();
    return bytes;
}

void DynamoPage::restoreState(const QByteArray& state) {
    QDataStream stream(state);
    stream.setVersion(QDataStream::Qt_6_4);
    quint32 version = 0;
    QList<QByteArray> splits;
    qint32 page = 0, tool = 0, tab = 0;
    bool text = false;
    QStringList asked;
    stream >> version;
    if (version != stateVersion) return;
    stream >> splits >> page >> tool >> tab >> text >> asked;
    if (stream.status() != QDataStream::Ok || std::size_t(splits.size()) != d->splits.size()) return;
    for (std::size_t i = 0; i < d->splits.size(); ++i)
        d->splits[i]->restoreState(splits[qsizetype(i)]);
    d->tabs->setCurrentIndex(page);
    d->tools->setCurrentIndex(tool);
    d->states->setCurrentIndex(tab);
    d->graph->setText(text);
    d->tools->setAsked(asked);
}

} // namespace dynascope::views
