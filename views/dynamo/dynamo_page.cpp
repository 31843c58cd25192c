// SPDX-License-Identifier: BSD-3-Clause
//
// What DynamoPage shows of a step.
#include "views/dynamo/dynamo_private.h"

#include "core/base/words.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/recorded_breaks.h"
#include "views/dynamo/break_story.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/partial_graph.h"
#include "views/dynamo/search_view.h"
#include "views/dynamo/state_model.h"
#include "views/dynamo/steps_strip.h"
#include "views/inspector/fact_view.h"
#include "views/models/labels.h"
#include "views/text/code_view.h"
#include "views/text/row_table.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTreeView>
#include <algorithm>
#include <set>

namespace dynascope::views {

namespace {

using dynamo::Direction;
using dynamo::noStep;
using dynamo::Recording;
using dynamo::StepIndex;

QString recordingName(const Recording& recording, int index) {
    return DynamoPage::tr("recording %1, %2")
        .arg(index + 1)
        .arg(countText(recording.steps().size(), DynamoPage::tr("step"), DynamoPage::tr("steps")));
}

/// The piece of source that holds a line of a file; null where none was recorded.
const dynamo::Source* sourceOf(const Recording& recording, const std::string& file, std::uint32_t line) {
    for (const dynamo::Source& source : recording.sources()) {
        if (source.file != file || line < source.firstLine) continue;
        const auto lines = std::uint32_t(std::count(source.text.begin(), source.text.end(), '\n')) + 1;
        if (line < source.firstLine + lines) return &source;
    }
    return nullptr;
}

CodeDocumentPtr numbered(const QString& text, Language language, int first) {
    const std::shared_ptr<CodeDocument> document = makeCodeDocument(text, language);
    for (CodeLine& line : document->lines)
        line.number = first++;
    return document;
}

CodeDocumentPtr instructionsOf(const dynamo::Code& code) {
    QString text;
    for (const dynamo::Instruction& instruction : code.instructions)
        text += QStringLiteral("%1 %2 %3\n")
                    .arg(instruction.offset, 5)
                    .arg(toQString(instruction.op).simplified(), -18)
                    .arg(toQString(instruction.text).simplified());
    const std::shared_ptr<CodeDocument> document = makeCodeDocument(text, Language::Plain);
    std::uint32_t line = 0;
    for (std::size_t i = 0; i < std::min(document->lines.size(), code.instructions.size()); ++i) {
        document->lines[i].number = code.instructions[i].line != line ? int(code.instructions[i].line) : 0;
        line = code.instructions[i].line;
    }
    return document;
}

} // namespace

DynamoPage::DynamoPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    build();
    connectParts();
    connectLive();
    connect(&workspace, &Workspace::placeChanged, this, [this](const Place& now) {
        // Back and forward, within what is shown: at once, since the next key may follow.
        const Workspace::Capture* capture = this->workspace().capture();
        const auto own = now.own.of<DynamoPlace>();
        const bool same = now.page == Page::Dynamo && d->recording && capture &&
                          capture->session == d->session && own.recording == d->index;
        if (same && own.step >= 0 && StepIndex(own.step) != d->step) adopt(StepIndex(own.step));
        if (!same) invalidate();
    });
}

DynamoPage::~DynamoPage() = default;

StepIndex DynamoPage::step() const {
    return d->step;
}
dynamo::RecordingPtr DynamoPage::recording() const {
    return d->recording;
}

void DynamoPage::refresh() {
    if (showNothingOpen()) return;
    const session::SessionPtr session = workspace().capture()->session;
    const auto place = workspace().place().own.of<DynamoPlace>();
    if (session->recordings.empty()) {
        d->session.reset();
        d->known.clear();
        d->recording.reset();
        emit stepped();
        showMessage(
            tr("This capture holds no recording of Dynamo's steps. File > Record... records a program, as "
               "does \"dynascope-cli capture -o DIR -- python script.py\"; then open DIR."));
        return;
    }
    showContent();
    if (session != d->session) {
        workspace().tasks().cancel(QStringLiteral("dynamo.run"));
        setBusy(false);
        d->session = session;
        d->known = session->recordings;
        d->recordings->clear();
        for (std::size_t i = 0; i < d->known.size(); ++i)
            d->recordings->addItem(recordingName(*d->known[i], int(i)));
        d->recordings->setVisible(d->known.size() > 1);
        showRecording(std::max(0, place.recording));
    } else if (place.recording >= 0 && place.recording != d->index) {
        showRecording(place.recording);
    }
    fillPage();
}

void DynamoPage::restyle() {
    d->console->restyle();
    if (d->recording) showStep();
}

void DynamoPage::showRecording(int index) {
    if (index < 0 || std::size_t(index) >= d->known.size() || d->busy) return;
    d->index = index;
    d->recordings->setCurrentIndex(index);
    d->recording = d->known[std::size_t(index)];
    forgetShown();
    d->graph->clear();
    d->answer->clear();
    d->search->setMessage({});
    d->strip->setRecording(d->recording);
    d->step = noStep;
    watchFiles();
    if (d->recording->steps().empty()) {
        // A program that waits before its first step is told what to do from here.
        if (!waitsHere()) showMessage(tr("The recording has no steps: nothing was compiled while it ran."));
        return;
    }
    const auto place = workspace().place().own.of<DynamoPlace>();
    if (place.recording == index && place.step >= 0 && std::size_t(place.step) < d->recording->steps().size())
        return adopt(StepIndex(place.step));
    if (awaitLive()) return adopt(StepIndex(d->recording->steps().size() - 1));
    // Where the first graph broke is what most people want to see.
    const StepIndex broken =
        dynamo::runTo(*d->recording, noStep, dynamo::Happening::GraphBreak, Direction::Forward);
    adopt(broken == noStep ? 0 : broken);
    fillPage();
}

/// What was made for the recording that was shown before.
void DynamoPage::forgetShown() {
    d->covered = nullptr;
    d->coverage.clear();
    d->shownCode = d->storyAttempt = UINT32_MAX;
    d->shownSource = nullptr;
    d->stateRows = newestRows;
}

void DynamoPage::goToStep(StepIndex step) {
    if (!canStep() || step == noStep || step >= d->recording->steps().size()) return;
    const bool neighbour = d->step != noStep && (step == d->step + 1 || step + 1 == d->step);
    const bool remember = !(neighbour && d->walking);
    d->walking = neighbour;
    d->answer->clear();
    // A place that is gone back to must say where it was.
    Place place = workspace().place();
    if (place.page == Page::Dynamo && place.own.of<DynamoPlace>().step < 0) {
        place.own.set(DynamoPlace{d->index, int(d->step)});
        workspace().go(place, false);
    }
    adopt(step);
    if (place.page != Page::Dynamo) return;
    place.own.set(DynamoPlace{d->index, int(step)});
    workspace().go(place, remember);
}

void DynamoPage::adopt(StepIndex step) {
    if (!d->recording || d->busy || step >= d->recording->steps().size()) return;
    d->step = step;
    d->level = 0;
    showStep();
    emit stepped();
}

void DynamoPage::showFrame(std::size_t level) {
    if (!canStep() || level >= d->callSteps.size()) return;
    d->level = level;
    showState();
    showSource();
    showBytecode();
}

void DynamoPage::showStep() {
    if (!canStep()) return;
    const dynamo::FrameInfo& frame = d->recording->frames()[d->recording->steps()[d->step].frame];
    d->covered = &d->coverage.try_emplace(frame.attempt, *d->recording, frame.attempt).first->second;
    d->strip->setStep(d->step);
    d->console->setPlace(d->recording, d->step);
    d->search->setStep(d->step);
    const dynamo::Instruction* instruction = d->recording->instructionAt(d->step);
    QString caption =
        instruction
            ? QStringLiteral("%1 %2").arg(toQString(instruction->op), toQString(instruction->text)).trimmed()
            : tr("instruction not recorded");
    if (const QString what = happeningsText(*d->recording, d->step); !what.isEmpty())
        caption += QStringLiteral(": ") + what;
    d->caption->setToolTip(plainToolTip(caption));
    d->caption->setText(caption);
    showStory();
    showGraph();
    showCalls();
    showState();
    showSource();
    showBytecode();
}

void DynamoPage::showState() {
    std::vector<StateSection> sections = stateSections(*d->recording, d->step, d->level, d->stateRows);
    std::vector<StateSection> changes = changedSections(sections);
    std::vector<StateSection> symbols = symbolSections(*d->recording, d->step, d->stateRows);
    std::size_t changed = 0, known = 0;
    for (StateSection& section : changedSections(symbols))
        changes.push_back(std::move(section));
    for (const StateSection& section : changes)
        changed += section.rows.size();
    for (const StateSection& section : symbols)
        known += section.count();
    d->states->setTabText(1, tr("Changes %1").arg(changed));
    d->states->setTabText(2, tr("Symbols and facts %1").arg(known));
    d->model->setSections(std::move(sections));
    d->changesModel->setSections(std::move(changes));
    d->symbolsModel->setSections(std::move(symbols));
    widenColumns();
}

/// As wide as what was ever in sight, so that they stand still from step to step.
void DynamoPage::widenColumns() {
    auto* view = qobject_cast<QTreeView*>(d->states->currentWidget());
    if (!view) return;
    for (const auto& [column, widest] : {std::pair(StateModel::Name, 150), std::pair(StateModel::Kind, 150),
                                         std::pair(StateModel::Text, 280)}) {
        const int before = view->columnWidth(column);
        view->resizeColumnToContents(column);
        view->setColumnWidth(column,
                             std::max(before, std::min(view->columnWidth(column), theme().scaled(widest))));
    }
}

/// The code of the frame that is shown, and where it stands.
const dynamo::Code* DynamoPage::shownFrame(std::uint32_t& code, std::uint32_t& instruction) const {
    const dynamo::StepInfo& step = d->recording->steps()[d->step];
    code = d->recording->frames()[step.frame].code;
    instruction = step.instruction;
    if (d->level > 0)
        if (const dynamo::State* state = d->recording->stateAt(d->step)) {
            const std::vector<const dynamo::FrameState*> frames = dynamo::callStack(*state);
            if (d->level < frames.size()) {
                code = frames[d->level]->code;
                instruction = frames[d->level]->instruction;
            }
        }
    return d->recording->code(code);
}

void DynamoPage::showSource() {
    std::uint32_t id = 0, index = 0;
    const dynamo::Code* code = shownFrame(id, index);
    if (!code) return d->source->clear();
    const std::uint32_t line = index < code->instructions.size() && code->instructions[index].line > 0
                                   ? code->instructions[index].line
                                   : code->firstLine;
    const dynamo::Source* source = sourceOf(*d->recording, code->file, line);
    d->sourceTitle->setText(toQString(baseName(code->file)));
    d->sourceTitle->setToolTip(plainToolTip(toQString(code->file)));
    if (source != d->shownSource || !source) {
        d->shownSource = source;
        CodeView::Options options;
        options.emptyText = tr("The source of %1 was not recorded.").arg(toQString(code->file));
        d->source->setDocument(numbered(source ? toQString(source->text) : QString(), Language::Python,
                                        source ? int(source->firstLine) : 1),
                               options);
    }
    if (!source) return;
    std::set<int> covered;
    for (const auto& [at, first] : d->covered->lines(code->file))
        if (first <= d->step && at >= source->firstLine) covered.insert(int(at - source->firstLine));
    d->source->setHighlight(0, {int(line - source->firstLine)}, std::move(covered));
    d->source->reveal(0, int(line - source->firstLine));
    showSourceMarks();
}

void DynamoPage::showSourceMarks() {
    if (!d->shownSource || !d->recording) return;
    QHash<int, GutterMark> marks;
    // Where the attempt stops, as far as it is known; the reader's own marks go over it.
    if (d->storyEnd != noStep)
        if (const dynamo::Instruction* instruction = d->recording->instructionAt(d->storyEnd);
            instruction && d->recording->steps()[d->storyEnd].has(dynamo::Happening::GraphBreak)) {
            const dynamo::Code& code =
                d->recording->codeOf(d->recording->frames()[d->recording->steps()[d->storyEnd].frame]);
            if (code.file == d->shownSource->file && instruction->line >= d->shownSource->firstLine) {
                GutterMark mark;
                mark.icon = QStringLiteral("scissors");
                mark.strong = true;
                mark.toolTip = tr("The graph breaks here, at step %1").arg(d->storyEnd);
                marks.insert(int(instruction->line - d->shownSource->firstLine), mark);
            }
        }
    std::set<std::uint32_t> off;
    for (const std::uint32_t line : d->breakpoints->model().linesOf(d->shownSource->file, &off)) {
        if (line < d->shownSource->firstLine) continue;
        GutterMark mark;
        mark.icon = QStringLiteral("pin");
        mark.strong = !off.contains(line);
        mark.toolTip =
            off.contains(line) ? tr("Breakpoint, switched off") : tr("Breakpoint; F9 takes it away");
        marks.insert(int(line - d->shownSource->firstLine), mark);
    }
    d->source->setMarks(0, std::move(marks));
}

void DynamoPage::showBytecode() {
    std::uint32_t id = 0, index = 0;
    const dynamo::Code* code = shownFrame(id, index);
    if (!code) return d->bytecode->clear();
    d->codeTitle->setText(toQString(code->qualname.empty() ? code->name : code->qualname));
    if (id != d->shownCode) {
        d->shownCode = id;
        CodeView::Options options;
        options.emptyText = tr("The instructions of this frame were not recorded.");
        d->bytecode->setDocument(instructionsOf(*code), options);
    }
    std::set<int> covered;
    QHash<int, GutterMark> marks;
    const dynamo::StepCoverage::Firsts& firsts = d->covered->instructions(id);
    for (const auto& [at, first] : firsts) {
        if (first <= d->step) covered.insert(int(at));
        const dynamo::StepInfo& info = d->recording->steps()[first];
        GutterMark mark;
        const auto events = d->recording->eventsAt(first);
        if (info.has(dynamo::Happening::GraphBreak) ||
            std::any_of(events.begin(), events.end(), [&](std::uint32_t event) {
                return dynamo::endsFrame(*d->recording, d->recording->events()[event]);
            })) {
            mark.icon = QStringLiteral("scissors");
            mark.strong = true;
        } else if (info.has(dynamo::Happening::Exception)) {
            mark.icon = QStringLiteral("warning"); // caught: tracing went on
        } else if (info.has(dynamo::Happening::Node)) {
            mark.icon = QStringLiteral("plus");
        } else if (info.has(dynamo::Happening::Guard)) {
            mark.icon = QStringLiteral("guard");
        } else {
            continue;
        }
        mark.toolTip = happeningsText(*d->recording, first);
        marks.insert(int(at), mark);
    }
    d->codeNote->setText(tr("%1 of %2 traced").arg(covered.size()).arg(code->instructions.size()));
    d->bytecode->setMarks(0, std::move(marks));
    d->bytecode->setHighlight(0, {int(index)}, std::move(covered));
    d->bytecode->reveal(0, int(index));
}

void DynamoPage::showGraph() {
    d->graph->setStep(d->recording, d->step);
    QString text = countText(d->graph->nodes(), tr("node"), tr("nodes"));
    if (d->graph->added() > 0) text += QStringLiteral(", +%1").arg(d->graph->added());
    d->graphNote->setText(text);
}

void DynamoPage::showCalls() {
    std::vector<TableRow> rows;
    d->callSteps.clear();
    if (const dynamo::State* state = d->recording->stateAt(d->step))
        for (const dynamo::FrameState* frame : dynamo::callStack(*state)) {
            const dynamo::Code* code = d->recording->code(frame->code);
            const QString place = code ? toQString(baseName(code->file)) + u':' +
                                             QString::number(dynamo::lineOf(*d->recording, *frame))
                                       : QString();
            const QString name = code ? toQString(code->name) : tr("unknown code");
            const bool inlined = frame->parent != 0;
            QStringList tip{inlined ? tr("Inlined by Dynamo into the frame below")
                                    : tr("The frame that is compiled")};
            if (code) tip << toQString(code->qualname) << toQString(code->file);
            rows.push_back({{inlined ? QStringLiteral("\u21b3 ") + name : name,
                             rows.empty() ? TableCell::Look::Strong : TableCell::Look::Text, Tone::None,
                             tip.join(u'\n')},
                            {place, TableCell::Look::MonoQuiet}});
            d->callSteps.push_back(frame->step);
        }
    d->calls->setRows(std::move(rows));
    d->calls->select(int(d->level));
}

void DynamoPage::showStory() {
    const std::uint32_t attempt = d->recording->frames()[d->recording->steps()[d->step].frame].attempt;
    const StepIndex end = endOfGraph(*d->recording, d->step);
    if (attempt == d->storyAttempt && end == d->storyEnd) return;
    d->storyAttempt = attempt;
    d->storyEnd = end;
    d->story->setFacts(breakStory(*d->recording, attempt, end));
}

} // namespace dynascope::views
