// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/dynamo_private.h"

#include "core/dynamo/condition.h"
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/state_model.h"
#include "views/dynamo/steps_strip.h"
#include "views/models/labels.h"
#include "views/text/code_view.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
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
        const auto lines = std::uint32_t(std::count(source.text.begin(), source.text.end(), '\n')) + 1;
        if (source.file == file && line >= source.firstLine && line < source.firstLine + lines)
            return &source;
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
    connect(&workspace, &Workspace::placeChanged, this, &DynamoPage::invalidate);
    connect(d->strip, &StepsStrip::stepChosen, this, &DynamoPage::goToStep);
    connect(d->recordings, &QComboBox::activated, this, &DynamoPage::showRecording);
    connect(d->state, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const StateRow* row = d->model->row(index)) goToStep(row->from);
    });
    connect(d->source, &CodeView::lineClicked, this, [this](int, int line, int, Qt::KeyboardModifiers) {
        if (!d->shownSource || !d->recording) return;
        const auto at = d->shownSource->firstLine + std::uint32_t(line);
        const auto& firsts = d->coverage.lines(d->shownSource->file);
        if (const auto found = firsts.find(at); found != firsts.end()) goToStep(found->second);
    });
    connect(d->bytecode, &CodeView::lineClicked, this, [this](int, int line, int, Qt::KeyboardModifiers) {
        const auto& firsts = d->coverage.instructions(d->shownCode);
        if (const auto found = firsts.find(std::uint32_t(line)); found != firsts.end())
            goToStep(found->second);
    });
}

DynamoPage::~DynamoPage() = default;

StepIndex DynamoPage::step() const {
    return d->step;
}
StepsStrip* DynamoPage::strip() const {
    return d->strip;
}
CodeView* DynamoPage::source() const {
    return d->source;
}
CodeView* DynamoPage::bytecode() const {
    return d->bytecode;
}
CodeView* DynamoPage::graph() const {
    return d->graph;
}
QTreeView* DynamoPage::state() const {
    return d->state;
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

void DynamoPage::refresh() {
    if (showNothingOpen()) return;
    const session::SessionPtr session = workspace().capture()->session;
    if (session->recordings.empty()) {
        d->session.reset();
        d->recording.reset();
        showMessage(tr("This capture holds no recording of Dynamo's steps. \"dynascope-cli capture -o DIR -- "
                       "python script.py\" "
                       "records a program; then open DIR."));
        return;
    }
    showContent();
    if (session == d->session) return;
    workspace().tasks().cancel(QStringLiteral("dynamo.until"));
    d->searching = false;
    d->console->setEnabled(true);
    setLoading(false);
    d->session = session;
    d->recordings->clear();
    for (std::size_t i = 0; i < session->recordings.size(); ++i)
        d->recordings->addItem(recordingName(*session->recordings[i], int(i)));
    d->recordings->setVisible(session->recordings.size() > 1);
    showRecording(0);
}

void DynamoPage::restyle() {
    d->console->restyle();
    if (d->recording) showStep();
}

void DynamoPage::showRecording(int index) {
    if (!d->session || index < 0 || std::size_t(index) >= d->session->recordings.size() || d->searching)
        return;
    d->recording = d->session->recordings[std::size_t(index)];
    d->coveredAttempt = UINT32_MAX;
    d->shownSource = nullptr;
    d->shownCode = UINT32_MAX;
    d->answer->clear();
    d->strip->setRecording(d->recording);
    d->step = noStep;
    if (d->recording->steps().empty()) {
        showMessage(tr("The recording has no steps: nothing was compiled while it ran."));
        return;
    }
    // Where the first graph broke is what most people want to see.
    const StepIndex broken =
        dynamo::runTo(*d->recording, noStep, dynamo::Happening::GraphBreak, Direction::Forward);
    goToStep(broken == noStep ? 0 : broken);
}

void DynamoPage::goToStep(StepIndex step) {
    if (!d->recording || d->searching || step == noStep || step >= d->recording->steps().size()) return;
    d->step = step;
    showStep();
}

void DynamoPage::showStep() {
    if (d->step == noStep || d->searching) return;
    const dynamo::FrameInfo& frame = d->recording->frames()[d->recording->steps()[d->step].frame];
    if (frame.attempt != d->coveredAttempt) {
        d->coverage = StepCoverage(*d->recording, frame.attempt);
        d->coveredAttempt = frame.attempt;
    }
    d->strip->setStep(d->step);
    d->console->setPlace(d->recording, d->step);
    const dynamo::Instruction* instruction = d->recording->instructionAt(d->step);
    QString caption =
        instruction
            ? QStringLiteral("%1 %2").arg(toQString(instruction->op), toQString(instruction->text)).trimmed()
            : tr("instruction not recorded");
    if (const QString what = happeningsText(*d->recording, d->step); !what.isEmpty())
        caption += QStringLiteral(": ") + what;
    d->caption->setToolTip(caption.toHtmlEscaped());
    d->caption->setText(caption);
    d->model->setSections(stateSections(*d->recording, d->step));
    d->state->expandAll();
    for (const auto& [column, widest] : {std::pair(StateModel::Name, 150), std::pair(StateModel::Kind, 150),
                                         std::pair(StateModel::Text, 280)}) {
        d->state->resizeColumnToContents(column);
        d->state->setColumnWidth(column, std::min(d->state->columnWidth(column), theme().scaled(widest)));
    }
    showSource();
    showBytecode();
    showGraph();
}

void DynamoPage::showSource() {
    const dynamo::FrameInfo& frame = d->recording->frames()[d->recording->steps()[d->step].frame];
    const dynamo::Code& code = d->recording->codeOf(frame);
    const dynamo::Instruction* instruction = d->recording->instructionAt(d->step);
    const std::uint32_t line = instruction && instruction->line > 0 ? instruction->line : code.firstLine;
    const dynamo::Source* source = sourceOf(*d->recording, code.file, line);
    d->sourceTitle->setText(toQString(code.file).section(u'/', -1));
    d->sourceTitle->setToolTip(toQString(code.file).toHtmlEscaped());
    if (source != d->shownSource || !source) {
        d->shownSource = source;
        CodeView::Options options;
        options.emptyText = tr("The source of %1 was not recorded.").arg(toQString(code.file));
        d->source->setDocument(numbered(source ? toQString(source->text) : QString(), Language::Python,
                                        source ? int(source->firstLine) : 1),
                               options);
    }
    if (!source) return;
    std::set<int> covered;
    for (const auto& [at, first] : d->coverage.lines(code.file))
        if (first <= d->step && at >= source->firstLine) covered.insert(int(at - source->firstLine));
    d->source->setHighlight(0, {int(line - source->firstLine)}, std::move(covered));
    d->source->reveal(0, int(line - source->firstLine));
}

void DynamoPage::showBytecode() {
    const dynamo::StepInfo& step = d->recording->steps()[d->step];
    const dynamo::FrameInfo& frame = d->recording->frames()[step.frame];
    const dynamo::Code& code = d->recording->codeOf(frame);
    d->codeTitle->setText(toQString(code.qualname.empty() ? code.name : code.qualname));
    if (frame.code != d->shownCode) {
        d->shownCode = frame.code;
        CodeView::Options options;
        options.emptyText = tr("The instructions of this frame were not recorded.");
        d->bytecode->setDocument(instructionsOf(code), options);
    }
    std::set<int> covered;
    QHash<int, GutterMark> marks;
    for (const auto& [at, first] : d->coverage.instructions(frame.code)) {
        if (first <= d->step) covered.insert(int(at));
        const dynamo::StepInfo& info = d->recording->steps()[first];
        GutterMark mark;
        if (info.has(dynamo::Happening::GraphBreak) || info.has(dynamo::Happening::Exception)) {
            mark.icon = QStringLiteral("scissors");
            mark.strong = true;
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
    d->bytecode->setMarks(0, std::move(marks));
    d->bytecode->setHighlight(0, {int(step.instruction)}, std::move(covered));
    d->bytecode->reveal(0, int(step.instruction));
}

void DynamoPage::showGraph() {
    const dynamo::State* state = d->recording->stateAt(d->step);
    if (!state) return d->graph->clear();
    const dynamo::GraphState* graph = state->currentGraph();
    d->graphTitle->setText(
        tr("Graph so far, %1").arg(countText(graph ? graph->nodes : 0, tr("node"), tr("nodes"))));
    CodeView::Options options;
    options.emptyText = tr("No graph yet.");
    const CodeDocumentPtr document =
        numbered(toQString(dynamo::graphText(*d->recording, *state)), Language::Python, 0);
    // What the step before this one added stands last.
    std::set<int> added;
    if (d->step > 0 && d->recording->steps()[d->step - 1].has(dynamo::Happening::Node) &&
        document->lines.size() > 1)
        added.insert(int(document->lines.size()) - (document->lines.back().text.isEmpty() ? 2 : 1));
    d->graph->setDocument(document, options);
    d->graph->setHighlight(0, added, {});
    d->graph->reveal(0, int(document->lines.size()) - 1);
}

void DynamoPage::runUntilCondition(bool back) {
    if (!d->recording || d->searching || d->step == noStep) return;
    const Result<dynamo::Condition> condition = dynamo::Condition::parse(d->condition->text().toStdString());
    if (!condition) {
        d->answer->setText(toQString(condition.error().toString()));
        return;
    }
    d->searching = true;
    d->console->setEnabled(false);
    d->answer->clear();
    setLoading(true);
    using Found = Result<StepIndex>;
    workspace().tasks().run<Found>(
        QStringLiteral("dynamo.until"), this,
        [recording = d->recording, from = d->step, condition = *condition, back](const TaskContext& task) {
            return dynamo::runUntil(*recording, from, condition, back ? Direction::Back : Direction::Forward,
                                    task);
        },
        [this](Found found) {
            d->searching = false;
            d->console->setEnabled(true);
            setLoading(false);
            if (!found)
                d->answer->setText(toQString(found.error().toString()));
            else if (*found == noStep)
                d->answer->setText(tr("at no step from here"));
            else
                goToStep(*found);
        });
}

} // namespace dynascope::views
