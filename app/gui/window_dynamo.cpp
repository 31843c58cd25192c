// SPDX-License-Identifier: BSD-3-Clause
//
// The window's part of recordings of Dynamo: their page, its breakpoints, what the keys that step do there.
#include "app/gui/chrome.h"
#include "app/gui/main_window.h"
#include "app/gui/record_dialog.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/live_bar.h"
#include "views/models/labels.h"

#include <memory>
#include <utility>

namespace dynascope::app {

using namespace views;

void MainWindow::connectDynamo(DynamoPage& page) {
    BreakpointsModel& breakpoints = page.breakpoints()->model();
    breakpoints.restore(m_settings.breakpoints());
    connect(&page, &DynamoPage::breakpointsEdited, this,
            [this, &breakpoints] { m_settings.setBreakpoints(breakpoints.saved()); });
    connect(&page, &DynamoPage::stepped, this, &MainWindow::updateActions);
    connect(&page, &DynamoPage::recordingWanted, this, [this, &page](const QString& path) {
        // A program that waits is looked at on the page.
        if (m_record && m_record->isVisible() && page.live()->waiting()) {
            m_record->hide();
            activateWindow();
        }
        showRecorded(path);
    });
}

RecordDialog& MainWindow::recorder() {
    if (!m_record) {
        m_record = new RecordDialog(m_theme, this);
        m_record->setValues(m_settings.record());
        connect(m_record, &RecordDialog::started, this, [this] {
            m_settings.setRecord(m_record->values());
            page<DynamoPage>().setLive(m_record->live());
        });
        connect(m_record, &RecordDialog::ended, this, [this](const QString& folder, const QString& problem) {
            if (!problem.isEmpty() && !m_record->isVisible())
                m_message->showMessage(tr("The program that was recorded %1").arg(problem));
            if (!folder.isEmpty()) showRecorded(folder);
        });
    }
    return *m_record;
}

void MainWindow::recordDialog() {
    RecordDialog& dialog = recorder();
    dialog.setBreakpointCount(int(page<DynamoPage>().breakpoints()->model().enabled().size()));
    dialog.show();
    dialog.raise();
    dialog.activateWindow();
}

void MainWindow::showRecorded(const QString& path) {
    if (std::exchange(m_recorded, path) == path) return; // it is on its way
    // A recording that was looked at while it grew is read anew with the rest of its folder.
    const auto once = std::make_shared<QMetaObject::Connection>();
    *once = connect(&m_workspace, &Workspace::captureOpened, this, [this, path, once](int capture) {
        const session::SessionPtr session = m_workspace.captures()[std::size_t(capture)].session;
        if (toQString(session->inputs.path) != path) return;
        disconnect(*once);
        m_recorded.clear();
        if (session->recordings.empty()) return;
        Place place;
        place.capture = capture;
        place.page = Page::Dynamo;
        m_workspace.go(place);
        m_pages->setFocus(Qt::OtherFocusReason); // for the keys that step
    });
    m_workspace.open(path);
}

void MainWindow::updateDynamoActions() {
    struct Step {
        const char* id;
        QString text;
        StepCommand command;
    };
    const Step steps[] = {
        {"step.first", tr("First step"), StepCommand::First},
        {"step.opBack", tr("Back over the last instruction"), StepCommand::BackOver},
        {"step.back", tr("Step out"), StepCommand::Out},
        {"step.forward", tr("Step in"), StepCommand::In},
        {"step.opForward", tr("Step over"), StepCommand::Over},
        {"step.last", tr("Last step"), StepCommand::Last},
        {"step.nextWrite", tr("Run to the next breakpoint or graph break"), StepCommand::Run},
        {"step.previousWrite", tr("Back to the previous breakpoint or graph break"), StepCommand::BackRun}};
    const bool here = m_workspace.place().page == Page::Dynamo;
    const auto* page = m_pages->find<DynamoPage>();
    for (const ActionRegistry::Entry& entry : m_actions->entries())
        for (const Step& step : steps) {
            if (entry.spec.id != QLatin1String(step.id) || !entry.action) continue;
            entry.action->setText(here ? step.text : entry.spec.text);
            if (here) entry.action->setEnabled(page && page->canRun(step.command));
        }
}

} // namespace dynascope::app
