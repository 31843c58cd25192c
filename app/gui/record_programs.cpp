// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/record_programs.h"

#include "app/gui/chrome.h"
#include "app/gui/record_dialog.h"
#include "app/gui/settings.h"
#include "app/gui/window_pages.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/live_bar.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace dynascope::app {

using namespace views;

RecordPrograms::RecordPrograms(const Shared& shared, WindowPages& pages)
    : WindowPart(shared)
    , m_pages(pages) {
    connect(&m_workspace, &Workspace::trialRequested, this, &RecordPrograms::tryOut);
}

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
            if (!folder.isEmpty() && m_before)
                compareWithTrial(folder);
            else if (!folder.isEmpty())
                show(folder);
        });
    }
    return *m_record;
}

void RecordPrograms::tryOut(const QString& setting) {
    const Workspace::Capture* capture = m_workspace.capture();
    if (!capture || dialog().run().isRunning()) {
        if (capture) ask(); // shows what is running
        return;
    }
    m_before = capture->session;
    const QString name = toQString(capture->session->title);
    m_record->setTrial(
        toQString(capture->session->path), setting,
        setting.isEmpty()
            ? tr("The program as it is now: its recording is compared with %1.").arg(name)
            : tr("The same program with %1: its recording is compared with %2.").arg(setting, name));
    m_record->setBreakpointCount(int(m_pages.get<DynamoPage>().breakpoints().enabled().size()));
    m_record->show();
    m_record->raise();
    m_record->activateWindow();
}

/// Opens a capture; `then` has its session once the window shows it.
void RecordPrograms::openAnd(const QString& path, std::function<void(const session::SessionPtr&)> then) {
    const auto once = std::make_shared<QMetaObject::Connection>();
    *once = connect(&m_workspace, &Workspace::captureOpened, this,
                    [this, path, once, then = std::move(then)](int capture) {
                        const session::SessionPtr made = m_workspace.captures()[std::size_t(capture)].session;
                        if (toQString(made->inputs.path) != path) return;
                        disconnect(*once);
                        // The workspace goes to its first page after this; what is asked for comes then.
                        QMetaObject::invokeMethod(
                            this, [then, made] { then(made); }, Qt::QueuedConnection);
                    });
    m_workspace.open(path);
}

void RecordPrograms::compareWithTrial(const QString& path) {
    openAnd(path, [this](const session::SessionPtr& opened) {
        const session::SessionPtr before = m_workspace.current(std::exchange(m_before, nullptr));
        const session::SessionPtr made = m_workspace.current(opened);
        if (!before || !made) return; // closed meanwhile
        ComparisonRequest request;
        request.what = ComparisonRequest::What::Captures;
        request.a = before;
        request.b = made;
        m_workspace.compare(request);
        m_record->hide();
        m_window.activateWindow();
    });
}

void RecordPrograms::ask() {
    RecordDialog& asked = dialog();
    if (!asked.run().isRunning()) {
        asked.endTrial();
        m_before = nullptr;
    }
    asked.setBreakpointCount(int(m_pages.get<DynamoPage>().breakpoints().enabled().size()));
    asked.show();
    asked.raise();
    asked.activateWindow();
}

void RecordPrograms::show(const QString& path) {
    if (std::exchange(m_recorded, path) == path) return; // it is on its way
    // A recording that was looked at while it grew is read anew with the rest of its folder.
    openAnd(path, [this](const session::SessionPtr& opened) {
        m_recorded.clear();
        const auto& captures = m_workspace.captures();
        const auto at =
            std::ranges::find(captures, m_workspace.current(opened), &Workspace::Capture::session);
        if (at == captures.end()) return;
        const session::Session& session = *at->session;
        if (session.recordings.empty() && session.passRecordings.empty()) return;
        Place place;
        place.capture = int(at - captures.begin());
        // Who asked for passes wants to see them.
        place.page = session.passRecordings.empty() ? Page::Dynamo : Page::Inductor;
        m_workspace.go(place);
        m_pages.setFocus(Qt::OtherFocusReason); // for the keys that step
    });
}

} // namespace dynascope::app
