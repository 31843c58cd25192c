// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/plan.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace dynascope::replay {

namespace {

std::uint64_t roundUp(std::uint64_t bytes, std::uint64_t alignment) {
    return (bytes + alignment - 1) & ~(alignment - 1);
}

struct Event {
    std::uint64_t step = 0;
    bool begins = false;
    std::uint32_t block = 0;
    /// Within a step the dead leave before the new come: `last` is included, so they leave a step later.
    friend bool operator<(const Event& a, const Event& b) {
        return a.step != b.step ? a.step < b.step : a.begins < b.begins;
    }
};

/// Begins and ends of all blocks that are not empty, in order of time.
std::vector<Event> eventsOf(std::span<const Block> blocks) {
    std::vector<Event> out;
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].bytes == 0) continue;
        out.push_back({blocks[i].first, true, i});
        out.push_back({std::uint64_t(std::max(blocks[i].first, blocks[i].last)) + 1, false, i});
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::uint64_t peakOf(std::span<const Block> blocks, std::uint64_t alignment) {
    std::uint64_t live = 0, peak = 0;
    for (const Event& event : eventsOf(blocks)) {
        const std::uint64_t bytes = roundUp(blocks[event.block].bytes, alignment);
        live = event.begins ? live + bytes : live - bytes;
        peak = std::max(peak, live);
    }
    return peak;
}

struct Placed {
    std::uint64_t offset = 0, end = 0;
    std::uint32_t first = 0, last = 0;
};

/// Blocks that have their place, found again by lifetime and in order of their offsets. Those that live
/// shortly are kept by when they live, so that a chain of thousands of ops is not searched as a whole each
/// time.
class Arena {
public:
    explicit Arena(std::uint32_t steps)
        : m_width(std::max<std::uint32_t>(16, steps / 256 + 1))
        , m_short(steps / m_width + 1) {}

    /// The offset of the smallest gap that fits, else the end of what lives at the same time.
    [[nodiscard]] std::uint64_t bestFit(const Block& block, std::uint64_t bytes) {
        std::uint64_t end = 0, best = 0, bestGap = UINT64_MAX;
        const auto visit = [&](const Placed& placed) {
            if (placed.offset > end && placed.offset - end >= bytes && placed.offset - end < bestGap) {
                best = end;
                bestGap = placed.offset - end;
            }
            end = std::max(end, placed.end);
        };
        const auto meets = [&](const Placed& placed) {
            return placed.first <= block.last && placed.last >= block.first;
        };
        if (!isShort(block)) {
            for (const std::uint32_t i : m_all)
                if (meets(m_placed[i])) visit(m_placed[i]);
            return bestGap == UINT64_MAX ? end : best;
        }
        m_near.clear();
        for (std::size_t bucket = block.first / m_width; bucket <= block.last / m_width; ++bucket)
            for (const std::uint32_t i : m_short[bucket])
                if (meets(m_placed[i])) m_near.push_back(i);
        std::sort(m_near.begin(), m_near.end(), Lower{m_placed});
        auto near = m_near.begin();
        for (const std::uint32_t i : m_long) {
            if (!meets(m_placed[i])) continue;
            for (; near != m_near.end() && m_placed[*near].offset < m_placed[i].offset; ++near)
                visit(m_placed[*near]);
            visit(m_placed[i]);
        }
        for (; near != m_near.end(); ++near)
            visit(m_placed[*near]);
        return bestGap == UINT64_MAX ? end : best;
    }

    void place(const Block& block, std::uint64_t offset, std::uint64_t bytes) {
        const auto index = static_cast<std::uint32_t>(m_placed.size());
        m_placed.push_back({offset, offset + bytes, block.first, block.last});
        insert(m_all, index);
        if (!isShort(block)) return insert(m_long, index);
        for (std::size_t bucket = block.first / m_width; bucket <= block.last / m_width; ++bucket)
            m_short[bucket].push_back(index);
    }

private:
    struct Lower {
        const std::vector<Placed>& placed;
        bool operator()(std::uint32_t a, std::uint32_t b) const {
            return placed[a].offset < placed[b].offset;
        }
    };
    [[nodiscard]] bool isShort(const Block& block) const {
        return block.last / m_width - block.first / m_width <= 1;
    }
    void insert(std::vector<std::uint32_t>& sorted, std::uint32_t index) const {
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), index, Lower{m_placed}), index);
    }

    std::uint32_t m_width;
    std::vector<Placed> m_placed;
    // Indices of it.
    std::vector<std::uint32_t> m_all, m_long;        ///< in order of their offsets
    std::vector<std::vector<std::uint32_t>> m_short; ///< by time; those that reach over a border are in two
    std::vector<std::uint32_t> m_near;
};

Plan pack(std::span<const Block> blocks, const std::vector<std::uint32_t>& order, std::uint64_t alignment) {
    std::uint32_t steps = 0;
    for (const Block& block : blocks)
        steps = std::max(steps, block.last);
    Arena arena(steps);
    Plan plan;
    plan.offsets.resize(blocks.size());
    for (const std::uint32_t i : order) {
        const std::uint64_t bytes = roundUp(blocks[i].bytes, alignment);
        plan.offsets[i] = arena.bestFit(blocks[i], bytes);
        arena.place(blocks[i], plan.offsets[i], bytes);
        plan.arenaBytes = std::max(plan.arenaBytes, plan.offsets[i] + bytes);
    }
    return plan;
}

/// Blocks that are not empty, by a weight, the greatest first.
template <typename Weight>
std::vector<std::uint32_t> orderBy(std::span<const Block> blocks, Weight&& weight) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < blocks.size(); ++i)
        if (blocks[i].bytes > 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return weight(blocks[a]) > weight(blocks[b]); });
    return order;
}

double lifetime(const Block& block) {
    return static_cast<double>(block.last) - block.first + 1;
}

} // namespace

Plan planGreedyBySize(std::span<const Block> blocks, std::uint64_t alignment) {
    const std::uint64_t peak = peakOf(blocks, alignment);
    const auto size = [](const Block& block) { return static_cast<double>(block.bytes); };
    Plan best = pack(
        blocks, orderBy(blocks, [&](const Block& block) { return std::pair(size(block), lifetime(block)); }),
        alignment);
    const auto retry = [&](auto&& weight) {
        if (best.arenaBytes <= peak) return;
        Plan other = pack(blocks, orderBy(blocks, weight), alignment);
        if (other.arenaBytes < best.arenaBytes) best = std::move(other);
    };
    retry([&](const Block& block) { return size(block) * lifetime(block); });
    retry([&](const Block& block) { return std::pair(lifetime(block), size(block)); });
    best.peakBytes = peak;
    return best;
}

Plan planFirstFit(std::span<const Block> blocks, std::uint64_t alignment) {
    Plan plan;
    plan.offsets.resize(blocks.size());
    std::map<std::uint64_t, std::uint64_t> used; // offset -> end
    std::uint64_t live = 0;
    for (const Event& event : eventsOf(blocks)) {
        const std::uint64_t bytes = roundUp(blocks[event.block].bytes, alignment);
        if (!event.begins) {
            used.erase(plan.offsets[event.block]);
            live -= bytes;
            continue;
        }
        std::uint64_t offset = 0;
        for (const auto& [begin, end] : used) {
            if (begin - offset >= bytes) break;
            offset = end;
        }
        used.emplace(offset, offset + bytes);
        plan.offsets[event.block] = offset;
        plan.arenaBytes = std::max(plan.arenaBytes, offset + bytes);
        live += bytes;
        plan.peakBytes = std::max(plan.peakBytes, live);
    }
    return plan;
}

std::optional<std::string> planFault(std::span<const Block> blocks, const Plan& plan,
                                     std::uint64_t alignment) {
    if (plan.offsets.size() != blocks.size()) return "the plan is of other blocks";
    const auto name = [](std::uint32_t block) { return "block " + std::to_string(block); };
    std::map<std::uint64_t, std::uint32_t> live; // by offset
    for (const Event& event : eventsOf(blocks)) {
        const std::uint32_t block = event.block;
        const std::uint64_t offset = plan.offsets[block];
        if (!event.begins) {
            live.erase(offset);
            continue;
        }
        if (offset % alignment != 0) return name(block) + " is not aligned";
        if (offset + blocks[block].bytes > plan.arenaBytes) return name(block) + " reaches beyond the arena";
        const auto after = live.lower_bound(offset);
        if (after != live.end() && after->first < offset + blocks[block].bytes)
            return name(block) + " overlaps " + name(after->second);
        if (after != live.begin()) {
            const auto before = std::prev(after);
            if (before->first + blocks[before->second].bytes > offset)
                return name(block) + " overlaps " + name(before->second);
        }
        live.emplace(offset, block);
    }
    return {};
}

} // namespace dynascope::replay
