// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/abridge.h"

#include <algorithm>

namespace dynascope::capture {

namespace {

constexpr std::size_t longestMember = std::size_t{64} << 10U;
constexpr std::size_t askEvery = std::size_t{1} << 20U;

class Scanner {
public:
    Scanner(std::string_view json, const TaskContext& task)
        : m_json(json)
        , m_task(task) {}

    std::optional<std::string> run() {
        std::string out = "{";
        if (!take('{')) return std::nullopt;
        if (!take('}')) {
            do {
                const std::size_t key = blank();
                if (!string() || !take(':')) return std::nullopt;
                const std::string_view name = m_json.substr(key, m_at - key);
                const std::size_t begin = blank();
                if (!value()) return std::nullopt;
                const std::string_view member = m_json.substr(begin, m_at - begin);
                if (name.size() > longestMember) continue;
                if (out.size() > 1) out += ',';
                out.append(name);
                out += member.size() > longestMember ? std::string_view("null") : member;
            } while (take(','));
            if (!take('}')) return std::nullopt;
        }
        if (blank() != m_json.size() || m_task.cancelled()) return std::nullopt;
        return out + '}';
    }

private:
    /// Where the next token begins.
    std::size_t blank() {
        m_at = std::min(m_json.find_first_not_of(" \t\r\n", m_at), m_json.size());
        return m_at;
    }
    bool take(char c) {
        if (blank() == m_json.size() || m_json[m_at] != c) return false;
        ++m_at;
        return true;
    }
    /// A string, to behind its closing quote.
    bool string() {
        if (m_at >= m_json.size() || m_json[m_at] != '"') return false;
        for (++m_at; m_at < m_json.size(); m_at += 2) {
            m_at = std::min(m_json.find_first_of("\"\\", m_at), m_json.size());
            if (m_at < m_json.size() && m_json[m_at] == '"') {
                ++m_at;
                return true;
            }
        }
        return false;
    }
    /// Anything up to the comma or bracket that ends it, brackets within counted.
    bool value() {
        const std::size_t begin = m_at;
        std::size_t depth = 0, asked = m_at;
        while (m_at < m_json.size()) {
            if (m_at - asked > askEvery) {
                if (m_task.cancelled()) return false;
                asked = m_at;
            }
            const char c = m_json[m_at];
            if (c == '"') {
                if (!string()) return false;
                continue;
            }
            if (c == '[' || c == '{') {
                ++depth;
            } else if (c == ']' || c == '}' || c == ',') {
                if (depth == 0) break;
                if (c != ',') --depth;
            }
            ++m_at;
        }
        return m_at > begin && depth == 0;
    }

    std::string_view m_json;
    const TaskContext& m_task;
    std::size_t m_at = 0;
};

} // namespace

std::optional<std::string> abridged(std::string_view json, const TaskContext& task) {
    return Scanner(json, task).run();
}

} // namespace dynascope::capture
