// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/memory_groups.h"

#include <algorithm>
#include <numeric>

namespace dynascope::session {

bool isUserFrame(const ir::SourceLocation& frame) {
    const std::string_view file = frame.file;
    return file.ends_with(".py") && !file.starts_with("torch/") &&
           file.find("/torch/") == std::string_view::npos &&
           file.find("/dynascope_capture/") == std::string_view::npos; // our recorder's calls of PyTorch
}

const ir::SourceLocation* userFrame(const ir::StackTrace& stack) {
    const auto found = std::find_if(stack.rbegin(), stack.rend(), isUserFrame);
    return found == stack.rend() ? nullptr : &*found;
}

std::size_t MemoryGroups::groupOf(StackIndex stack) {
    const auto [known, isNew] = m_ofStack.try_emplace(stack, m_groups.size());
    if (isNew) {
        const ir::SourceLocation* at = userFrame(m_snapshot.stacks[stack]);
        const auto key = at ? std::tuple(std::string_view(at->file), at->line, std::string_view(at->function))
                            : std::tuple(std::string_view(), 0U, std::string_view());
        const auto [group, added] = m_ofLine.try_emplace(key, m_groups.size());
        if (added) {
            m_groups.emplace_back();
            m_largest.push_back(0);
            if (at) m_groups.back().at = *at;
        }
        known->second = group->second;
    }
    return known->second;
}

std::size_t MemoryGroups::add(StackIndex stack, std::uint64_t bytes) {
    const std::size_t index = groupOf(stack);
    MemoryGroup& group = m_groups[index];
    group.bytes += bytes;
    ++group.blocks;
    std::uint64_t& largest = m_largest[index];
    if (group.blocks > 1 && bytes <= largest) return index;
    largest = bytes;
    group.stack.clear();
    for (const ir::SourceLocation& frame : m_snapshot.stacks[stack])
        if (isUserFrame(frame)) group.stack.push_back(frame);
    return index;
}

std::vector<MemoryGroup> MemoryGroups::finish(std::vector<std::size_t>* placeOf) && {
    std::vector<std::size_t> order(m_groups.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return m_groups[a].bytes > m_groups[b].bytes; });
    if (placeOf) placeOf->resize(order.size());
    std::vector<MemoryGroup> out;
    out.reserve(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        if (placeOf) (*placeOf)[order[place]] = place;
        out.push_back(std::move(m_groups[order[place]]));
    }
    return out;
}

} // namespace dynascope::session
