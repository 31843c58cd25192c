// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/call_panes.h"

#include "core/base/words.h"
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/recorded_breaks.h"
#include "views/base/page_parts.h"
#include "views/base/row_table.h"
#include "views/dynamo/break_story.h"
#include "views/inspector/fact_view.h"
#include "views/workspace/labels.h"

#include <QLabel>
#include <algorithm>

namespace dynascope::views {

CallPanes::CallPanes(Theme& theme, QWidget* parent)
    : Splitter(Qt::Vertical, parent)
    , m_calls(new RowTable(
          tr("Call stack"),
          {{tr("Function"),
            tr("The innermost first; an arrow is before calls that Dynamo inlined into the frame that it "
               "compiles"),
            240},
           {tr("Where"), {}, 240}},
          theme))
    , m_story(new FactView(theme)) {
    m_calls->setEmptyText(tr("No frame is traced at this step."));
    m_calls->setObjectName(QStringLiteral("dynamo.calls"));
    const TitledBox calls = titledBox(tr("Call stack"), m_calls);
    calls.note->setText(tr("Enter goes to the call"));
    m_story->setObjectName(QStringLiteral("dynamo.story"));
    m_story->setAccessibleName(tr("How the graph ends"));
    const TitledBox story = titledBox(tr("How the graph ends"), m_story);
    addWidget(calls.widget);
    addWidget(story.widget);
    connect(m_calls, &RowTable::rowSelected, this,
            [this](int row) { emit frameChosen(std::size_t(std::max(0, row))); });
    connect(m_calls, &RowTable::rowActivated, this, [this](int row) {
        if (row >= 0 && std::size_t(row) < m_steps.size()) emit stepChosen(m_steps[std::size_t(row)]);
    });
    connect(m_story, &FactView::followed, this, &CallPanes::followed);
}

void CallPanes::forget() {
    m_attempt = UINT32_MAX;
}

void CallPanes::show(const dynamo::Recording& recording, dynamo::StepIndex step) {
    const std::uint32_t attempt = recording.frames()[recording.steps()[step].frame].attempt;
    const dynamo::StepIndex end = endOfGraph(recording, step);
    if (attempt != m_attempt || end != m_end) {
        m_attempt = attempt;
        m_end = end;
        m_story->setFacts(breakStory(recording, attempt, end));
    }
    showCalls(recording, step);
}

void CallPanes::selectFrame(std::size_t level) {
    m_calls->select(int(level));
}

void CallPanes::showCalls(const dynamo::Recording& recording, dynamo::StepIndex step) {
    std::vector<TableRow> rows;
    m_steps.clear();
    if (const dynamo::State* state = recording.stateAt(step))
        for (const dynamo::FrameState* frame : dynamo::callStack(*state)) {
            const dynamo::Code* code = recording.code(frame->code);
            const QString place = code ? toQString(baseName(code->file)) + u':' +
                                             QString::number(dynamo::lineOf(recording, *frame))
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
            m_steps.push_back(frame->step);
        }
    m_calls->setRows(std::move(rows));
}

} // namespace dynascope::views
