// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/record_programs.h"

#include "app/gui/chrome.h"
#include "app/gui/record_dialog.h"
#include "app/gui/settings.h"
#include "app/gui/window_pages.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/live_bar.h"
#include "views/models/labels.h"

#include <memory>
#include <utility>

namespace dynascope::app {

using namespace views;

void RecordPrograms::connectPage(DynamoPage& page) {
    BreakpointsModel& breakpoints = page.breakpoints();
    breakpoints.restore(m_settings.breakpoints());
    connect(&page, &DynamoPage::breakpointsEdited, this,
            [this, &breakpoints] { m_settings.setBreakpoints(breakpoints.saved()); });
    connect(&page, &DynamoPage::stepped, this, &RecordPrograms::changed);
    connect(&page, &DynamoPage::recordingWanted, this, [this, &page](const QString& path) {
        // A program that waits is looked at on the page.
        if (m_record && m_record->isVisible() && page.live().waiting()) {
            m_record->hide();
            m_window.activateWindow();
        }
        show(path);
    });
}

RecordDialog& RecordPrograms::dialog() {
    if (!m_record) {
        m_record = new RecordDialog(m_theme, &m_window);
        m_record->setValues(m_settings.record());
        connect(m_record, &RecordDialog::started, this, [this] {
            m_settings.setRecord(m_record->values());
            m_pages.get<DynamoPage>().setLive(m_record->live());
        });
        connect(m_record, &RecordDialog::ended, this, [this](const QString& folder, const QString& problem) {
            if (!problem.isEmpty() && !m_record->isVisible())
                m_message->showMessage(tr("The program that was recorded %1").arg(problem));
            if (!folder.isEmpty()) show(folder);
        });
    }
    return *m_record;
}

void RecordPrograms::ask() {
    RecordDialog& asked = dialog();
    asked.setBreakpointCount(int(m_pages.get<DynamoPage>().breakpoints().enabled().size()));
    asked.show();
    asked.raise();
    asked.activateWindow();
}

void RecordPrograms::show(const QString& path) {
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
        m_pages.setFocus(Qt::OtherFocusReason); // for the keys that step
    });
    m_workspace.open(path);
}

} // namespace dynascope::app
