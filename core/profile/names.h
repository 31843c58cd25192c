// SPDX-License-Identifier: BSD-3-Clause
//
// Texts that many events have in common, each kept once and named by a number. The first, 0, is the empty text.
// Of one thread while it grows; to read, any.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dynascope::profile {

class Names {
public:
    Names() { id({}); }
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;
    Names(Names&&) = default;
    Names& operator=(Names&&) = default;

    std::uint32_t id(std::string_view text) {
        const auto known = m_ids.find(text);
        if (known != m_ids.end()) return known->second;
        const auto out = static_cast<std::uint32_t>(m_texts.size());
        m_texts.emplace_back(text);
        m_ids.emplace(m_texts.back(), out);
        return out;
    }
    [[nodiscard]] const std::string& text(std::uint32_t id) const { return m_texts[id]; }
    [[nodiscard]] std::size_t size() const { return m_texts.size(); }

private:
    std::deque<std::string> m_texts; // stand still
    std::unordered_map<std::string_view, std::uint32_t> m_ids;
};

} // namespace dynascope::profile
