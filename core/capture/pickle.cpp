// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/pickle.h"

#include "core/capture/pickle_opcodes.h"

namespace dynascope::capture {

const std::vector<Pickle::Id>& Pickle::items(Id id) const {
    static const std::vector<Id> nothing;
    const auto* sequence = std::get_if<Sequence>(&m_values[id]);
    return sequence ? sequence->items : nothing;
}

Pickle::Id Pickle::find(Id dict, std::string_view key) const {
    constexpr std::size_t lookedAt =
        256; // a large dict that is shared a million times must not cost its square
    const auto* entries = std::get_if<Dict>(&m_values[dict]);
    if (!entries) return none;
    const std::size_t end = entries->items.size();
    for (std::size_t i = end; i >= 2 && end - i < 2 * lookedAt; i -= 2) {
        const auto* name = std::get_if<std::string_view>(&m_values[entries->items[i - 2]]);
        if (name && *name == key) return entries->items[i - 1];
    }
    return none;
}

std::string_view Pickle::text(Id id) const {
    const auto* text = std::get_if<std::string_view>(&m_values[id]);
    return text ? *text : std::string_view();
}

std::uint64_t Pickle::unsignedInteger(Id id) const {
    if (const auto* large = std::get_if<std::uint64_t>(&m_values[id])) return *large;
    const auto* value = std::get_if<std::int64_t>(&m_values[id]);
    return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

std::int64_t Pickle::integer(Id id, std::int64_t fallback) const {
    const auto* value = std::get_if<std::int64_t>(&m_values[id]);
    return value ? *value : fallback;
}

bool Pickle::boolean(Id id) const {
    const auto* value = std::get_if<bool>(&m_values[id]);
    return value && *value;
}

bool looksLikePickle(std::string_view head) {
    if (head.size() < 2) return false;
    if (static_cast<std::uint8_t>(head[0]) == opcode::Proto) return head[1] >= 2 && head[1] <= 5;
    return head.starts_with("(dp0\n") || head.starts_with("}q");
}

} // namespace dynascope::capture
