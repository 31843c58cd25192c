// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/comparing.h"

#include "app/gui/compare_dialog.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::app {

using namespace views;

void Comparing::ask() {
    auto* dialog = new CompareDialog(m_workspace, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const ComparisonRequest request = dialog->request();
        if (dialog->file().isEmpty()) {
            m_workspace.compare(request);
            return;
        }
        m_waiting = {request.a, {dialog->file()}};
        openWaiting();
    });
    dialog->open();
}

void Comparing::openBoth(const QStringList& paths) {
    m_waiting = {nullptr, paths};
    openWaiting();
}

void Comparing::openWaiting() {
    const QStringList paths = m_waiting.paths;
    for (const QString& path : paths)
        if (!sessionAt(path)) m_workspace.open(path);
    goOn();
}

session::SessionPtr Comparing::sessionAt(const QString& path) const {
    const auto& captures = m_workspace.captures();
    const auto at = std::find_if(captures.begin(), captures.end(), [&](const Workspace::Capture& capture) {
        return toQString(capture.session->path) == path;
    });
    return at == captures.end() ? nullptr : at->session;
}

void Comparing::goOn() {
    if (m_waiting.paths.isEmpty()) return;
    std::vector<session::SessionPtr> sessions;
    if (m_waiting.a) sessions.push_back(m_waiting.a);
    for (const QString& path : std::as_const(m_waiting.paths)) {
        sessions.push_back(sessionAt(path));
        if (!sessions.back()) return; // still being read
    }
    m_waiting = {};
    ComparisonRequest request;
    request.a = sessions.front();
    request.b = sessions.back();
    if (request.a == request.b) request.what = ComparisonRequest::What::Ranks;
    m_workspace.compare(std::move(request));
}

void Comparing::compareRanks() {
    const Workspace::Capture* capture = m_workspace.capture();
    if (!capture) return;
    ComparisonRequest request;
    request.what = ComparisonRequest::What::Ranks;
    request.a = capture->session;
    m_workspace.compare(std::move(request));
}

void Comparing::compareWithNext() {
    const session::Session* session = m_workspace.session();
    const int here = m_workspace.place().compile;
    if (!session || here < 0) return;
    const int other = otherOfFrame(here);
    if (other < 0) return;
    ComparisonRequest request;
    request.what = ComparisonRequest::What::Compiles;
    request.a = request.b = m_workspace.capture()->session;
    request.compileA = std::min(here, other);
    request.compileB = std::max(here, other);
    m_workspace.compare(std::move(request));
}

int Comparing::otherOfFrame(int compile) const {
    const session::Session* session = m_workspace.session();
    for (const session::Frame& frame : session->frames) {
        const auto at = std::find(frame.compiles.begin(), frame.compiles.end(), std::size_t(compile));
        if (at == frame.compiles.end() || frame.compiles.size() < 2) continue;
        return int(at == frame.compiles.begin() ? *std::next(at) : *std::prev(at));
    }
    return -1;
}

void Comparing::showLast() {
    const auto& all = m_workspace.comparisons();
    const auto last = std::find_if(all.rbegin(), all.rend(),
                                   [](const ComparisonRequest& request) { return request.isOpen(); });
    if (last == all.rend())
        ask();
    else
        m_workspace.compare(*last);
}

} // namespace dynascope::app
