// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/step_tools.h"

#include "core/dynamo/cursor.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/recording_questions.h"
#include "views/dynamo/search_view.h"
#include "views/workspace/labels.h"

#include <utility>

namespace dynascope::views {

StepTools::StepTools(Theme& theme, RecordingQuestions& questions, QWidget* parent)
    : QTabWidget(parent)
    , m_questions(questions)
    , m_console(new ConsoleView(theme))
    , m_search(new SearchView(theme))
    , m_breakpoints(new BreakpointsView(theme)) {
    setObjectName(QStringLiteral("dynamo.tools"));
    setDocumentMode(true);
    addTab(m_console, tr("Comptime console"));
    addTab(m_search, tr("Search"));
    addTab(m_breakpoints, tr("Breakpoints"));
    connect(m_search, &SearchView::stepChosen, this, &StepTools::stepChosen);
    connect(&m_questions, &RecordingQuestions::busyChanged, m_console,
            [this](bool busy) { m_console->setEnabled(!busy); });
    const auto count = [this] {
        const int rows = breakpoints().rowCount();
        setTabText(2, rows == 0 ? tr("Breakpoints") : tr("Breakpoints %1").arg(rows));
    };
    connect(&breakpoints(), &BreakpointsModel::edited, this, count);
    connect(&breakpoints(), &QAbstractItemModel::modelReset, this, count);
}

BreakpointsModel& StepTools::breakpoints() const {
    return m_breakpoints->model();
}

void StepTools::show(dynamo::RecordingPtr recording, dynamo::StepIndex step) {
    m_recording = std::move(recording);
    m_step = step;
    m_console->setPlace(m_recording, step);
    m_search->setStep(step);
}

void StepTools::forget() {
    m_search->setMessage({});
}

void StepTools::search(const QString& text) {
    if (!m_recording || m_questions.isBusy()) return;
    if (text.isEmpty()) return m_search->setMessage({});
    setCurrentWidget(m_search);
    m_questions.ask<Result<dynamo::SearchResult>>(
        m_recording,
        [wanted = text.toStdString()](const dynamo::Recording& recording, const TaskContext& task) {
            return dynamo::searchRecording(recording, wanted, task);
        },
        [this, text](Result<dynamo::SearchResult> found) {
            if (!found) return m_search->setMessage(toQString(found.error().toString()));
            m_search->setResult(text, std::move(*found));
            m_search->setStep(m_step);
        });
}

void StepTools::searchOn(const QString& text, bool back) {
    if (m_search->hits().empty()) search(text);
    if (m_questions.isBusy() || m_step == dynamo::noStep) return;
    emit stepChosen(m_search->neighbour(m_step, back));
}

const QStringList& StepTools::asked() const {
    return m_console->history();
}

void StepTools::setAsked(const QStringList& asked) {
    m_console->setHistory(asked);
}

void StepTools::restyle() {
    m_console->restyle();
}

} // namespace dynascope::views
