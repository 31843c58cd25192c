// SPDX-License-Identifier: BSD-3-Clause
//
// A capture that was read again: everything that was known by its old indices and objects goes on by the new
// ones.
#include "core/session/renumbering.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/workspace.h"

#include <algorithm>

namespace dynascope::views {

Place Workspace::moved(Place old, const session::Renumbering& to, const Capture& before, const Capture& now) {
    const int compile = old.compile;
    old.compile = to.compile(compile);
    const int a = to.stage(compile, old.stageA), b = to.stage(compile, old.stageB);
    // A node is one of the graph that was there; of another graph the same number is another node.
    const bool inA = old.node.side == Side::A;
    if (!old.node.isEmpty() && !to.isSame(compile, inA ? old.stageA : old.stageB, inA ? a : b)) old.node = {};
    if (old.subject.kind == Subject::Kind::Node || old.subject.kind == Subject::Kind::Code) {
        const int asked = to.stage(compile, old.subject.stage);
        if (to.isSame(compile, old.subject.stage, asked))
            old.subject.stage = asked;
        else
            old.subject = {};
    }
    old.stageA = a;
    old.stageB = b;
    old.own.move(before, now);
    return old;
}

void Workspace::showAgain() {
    bool same = true;
    for (const Side side : {Side::A, Side::B}) {
        StageView& view = side == Side::A ? m_a : m_b;
        const session::StagePtr now = stageAt(side == Side::A ? m_place.stageA : m_place.stageB);
        const bool kept =
            view.stage == now || (view.stage && now && !view.loading && now->sharesReadingWith(*view.stage));
        if (kept)
            view.stage = now;
        else
            same = false;
    }
    if (same) return;
    loadStages();
    dropStaleSelection();
    computeDiff();
    emit nodeSelected(m_place.node);
}

void Workspace::replaceCapture(int index, Capture again) {
    if (index < 0 || std::size_t(index) >= m_captures.size() || !again.session) return;
    emit captureReplacing(index);
    again.saved = m_captures[std::size_t(index)].saved;
    again.followed = m_captures[std::size_t(index)].followed;
    again.earlier = std::move(m_captures[std::size_t(index)].earlier);
    std::erase_if(again.earlier, [](const auto& session) { return session.expired(); });
    again.earlier.push_back(m_captures[std::size_t(index)].session);
    const Capture before = std::exchange(m_captures[std::size_t(index)], std::move(again));
    const Capture& now = m_captures[std::size_t(index)];
    m_profiles->drop(before.session);
    const session::Renumbering to(*before.session, *now.session);
    m_stages.move(to);
    if (m_marks.contains(before.session.get()))
        m_marks.insert(now.session.get(), m_marks.take(before.session.get()));
    for (ComparisonRequest& request : m_comparisons) {
        if (request.what == ComparisonRequest::What::Compiles) {
            if (request.a == before.session) request.compileA = to.compile(request.compileA);
            if (request.b == before.session) request.compileB = to.compile(request.compileB);
        }
        for (session::SessionPtr* side : {&request.a, &request.b})
            if (*side == before.session) *side = now.session;
        if (request.what == ComparisonRequest::What::Compiles && request.isOpen() &&
            (request.compileA < 0 || request.compileB < 0))
            request = {};
    }
    for (std::vector<Visit>* history : {&m_back, &m_forward})
        for (Visit& visit : *history)
            if (visit.place.capture == index) visit.place = moved(visit.place, to, before, now);
    const Place old = m_place;
    if (m_place.capture == index) {
        m_place = completed(moved(m_place, to, before, now));
        showAgain();
    }
    m_ahead.clear();
    emit captureReplaced(index, before.session);
    emit placeChanged(m_place, old);
}

void Workspace::setFollowed(int capture, bool on) {
    if (capture < 0 || std::size_t(capture) >= m_captures.size()) return;
    if (std::exchange(m_captures[std::size_t(capture)].followed, on) != on) emit followedChanged(capture);
}

session::SessionPtr Workspace::current(const session::SessionPtr& session) const {
    for (const Capture& capture : m_captures)
        if (capture.session == session ||
            std::any_of(capture.earlier.begin(), capture.earlier.end(),
                        [&](const auto& earlier) { return earlier.lock() == session; }))
            return capture.session;
    return nullptr;
}

} // namespace dynascope::views
