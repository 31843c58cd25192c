// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/follow.h"
#include "core/capture/open.h"
#include "core/remote/open.h"
#include "views/workspace/workspace.h"

namespace dynascope::views {

namespace {
struct Opened {
    Workspace::Capture capture;
    QString error;
};
} // namespace

void Workspace::open(const QString& path) {
    enqueue({path, {}, false, false});
}

void Workspace::openText(const QString& text, const QString& label) {
    enqueue({label, text, true, false});
}

void Workspace::enqueue(Request request) {
    request.show = !isOpening();
    m_queue.push_back(std::move(request));
    openNext();
}

void Workspace::cancelOpen() {
    m_queue.clear();
    m_opening = false;
    m_tasks.cancel("open");
}

void Workspace::openNext() {
    if (m_opening || m_queue.empty()) return;
    Request request = std::move(m_queue.front());
    m_queue.pop_front();
    m_opening = true;
    const bool show = request.show;
    m_tasks.run<Opened>(
        "open", this,
        [request = std::move(request)](const TaskContext& task) -> Opened {
            // Before it is read: what is written meanwhile is a change.
            capture::DiskStamp disk;
            if (!request.isText) disk = capture::stampOf(request.path.toStdString());
            auto opened = request.isText ? capture::openText(request.text.toStdString(),
                                                             request.path.toStdString(), task)
                                               .map([](session::SessionPtr session) {
                                                   return capture::Opened{std::move(session), nullptr};
                                               })
                                         : remote::openSaved(request.path.toStdString(), task);
            if (!opened) return {{}, QString::fromStdString(opened.error().toString())};
            session::BreakSummary breaks = session::summarizeBreaks(*opened->session);
            return {
                {std::move(opened->session), std::move(breaks), std::move(opened->saved), std::move(disk)},
                {}};
        },
        [this, show](Opened opened) {
            m_opening = false;
            if (opened.capture.session)
                addCapture(std::move(opened.capture), show);
            else
                emit openFailed(opened.error);
            openNext();
        });
}

} // namespace dynascope::views
