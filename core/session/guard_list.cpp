// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/guard_list.h"

#include <algorithm>
#include <mutex>
#include <optional>

namespace dynascope::session {

struct GuardList::Lazy {
    std::mutex mutex;
    std::optional<std::vector<Guard>> guards;
    std::optional<std::size_t> checks;
    Payload text;
    Read read = nullptr;
};

namespace {

std::size_t countChecks(const std::vector<Guard>& guards) {
    return static_cast<std::size_t>(
        std::count_if(guards.begin(), guards.end(), [](const Guard& guard) { return !guard.isManager(); }));
}

} // namespace

GuardList::GuardList(std::vector<Guard> guards)
    : m_lazy(std::make_shared<Lazy>()) {
    m_lazy->guards = std::move(guards);
}

GuardList::GuardList(Payload text, Read read)
    : m_lazy(std::make_shared<Lazy>()) {
    m_lazy->text = std::move(text);
    m_lazy->read = read;
}

const std::vector<Guard>& GuardList::all() const {
    static const std::vector<Guard> none;
    if (!m_lazy) return none;
    const std::lock_guard lock(m_lazy->mutex);
    if (!m_lazy->guards) {
        const Result<std::string> text = m_lazy->text.read();
        if (!text) return none; // and asked for again the next time
        m_lazy->guards = m_lazy->read(*text);
    }
    return *m_lazy->guards;
}

std::size_t GuardList::checkCount() const {
    if (!m_lazy) return 0;
    const std::lock_guard lock(m_lazy->mutex);
    if (!m_lazy->checks && m_lazy->guards) m_lazy->checks = countChecks(*m_lazy->guards);
    if (!m_lazy->checks) {
        const Result<std::string> text = m_lazy->text.read();
        if (!text) return 0;
        m_lazy->checks = countChecks(m_lazy->read(*text));
    }
    return *m_lazy->checks;
}

void GuardList::push_back(Guard guard) {
    if (m_lazy && m_lazy.use_count() == 1 && m_lazy->guards) {
        m_lazy->guards->push_back(std::move(guard));
        m_lazy->checks.reset();
        return;
    }
    std::vector<Guard> guards = all();
    guards.push_back(std::move(guard));
    *this = GuardList(std::move(guards));
}

} // namespace dynascope::session
