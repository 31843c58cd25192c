// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/code_panes.h"

#include "core/base/words.h"
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/recorded_breaks.h"
#include "views/base/code_view.h"
#include "views/base/page_parts.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/recording_questions.h"
#include "views/dynamo/state_rows.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <algorithm>
#include <set>

namespace dynascope::views {

namespace {

using dynamo::noStep;
using dynamo::StepIndex;

/// The piece of source that holds a line of a file; null where none was recorded.
const dynamo::Source* sourceOf(const dynamo::Recording& recording, const std::string& file,
                               std::uint32_t line) {
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

CodePanes::CodePanes(Theme& theme, BreakpointsModel& breakpoints, const RecordingQuestions& questions,
                     QObject* parent)
    : QObject(parent)
    , m_breakpoints(breakpoints)
    , m_questions(questions)
    , m_source(new CodeView(theme))
    , m_bytecode(new CodeView(theme)) {
    m_source->setAccessibleName(tr("Source"));
    m_source->setObjectName(QStringLiteral("dynamo.source"));
    const TitledBox source = titledBox({}, m_source);
    m_sourcePane = source.widget;
    m_sourceTitle = source.title;
    source.note->setText(tr("traced lines shaded"));
    m_bytecode->setAccessibleName(tr("Bytecode"));
    m_bytecode->setObjectName(QStringLiteral("dynamo.bytecode"));
    const TitledBox code = titledBox({}, m_bytecode);
    m_bytecodePane = code.widget;
    m_codeTitle = code.title;
    m_codeNote = code.note;
    connect(m_source, &CodeView::lineClicked, this, [this](int, int line, int, Qt::KeyboardModifiers) {
        if (!m_shownSource || !m_covered) return;
        const auto& firsts = m_covered->lines(m_shownSource->file);
        const auto found = firsts.find(m_shownSource->firstLine + std::uint32_t(line));
        if (found != firsts.end()) emit stepChosen(found->second);
    });
    connect(m_bytecode, &CodeView::lineClicked, this, [this](int, int line, int, Qt::KeyboardModifiers) {
        if (!m_covered) return;
        const auto& firsts = m_covered->instructions(m_shownCode);
        if (const auto found = firsts.find(std::uint32_t(line)); found != firsts.end())
            emit stepChosen(found->second);
    });
    m_source->extendMenu = [this](QMenu& menu, int, int line) { extendSourceMenu(menu, line); };
    m_bytecode->extendMenu = [this](QMenu& menu, int, int line) { extendBytecodeMenu(menu, line); };
    connect(&m_breakpoints, &BreakpointsModel::edited, this, &CodePanes::showSourceMarks);
    connect(&m_breakpoints, &QAbstractItemModel::modelReset, this, &CodePanes::showSourceMarks);
}

bool CodePanes::canAsk() const {
    return m_recording && !m_questions.isBusy();
}

void CodePanes::forget() {
    m_recording.reset();
    m_covered = nullptr;
    m_coverage.clear();
    m_shownCode = UINT32_MAX;
    m_shownSource = nullptr;
    m_end = noStep;
}

void CodePanes::show(dynamo::RecordingPtr recording, StepIndex step, std::size_t level, StepIndex end) {
    m_recording = std::move(recording);
    m_step = step;
    m_end = end;
    const std::uint32_t attempt = m_recording->frames()[m_recording->steps()[step].frame].attempt;
    m_covered = &m_coverage.try_emplace(attempt, *m_recording, attempt).first->second;
    std::uint32_t id = 0, instruction = 0;
    const dynamo::Code* code = frame(level, id, instruction);
    showSource(code, instruction);
    showBytecode(code, id, instruction);
}

/// The code of the frame that is shown, and where it stands.
const dynamo::Code* CodePanes::frame(std::size_t level, std::uint32_t& code,
                                     std::uint32_t& instruction) const {
    const dynamo::StepInfo& step = m_recording->steps()[m_step];
    code = m_recording->frames()[step.frame].code;
    instruction = step.instruction;
    if (level > 0)
        if (const dynamo::State* state = m_recording->stateAt(m_step)) {
            const std::vector<const dynamo::FrameState*> frames = dynamo::callStack(*state);
            if (level < frames.size()) {
                code = frames[level]->code;
                instruction = frames[level]->instruction;
            }
        }
    return m_recording->code(code);
}

void CodePanes::showSource(const dynamo::Code* code, std::uint32_t index) {
    if (!code) return m_source->clear();
    const std::uint32_t line = index < code->instructions.size() && code->instructions[index].line > 0
                                   ? code->instructions[index].line
                                   : code->firstLine;
    const dynamo::Source* source = sourceOf(*m_recording, code->file, line);
    m_sourceTitle->setText(toQString(baseName(code->file)));
    m_sourceTitle->setToolTip(plainToolTip(toQString(code->file)));
    if (source != m_shownSource || !source) {
        m_shownSource = source;
        CodeView::Options options;
        options.emptyText = tr("The source of %1 was not recorded.").arg(toQString(code->file));
        m_source->setDocument(numbered(source ? toQString(source->text) : QString(), Language::Python,
                                       source ? int(source->firstLine) : 1),
                              options);
    }
    if (!source) return;
    std::set<int> covered;
    for (const auto& [at, first] : m_covered->lines(code->file))
        if (first <= m_step && at >= source->firstLine) covered.insert(int(at - source->firstLine));
    m_source->setHighlight(0, {int(line - source->firstLine)}, std::move(covered));
    m_source->reveal(0, int(line - source->firstLine));
    showSourceMarks();
}

void CodePanes::showSourceMarks() {
    if (!m_shownSource || !m_recording) return;
    QHash<int, GutterMark> marks;
    // Where the attempt stops, as far as it is known; the reader's own marks go over it.
    if (m_end != noStep)
        if (const dynamo::Instruction* instruction = m_recording->instructionAt(m_end);
            instruction && m_recording->steps()[m_end].has(dynamo::Happening::GraphBreak)) {
            const dynamo::Code& code =
                m_recording->codeOf(m_recording->frames()[m_recording->steps()[m_end].frame]);
            if (code.file == m_shownSource->file && instruction->line >= m_shownSource->firstLine) {
                GutterMark mark;
                mark.icon = QStringLiteral("scissors");
                mark.strong = true;
                mark.toolTip = tr("The graph breaks here, at step %1").arg(m_end);
                marks.insert(int(instruction->line - m_shownSource->firstLine), mark);
            }
        }
    std::set<std::uint32_t> off;
    for (const std::uint32_t line : m_breakpoints.linesOf(m_shownSource->file, &off)) {
        if (line < m_shownSource->firstLine) continue;
        GutterMark mark;
        mark.icon = QStringLiteral("pin");
        mark.strong = !off.contains(line);
        mark.toolTip =
            off.contains(line) ? tr("Breakpoint, switched off") : tr("Breakpoint; F9 takes it away");
        marks.insert(int(line - m_shownSource->firstLine), mark);
    }
    m_source->setMarks(0, std::move(marks));
}

void CodePanes::showBytecode(const dynamo::Code* code, std::uint32_t id, std::uint32_t index) {
    if (!code) return m_bytecode->clear();
    m_codeTitle->setText(toQString(code->qualname.empty() ? code->name : code->qualname));
    if (id != m_shownCode) {
        m_shownCode = id;
        CodeView::Options options;
        options.emptyText = tr("The instructions of this frame were not recorded.");
        m_bytecode->setDocument(instructionsOf(*code), options);
    }
    std::set<int> covered;
    QHash<int, GutterMark> marks;
    const dynamo::StepCoverage::Firsts& firsts = m_covered->instructions(id);
    for (const auto& [at, first] : firsts) {
        if (first <= m_step) covered.insert(int(at));
        const dynamo::StepInfo& info = m_recording->steps()[first];
        GutterMark mark;
        const auto events = m_recording->eventsAt(first);
        if (info.has(dynamo::Happening::GraphBreak) ||
            std::any_of(events.begin(), events.end(), [&](std::uint32_t event) {
                return dynamo::endsFrame(*m_recording, m_recording->events()[event]);
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
        mark.toolTip = happeningsText(*m_recording, first);
        marks.insert(int(at), mark);
    }
    m_codeNote->setText(tr("%1 of %2 traced").arg(covered.size()).arg(code->instructions.size()));
    m_bytecode->setMarks(0, std::move(marks));
    m_bytecode->setHighlight(0, {int(index)}, std::move(covered));
    m_bytecode->reveal(0, int(index));
}

void CodePanes::toggleBreakpoint() {
    int line = m_source->currentLine();
    if (const std::set<int>& here = m_source->selectedLines(0); line < 0 && !here.empty())
        line = *here.begin();
    if (!m_shownSource || line < 0) return;
    m_breakpoints.toggleLine(toQString(m_shownSource->file), m_shownSource->firstLine + std::uint32_t(line));
}

void CodePanes::extendSourceMenu(QMenu& menu, int line) {
    if (!canAsk() || !m_shownSource) return;
    const std::string file = m_shownSource->file;
    const std::uint32_t at = m_shownSource->firstLine + std::uint32_t(line);
    menu.addSeparator();
    for (const auto direction : {dynamo::Direction::Forward, dynamo::Direction::Back}) {
        const StepIndex step = dynamo::runToLine(*m_recording, m_step, file, at, direction);
        QAction* action = menu.addAction(
            direction == dynamo::Direction::Forward ? tr("Run to this line") : tr("Run back to this line"));
        action->setEnabled(step != noStep);
        connect(action, &QAction::triggered, this, [this, step] { emit stepChosen(step); });
    }
    connect(menu.addAction(tr("Breakpoint at this line")), &QAction::triggered, this,
            [this, file, at] { m_breakpoints.toggleLine(toQString(file), at); });
}

void CodePanes::extendBytecodeMenu(QMenu& menu, int line) {
    if (!canAsk()) return;
    menu.addSeparator();
    for (const auto direction : {dynamo::Direction::Forward, dynamo::Direction::Back}) {
        const StepIndex step =
            dynamo::runToInstruction(*m_recording, m_step, m_shownCode, std::uint32_t(line), direction);
        QAction* action =
            menu.addAction(direction == dynamo::Direction::Forward ? tr("Run to this instruction")
                                                                   : tr("Run back to this instruction"));
        action->setEnabled(step != noStep);
        connect(action, &QAction::triggered, this, [this, step] { emit stepChosen(step); });
    }
}

} // namespace dynascope::views
