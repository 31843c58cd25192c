// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/bytecode_values.h"

#include <algorithm>
#include <array>

namespace dynascope::session {

namespace {

/// Bounds of a slice of `size` items.
std::optional<std::pair<std::size_t, std::size_t>> bounds(const CodeValue& slice, std::size_t size) {
    if (slice.kind != CodeKind::Slice || slice.items.size() != 2) return {};
    std::array<std::size_t, 2> out{0, size};
    for (std::size_t i = 0; i < 2; ++i) {
        const CodeValue& item = *slice.items[i];
        if (item.kind == CodeKind::None) continue;
        if (item.kind != CodeKind::Integer) return {};
        const std::int64_t at = item.number < 0 ? item.number + static_cast<std::int64_t>(size) : item.number;
        out[i] = static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(size)));
    }
    return std::pair(out[0], std::max(out[0], out[1]));
}

} // namespace

CodeValuePtr codeValue(CodeKind kind, std::int64_t number, std::string text) {
    auto out = std::make_shared<CodeValue>();
    out->kind = kind;
    out->number = number;
    out->text = std::move(text);
    return out;
}

std::optional<std::size_t> itemPosition(const CodeValue& key, std::size_t size) {
    if (key.kind != CodeKind::Integer) return {};
    const std::int64_t at = key.number < 0 ? key.number + static_cast<std::int64_t>(size) : key.number;
    return at >= 0 && at < static_cast<std::int64_t>(size) ? std::optional(static_cast<std::size_t>(at))
                                                           : std::nullopt;
}

CodeValuePtr itemOf(const CodeValue& container, const CodeValue& key) {
    if (container.kind == CodeKind::GraphResults && key.kind == CodeKind::Integer && key.number >= 0)
        return codeValue(CodeKind::GraphOutput, key.number);
    if (container.kind != CodeKind::Sequence) return codeValue(CodeKind::Unknown);
    if (const auto at = itemPosition(key, container.items.size())) return container.items[*at];
    const auto range = bounds(key, container.items.size());
    if (!range) return codeValue(CodeKind::Unknown);
    CodeValuePtr out = codeValue(CodeKind::Sequence);
    out->items.assign(container.items.begin() + static_cast<std::ptrdiff_t>(range->first),
                      container.items.begin() + static_cast<std::ptrdiff_t>(range->second));
    return out;
}

void storeItem(CodeValue& container, const CodeValue& key, const CodeValuePtr& stored) {
    if (container.kind != CodeKind::Sequence) return;
    if (const auto at = itemPosition(key, container.items.size())) {
        container.items[*at] = stored;
        return;
    }
    const auto range = bounds(key, container.items.size());
    if (!range || (stored && stored->kind != CodeKind::Sequence)) {
        container.kind = CodeKind::Unknown;
        return;
    }
    const std::vector<CodeValuePtr> items = stored ? stored->items : std::vector<CodeValuePtr>();
    const auto begin = container.items.begin();
    const auto after = container.items.erase(begin + static_cast<std::ptrdiff_t>(range->first),
                                             begin + static_cast<std::ptrdiff_t>(range->second));
    if (container.items.size() + items.size() <= mostCodeItems)
        container.items.insert(after, items.begin(), items.end());
    else
        container.kind = CodeKind::Unknown;
}

CodeValuePtr copyOf(const CodeValuePtr& from, CodeCopies& copies, int depth) {
    if (from->kind != CodeKind::Sequence || depth > 50) return from;
    CodeValuePtr& to = copies[from.get()];
    if (to) return to;
    to = std::make_shared<CodeValue>(*from);
    for (CodeValuePtr& item : to->items)
        item = copyOf(item, copies, depth + 1);
    return to;
}

} // namespace dynascope::session
