// SPDX-License-Identifier: BSD-3-Clause
//
// How DynamoPage goes from step to step: commands, menus, breakpoints, search.
#include "core/dynamo/describe.h"
#include "views/canvas/graph_canvas.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/breaks_view.h"
#include "views/dynamo/cache_view.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/dynamo_private.h"
#include "views/dynamo/effects_view.h"
#include "views/dynamo/generated_view.h"
#include "views/dynamo/key_view.h"
#include "views/dynamo/live_bar.h"
#include "views/dynamo/partial_graph.h"
#include "views/dynamo/search_view.h"
#include "views/dynamo/state_model.h"
#include "views/dynamo/steps_strip.h"
#include "views/dynamo/symbol_names_view.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/models/labels.h"
#include "views/text/code_view.h"
#include "views/text/row_table.h"

#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTabWidget>
#include <QTreeView>
#include <algorithm>

namespace dynascope::views {

namespace {

using dynamo::Direction;
using dynamo::noStep;
using dynamo::Recording;
using dynamo::StepIndex;

bool shiftIsDown() {
    return QGuiApplication::keyboardModifiers() & Qt::ShiftModifier;
}

StepIndex target(const Recording& recording, StepIndex at, StepCommand command) {
    switch (command) {
    case StepCommand::First:
        return 0;
    case StepCommand::Last:
        return StepIndex(recording.steps().size() - 1);
    case StepCommand::Over:
        return dynamo::stepOver(recording, at, Direction::Forward);
    case StepCommand::BackOver:
        return dynamo::stepOver(recording, at, Direction::Back);
    case StepCommand::In:
        return dynamo::stepIn(recording, at, Direction::Forward);
    case StepCommand::BackIn:
        return dynamo::stepIn(recording, at, Direction::Back);
    case StepCommand::Out:
        return dynamo::stepOut(recording, at, Direction::Forward);
    case StepCommand::BackOut:
        return dynamo::stepOut(recording, at, Direction::Back);
    case StepCommand::Line:
        return dynamo::stepLine(recording, at, Direction::Forward);
    case StepCommand::BackLine:
        return dynamo::stepLine(recording, at, Direction::Back);
    case StepCommand::Run:
        return dynamo::runTo(recording, at, dynamo::Happening::GraphBreak, Direction::Forward);
    case StepCommand::BackRun:
        return dynamo::runTo(recording, at, dynamo::Happening::GraphBreak, Direction::Back);
    }
    return noStep;
}

} // namespace

StepsStrip* DynamoPage::strip() const {
    return d->strip;
}
CodeView* DynamoPage::source() const {
    return d->source;
}
CodeView* DynamoPage::bytecode() const {
    return d->bytecode;
}
PartialGraph* DynamoPage::graph() const {
    return d->graph;
}
QTreeView* DynamoPage::state() const {
    return d->state;
}
QTreeView* DynamoPage::changes() const {
    return d->changes;
}
QTreeView* DynamoPage::symbols() const {
    return d->symbols;
}
QTabWidget* DynamoPage::stateTabs() const {
    return d->states;
}
QTabWidget* DynamoPage::tools() const {
    return d->tools;
}
RowTable* DynamoPage::callStack() const {
    return d->calls;
}
FactView* DynamoPage::story() const {
    return d->story;
}
BreakpointsView* DynamoPage::breakpoints() const {
    return d->breakpoints;
}
SearchView* DynamoPage::search() const {
    return d->search;
}
QLineEdit* DynamoPage::searchField() const {
    return d->searchField;
}
QLineEdit* DynamoPage::condition() const {
    return d->condition;
}
ConsoleView* DynamoPage::console() const {
    return d->console;
}
QString DynamoPage::caption() const {
    return d->caption->text();
}
QString DynamoPage::answer() const {
    return d->answer->text();
}

QTabWidget* DynamoPage::pages() const {
    return d->pages;
}
RecordedBreaksView* DynamoPage::breaks() const {
    return d->breaks;
}
CacheView* DynamoPage::cache() const {
    return d->cache;
}
KeyView* DynamoPage::keys() const {
    return d->keys;
}
GeneratedView* DynamoPage::generated() const {
    return d->generated;
}
EffectsView* DynamoPage::effects() const {
    return d->effects;
}
SymbolNamesView* DynamoPage::symbolNames() const {
    return d->names;
}

bool DynamoPage::canStep() const {
    return d->recording && !d->busy && d->step != noStep;
}

bool DynamoPage::canRun(StepCommand command) const {
    if (liveCommand(command)) return true;
    if (!canStep()) return false;
    switch (command) {
    case StepCommand::First:
    case StepCommand::BackOver:
    case StepCommand::BackIn:
    case StepCommand::BackOut:
    case StepCommand::BackLine:
    case StepCommand::BackRun:
        return d->step > 0;
    default:
        return !isAtEnd();
    }
}

void DynamoPage::focusFilter() {
    d->searchField->setFocus(Qt::ShortcutFocusReason);
    d->searchField->selectAll();
}

void DynamoPage::connectParts() {
    connect(d->strip, &StepsStrip::stepChosen, this, &DynamoPage::goToStep);
    connect(d->graph, &PartialGraph::stepChosen, this, &DynamoPage::goToStep);
    connect(d->search, &SearchView::stepChosen, this, &DynamoPage::goToStep);
    connect(d->recordings, &QComboBox::activated, this, &DynamoPage::showRecording);
    for (QTreeView* view : {d->state, d->changes, d->symbols}) {
        const auto* model = qobject_cast<StateModel*>(view->model());
        connect(view, &QTreeView::activated, this, [this, model](const QModelIndex& index) {
            const StateRow* row = model->row(index);
            if (!row) return;
            if (!row->more) return goToStep(row->from);
            d->stateRows = SIZE_MAX;
            showState();
        });
        connect(view, &QTreeView::customContextMenuRequested, this,
                [this, view](const QPoint& position) { stateMenu(view, position); });
    }
    connect(d->calls, &RowTable::rowSelected, this,
            [this](int row) { showFrame(std::size_t(std::max(0, row))); });
    connect(d->calls, &RowTable::rowActivated, this, [this](int row) {
        if (row >= 0 && std::size_t(row) < d->callSteps.size()) goToStep(d->callSteps[std::size_t(row)]);
    });
    connect(d->source, &CodeView::lineClicked, this, [this](int, int line, int, Qt::KeyboardModifiers) {
        if (!d->shownSource || !d->covered) return;
        const auto& firsts = d->covered->lines(d->shownSource->file);
        const auto found = firsts.find(d->shownSource->firstLine + std::uint32_t(line));
        if (found != firsts.end()) goToStep(found->second);
    });
    connect(d->bytecode, &CodeView::lineClicked, this, [this](int, int line, int, Qt::KeyboardModifiers) {
        if (!d->covered) return;
        const auto& firsts = d->covered->instructions(d->shownCode);
        if (const auto found = firsts.find(std::uint32_t(line)); found != firsts.end())
            goToStep(found->second);
    });
    d->source->extendMenu = [this](QMenu& menu, int, int line) { extendSourceMenu(menu, line); };
    d->bytecode->extendMenu = [this](QMenu& menu, int, int line) { extendBytecodeMenu(menu, line); };
    d->graph->view()->extendMenu = [this](QMenu& menu, int, int line) {
        extendGraphMenu(menu, d->graph->stepOfLine(line));
    };
    connect(d->graph->canvas(), &canvas::GraphCanvas::menuAboutToShow, this,
            [this](QMenu* menu, int item) { extendGraphMenu(*menu, d->graph->stepOfItem(item)); });
    connect(d->story, &FactView::followed, this, &DynamoPage::followStory);
    connect(d->breaks, &RecordedBreaksView::followed, this, &DynamoPage::followStory);
    const auto goFromPage = [this](StepIndex step) {
        d->pages->setCurrentIndex(0);
        goToStep(step);
    };
    connect(d->cache, &CacheView::stepChosen, this, goFromPage);
    connect(d->keys, &KeyView::stepChosen, this, goFromPage);
    connect(d->effects, &EffectsView::stepChosen, this, goFromPage);
    connect(d->generated, &GeneratedView::instructionChosen, this, &DynamoPage::goToInstruction);
    connect(d->pages, &QTabWidget::currentChanged, this, &DynamoPage::fillPage);
    const auto edited = [this] {
        showSourceMarks();
        d->tools->setTabText(2, d->breakpoints->model().rowCount() == 0
                                    ? tr("Breakpoints")
                                    : tr("Breakpoints %1").arg(d->breakpoints->model().rowCount()));
    };
    connect(&d->breakpoints->model(), &BreakpointsModel::edited, this, edited);
    connect(&d->breakpoints->model(), &BreakpointsModel::modelReset, this, edited);
    connect(&d->breakpoints->model(), &BreakpointsModel::edited, this, &DynamoPage::breakpointsEdited);
    connect(d->condition, &QLineEdit::returnPressed, this, [this] { runUntilCondition(shiftIsDown()); });
    connect(d->searchField, &QLineEdit::textEdited, this, [this] {
        if (d->recording && d->recording->steps().size() <= answeredAtOnce) runSearch();
    });
    connect(d->searchField, &QLineEdit::returnPressed, this, [this] {
        if (d->search->hits().empty()) runSearch();
        if (!d->busy && d->step != noStep) goToStep(d->search->neighbour(d->step, shiftIsDown()));
    });
}

void DynamoPage::run(StepCommand command) {
    if (const auto told = liveCommand(command)) return d->live->send(*told);
    if (!canStep()) return;
    const StepIndex to = target(*d->recording, d->step, command);
    if (command == StepCommand::Run || command == StepCommand::BackRun) {
        const bool back = command == StepCommand::BackRun;
        return runBreakpoints(d->breakpoints->model().enabled(), to,
                              back ? Direction::Back : Direction::Forward,
                              back ? tr("no breakpoint or graph break before this step")
                                   : tr("no breakpoint or graph break after this step"));
    }
    goToStep(to);
}

void DynamoPage::runTo(dynamo::Happening what, Direction direction) {
    if (!canStep()) return;
    const StepIndex to = dynamo::runTo(*d->recording, d->step, what, direction);
    if (to == noStep) return d->answer->setText(tr("none in that direction"));
    goToStep(to);
}

void DynamoPage::setBusy(bool busy) {
    d->busy = busy;
    d->console->setEnabled(!busy);
    setLoading(busy);
    emit stepped();
}

void DynamoPage::runBreakpoints(std::vector<dynamo::Breakpoint> points, StepIndex orElse, Direction direction,
                                const QString& none) {
    d->answer->clear();
    QStringList missing;
    for (const dynamo::Breakpoint& point : points)
        if (const dynamo::Condition* condition = point.condition())
            for (const std::string& name : condition->unknown(*d->recording))
                missing << tr("the recording has no %1").arg(toQString(name));
    missing.removeDuplicates();
    const QString nowhere = (QStringList(none) + missing).join(QLatin1String("; "));
    /// The nearer of what was found and the step that was known before.
    const auto arrive = [this, orElse, direction, nowhere](const dynamo::Halt& halt, const QString& where) {
        const bool known =
            orElse != noStep && (halt.step == noStep ||
                                 (direction == Direction::Forward ? orElse < halt.step : orElse > halt.step));
        const StepIndex step = known ? orElse : halt.step;
        if (step == noStep) return d->answer->setText(nowhere);
        goToStep(step);
        if (!known) d->answer->setText(where);
    };
    const auto wordsOf = [](const std::vector<dynamo::Breakpoint>& of, const dynamo::Halt& halt) {
        return halt.step != noStep ? tr("halts at %1").arg(toQString(of[halt.breakpoint].text())) : QString();
    };
    const bool quick = std::none_of(points.begin(), points.end(), [](const dynamo::Breakpoint& point) {
        return point.condition() != nullptr;
    });
    if (quick) {
        const auto found = dynamo::runToBreakpoint(*d->recording, d->step, points, direction);
        return arrive(found.value_or(dynamo::Halt{}), found ? wordsOf(points, *found) : QString());
    }
    setBusy(true);
    using Found = Result<dynamo::Halt>;
    workspace().tasks().run<Found>(
        QStringLiteral("dynamo.run"), this,
        [recording = d->recording, from = d->step, points, direction](const TaskContext& task) {
            return dynamo::runToBreakpoint(*recording, from, points, direction, task);
        },
        [this, arrive, wordsOf, points](Found found) {
            setBusy(false);
            if (!found) return d->answer->setText(toQString(found.error().toString()));
            arrive(*found, wordsOf(points, *found));
        });
}

void DynamoPage::runUntilCondition(bool back) {
    if (!canStep() || d->condition->text().trimmed().isEmpty()) return;
    Result<dynamo::Breakpoint> point = dynamo::Breakpoint::parse(d->condition->text().toStdString());
    if (!point) return d->answer->setText(toQString(point.error().toString()));
    runBreakpoints({*point}, noStep, back ? Direction::Back : Direction::Forward,
                   back ? tr("at no step before this one") : tr("at no step after this one"));
}

void DynamoPage::runSearch() {
    const QString text = d->searchField->text().trimmed();
    if (!d->recording || d->busy) return;
    if (text.isEmpty()) return d->search->setMessage({});
    d->tools->setCurrentWidget(d->search);
    const auto show = [this, text](Result<dynamo::SearchResult> found) {
        if (!found) return d->search->setMessage(toQString(found.error().toString()));
        d->search->setResult(text, std::move(*found));
        d->search->setStep(d->step);
    };
    ask<Result<dynamo::SearchResult>>(
        [wanted = text.toStdString()](const Recording& recording, const TaskContext& task) {
            return dynamo::searchRecording(recording, wanted, task);
        },
        show);
}

void DynamoPage::fillPage() {
    if (!d->recording || d->busy) return;
    const QWidget* page = d->pages->currentWidget();
    if (page == d->breaks && d->breaksOf != d->recording) {
        d->breaksOf = d->recording;
        using Breaks = Result<std::vector<dynamo::RecordedBreak>>;
        ask<Breaks>([](const Recording& recording,
                       const TaskContext& task) { return dynamo::recordedBreaks(recording, task); },
                    [this](Breaks breaks) {
                        d->breaks->setBreaks(breaks ? std::move(*breaks)
                                                    : std::vector<dynamo::RecordedBreak>());
                    });
    } else if (page == d->cache && d->cacheOf != d->recording) {
        d->cacheOf = d->recording;
        d->cache->setRecording(d->recording);
    } else if (page == d->keys && d->keysOf != d->recording) {
        d->keysOf = d->recording;
        using Questions = std::vector<dynamo::CacheQuestion>;
        ask<Questions>(
            [](const Recording& recording, const TaskContext&) { return dynamo::cacheQuestions(recording); },
            [this](Questions questions) { d->keys->setQuestions(d->recording, std::move(questions)); });
    } else if (page == d->generated && d->generatedOf != d->recording) {
        d->generatedOf = d->recording;
        using Codes = std::vector<dynamo::GeneratedCode>;
        ask<Codes>(
            [](const Recording& recording, const TaskContext&) { return dynamo::generatedCodes(recording); },
            [this](Codes codes) { d->generated->setCodes(d->recording, std::move(codes)); });
    } else if (page == d->effects && d->effectsOf != d->recording) {
        d->effectsOf = d->recording;
        ask<EffectReports>(
            [](const Recording& recording, const TaskContext&) {
                return EffectReports{dynamo::sideEffects(recording), dynamo::refusedEffects(recording)};
            },
            [this](EffectReports reports) { d->effects->setReports(d->recording, std::move(reports)); });
    } else if (page == d->names) {
        d->names->refresh();
    }
}

/// To the first step of an instruction, in the last attempt of a compile.
void DynamoPage::goToInstruction(std::uint32_t code, std::uint32_t instruction, std::uint32_t compile) {
    if (!canStep()) return;
    const auto& attempts = d->recording->attempts();
    for (std::size_t i = attempts.size(); i-- > 0;) {
        if (compile < d->recording->compiles().size() && attempts[i].compile != compile &&
            (attempts[i].compile != UINT32_MAX ||
             attempts[i].compileId != d->recording->compiles()[compile].id))
            continue;
        const dynamo::StepCoverage coverage(*d->recording, std::uint32_t(i));
        const auto& firsts = coverage.instructions(code);
        const auto found = firsts.find(instruction);
        if (found == firsts.end()) continue;
        d->pages->setCurrentIndex(0);
        return goToStep(found->second);
    }
    d->generated->tell(tr("no step traced this instruction"));
}

void DynamoPage::followStory(const QString& link) {
    if (!link.startsWith(QLatin1String("step:"))) return followLink(workspace(), link);
    d->pages->setCurrentIndex(0);
    goToStep(StepIndex(link.sliced(5).toUInt()));
}

void DynamoPage::toggleBreakpoint() {
    int line = d->source->currentLine();
    if (const std::set<int>& here = d->source->selectedLines(0); line < 0 && !here.empty())
        line = *here.begin();
    if (!d->shownSource || line < 0) return;
    d->breakpoints->model().toggleLine(toQString(d->shownSource->file),
                                       d->shownSource->firstLine + std::uint32_t(line));
}

void DynamoPage::extendSourceMenu(QMenu& menu, int line) {
    if (!canStep() || !d->shownSource) return;
    const std::string file = d->shownSource->file;
    const std::uint32_t at = d->shownSource->firstLine + std::uint32_t(line);
    menu.addSeparator();
    for (const Direction direction : {Direction::Forward, Direction::Back}) {
        const StepIndex step = dynamo::runToLine(*d->recording, d->step, file, at, direction);
        QAction* action = menu.addAction(direction == Direction::Forward ? tr("Run to this line")
                                                                         : tr("Run back to this line"));
        action->setEnabled(step != noStep);
        connect(action, &QAction::triggered, this, [this, step] { goToStep(step); });
    }
    connect(menu.addAction(tr("Breakpoint at this line")), &QAction::triggered, this,
            [this, file, at] { d->breakpoints->model().toggleLine(toQString(file), at); });
}

void DynamoPage::extendBytecodeMenu(QMenu& menu, int line) {
    if (!canStep()) return;
    menu.addSeparator();
    for (const Direction direction : {Direction::Forward, Direction::Back}) {
        const StepIndex step =
            dynamo::runToInstruction(*d->recording, d->step, d->shownCode, std::uint32_t(line), direction);
        QAction* action =
            menu.addAction(direction == Direction::Forward ? tr("Run to this instruction")
                                                           : tr("Run back to this instruction"));
        action->setEnabled(step != noStep);
        connect(action, &QAction::triggered, this, [this, step] { goToStep(step); });
    }
}

void DynamoPage::extendGraphMenu(QMenu& menu, StepIndex step) {
    if (!canStep() || step == noStep) return;
    menu.addSeparator();
    connect(menu.addAction(tr("Go to the step that made it")), &QAction::triggered, this,
            [this, step] { goToStep(step); });
}

void DynamoPage::stateMenu(QTreeView* view, const QPoint& position) {
    const QModelIndex index = view->indexAt(position);
    const StateRow* row = qobject_cast<StateModel*>(view->model())->row(index);
    QMenu menu;
    for (QAction* action : view->actions())
        menu.addAction(action);
    if (row && canStep()) {
        if (row->from != noStep) {
            menu.addSeparator();
            connect(menu.addAction(tr("Go to step %1").arg(row->from)), &QAction::triggered, this,
                    [this, step = row->from] { goToStep(step); });
        }
        if (!row->condition.isEmpty())
            connect(menu.addAction(tr("Add breakpoint: %1").arg(row->condition)), &QAction::triggered, this,
                    [this, condition = row->condition] { d->breakpoints->model().add(condition); });
    }
    if (!menu.isEmpty()) menu.exec(view->viewport()->mapToGlobal(position));
}

} // namespace dynascope::views
