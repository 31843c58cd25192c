// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/renumbering.h"

#include <algorithm>
#include <map>
#include <utility>

namespace dynascope::session {

Renumbering::Renumbering(const Session& before, const Session& now)
    : m_before(before)
    , m_now(now) {
    std::map<std::pair<int, CompileId>, int> places;
    for (std::size_t i = 0; i < now.compiles.size(); ++i)
        places.emplace(std::pair(now.compiles[i].rank, now.compiles[i].id), int(i));
    for (const Compile& compile : before.compiles) {
        const auto at = places.find({compile.rank, compile.id});
        m_compiles.push_back(at == places.end() ? -1 : at->second);
    }
}

int Renumbering::compile(int old) const {
    return old < 0 || std::size_t(old) >= m_compiles.size() ? -1 : m_compiles[std::size_t(old)];
}

const Compile* Renumbering::compileNow(int old) const {
    const int at = compile(old);
    return at < 0 ? nullptr : &m_now.compiles[std::size_t(at)];
}

int Renumbering::stage(int oldCompile, int old) const {
    const Compile* now = compileNow(oldCompile);
    if (!now || old < 0) return -1;
    const std::vector<StagePtr>& was = m_before.compiles[std::size_t(oldCompile)].stages;
    const std::vector<StagePtr>& is = now->stages;
    if (std::size_t(old) >= was.size()) return old - int(was.size()) + int(is.size());
    const Stage& wanted = *was[std::size_t(old)];
    const auto found = std::find_if(is.begin(), is.end(), [&](const StagePtr& s) {
        return s.get() == &wanted || (s->name == wanted.name && s->k == wanted.k &&
                                      s->attempt == wanted.attempt && s->phase == wanted.phase);
    });
    return found == is.end() ? -1 : int(found - is.begin());
}

bool Renumbering::isSame(int oldCompile, int old, int now) const {
    const Compile* compile = compileNow(oldCompile);
    if (!compile || old < 0 || now < 0) return false;
    const std::vector<StagePtr>& was = m_before.compiles[std::size_t(oldCompile)].stages;
    const std::vector<StagePtr>& is = compile->stages;
    if (std::size_t(old) >= was.size()) return std::size_t(now) >= is.size(); // computed, and kept
    return std::size_t(now) < is.size() && is[std::size_t(now)]->sharesReadingWith(*was[std::size_t(old)]);
}

} // namespace dynascope::session
