// SPDX-License-Identifier: BSD-3-Clause
//
// A capture that was read again: everything that was known by its old indices and objects goes on by the new
// ones.
#include "views/workspace/joined_profiles.h"
#include "views/workspace/workspace.h"

#include <algorithm>
#include <map>

namespace dynascope::views {

/// Where compiles and stages of a session are in what was read again.
class Workspace::Renumbering {
public:
    Renumbering(const Capture& before, const Capture& now)
        : m_before(before)
        , m_now(now) {
        std::map<std::pair<int, session::CompileId>, int> places;
        for (std::size_t i = 0; i < now.session->compiles.size(); ++i)
            places.emplace(std::pair(now.session->compiles[i].rank, now.session->compiles[i].id), int(i));
        for (const session::Compile& compile : before.session->compiles) {
            const auto at = places.find({compile.rank, compile.id});
            m_compiles.push_back(at == places.end() ? -1 : at->second);
        }
    }

    [[nodiscard]] const session::Session& before() const { return *m_before.session; }
    [[nodiscard]] const session::Compile* compileNow(std::size_t old) const {
        const int at = m_compiles[old];
        return at < 0 ? nullptr : &m_now.session->compiles[std::size_t(at)];
    }
    [[nodiscard]] int compile(int old) const {
        return old < 0 || std::size_t(old) >= m_compiles.size() ? -1 : m_compiles[std::size_t(old)];
    }
    /// A stage as Workspace::stageAt() counts: captured ones by what they are, computed ones behind them.
    [[nodiscard]] int stage(int oldCompile, int old) const {
        const int at = compile(oldCompile);
        if (at < 0 || old < 0) return -1;
        const auto& was = m_before.session->compiles[std::size_t(oldCompile)].stages;
        const auto& is = m_now.session->compiles[std::size_t(at)].stages;
        if (std::size_t(old) >= was.size()) return old - int(was.size()) + int(is.size());
        const session::Stage& wanted = *was[std::size_t(old)];
        const auto found = std::find_if(is.begin(), is.end(), [&](const session::StagePtr& s) {
            return s.get() == &wanted || (s->name == wanted.name && s->k == wanted.k &&
                                          s->attempt == wanted.attempt && s->phase == wanted.phase);
        });
        return found == is.end() ? -1 : int(found - is.begin());
    }
    [[nodiscard]] Place place(Place old) const {
        const int compile = old.compile;
        old.compile = this->compile(compile);
        const int a = stage(compile, old.stageA), b = stage(compile, old.stageB);
        // A node is one of the graph that was there; of another graph the same number is another node.
        const bool inA = old.node.side == Side::A;
        if (!old.node.isEmpty() && !isSame(compile, inA ? old.stageA : old.stageB, inA ? a : b))
            old.node = {};
        if (old.subject.kind == Subject::Kind::Node || old.subject.kind == Subject::Kind::Code) {
            const int asked = stage(compile, old.subject.stage);
            if (isSame(compile, old.subject.stage, asked))
                old.subject.stage = asked;
            else
                old.subject = {};
        }
        old.stageA = a;
        old.stageB = b;
        old.own.move(m_before, m_now);
        return old;
    }

private:
    [[nodiscard]] bool isSame(int oldCompile, int old, int now) const {
        if (old < 0 || now < 0) return false;
        const auto& was = m_before.session->compiles[std::size_t(oldCompile)].stages;
        const auto& is = m_now.session->compiles[std::size_t(compile(oldCompile))].stages;
        if (std::size_t(old) >= was.size()) return std::size_t(now) >= is.size(); // computed, and kept
        return std::size_t(now) < is.size() &&
               is[std::size_t(now)]->sharesReadingWith(*was[std::size_t(old)]);
    }

    const Capture &m_before, &m_now;
    std::vector<int> m_compiles; ///< by the old index; -1 where it is gone
};

void Workspace::moveComputed(const Renumbering& to) {
    for (std::size_t i = 0; i < to.before().compiles.size(); ++i) {
        const session::Compile& was = to.before().compiles[i];
        const session::Compile* is = to.compileNow(i);
        // Of stages that are gone; the others have the same id.
        for (std::size_t k = 0; k < was.stages.size(); ++k) {
            const int at = to.stage(int(i), int(k));
            if (!is || at < 0 || is->stages[std::size_t(at)]->id() != was.stages[k]->id())
                m_times.remove(was.stages[k]->id());
        }
        std::vector<Computed> moved = m_computed.take(&was);
        if (moved.empty()) continue;
        if (!is) {
            for (const Computed& computed : moved) {
                m_verdicts.remove(computed.stage->id());
                m_times.remove(computed.stage->id());
            }
            continue;
        }
        for (Computed& computed : moved) {
            const int from = to.stage(int(i), computed.from);
            const bool captured = from >= 0 && std::size_t(from) < is->stages.size();
            if (captured && is->stages[std::size_t(from)]->sharesReadingWith(*computed.source))
                computed.source = is->stages[std::size_t(from)];
            computed.from = std::max(0, from);
        }
        m_computed.insert(is, moved);
    }
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
    const Renumbering to(before, now);
    moveComputed(to);
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
            if (visit.place.capture == index) visit.place = to.place(visit.place);
    const Place old = m_place;
    if (m_place.capture == index) {
        m_place = completed(to.place(m_place));
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
