// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

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
    friend bool operator<(const Placed& a, const Placed& b) { return a.offset < b.offset; }
};

bool meets(const Placed& placed, const Block& block) {
    return static_cast<bool>(unsigned(placed.first <= block.last) & unsigned(placed.last >= block.first));
}

/// Blocks that have their place, in order of their offsets. In pieces, so that one more moves few others.
class SortedBlocks {
public:
    void insert(const Placed& placed) {
        if (m_pieces.empty()) m_pieces.emplace_back();
        // The last piece that begins at or before it; only the first may be empty.
        auto piece = std::upper_bound(
            std::next(m_pieces.begin()), m_pieces.end(), placed,
            [](const Placed& value, const std::vector<Placed>& other) { return value < other.front(); });
        --piece;
        piece->insert(std::upper_bound(piece->begin(), piece->end(), placed), placed);
        if (piece->size() < most) return;
        std::vector<Placed> upper(piece->begin() + most / 2, piece->end());
        piece->resize(most / 2);
        m_pieces.insert(std::next(piece), std::move(upper));
    }
    /// Puts those that live together with the block to the front of `to`, which has room for all; how many.
    /// Without a branch: which do is hard to foresee, and this is where the time goes.
    std::size_t collect(const Block& block, std::vector<Placed>& to) const {
        std::size_t count = 0;
        for (const std::vector<Placed>& piece : m_pieces) {
            for (const Placed& placed : piece) {
                to[count] = placed;
                count += meets(placed, block) ? 1 : 0;
            }
        }
        return count;
    }

private:
    static constexpr std::ptrdiff_t most = 512;
    std::vector<std::vector<Placed>> m_pieces;
};

/// Which gap to take of those that a block fits into.
enum class Fit : unsigned char { Lowest, Smallest };

/// Blocks that have their place, found again by lifetime. Those that live shortly are kept by when they live,
/// so that a chain of thousands of ops is not searched as a whole each time.
class Arena {
public:
    Arena(std::uint32_t steps, std::size_t blocks)
        : m_width(std::max<std::uint32_t>(16, steps / 256 + 1))
        , m_short(steps / m_width + 1)
        , m_live(blocks + 1) {}

    /// The offset of a gap that fits, else the end of what lives at the same time.
    [[nodiscard]] std::uint64_t find(Fit fit, const Block& block, std::uint64_t bytes) {
        std::size_t live = 0;
        m_near.clear();
        if (isShort(block)) {
            live = m_long.collect(block, m_live);
            for (std::size_t bucket = block.first / m_width; bucket <= block.last / m_width; ++bucket)
                std::copy_if(m_short[bucket].begin(), m_short[bucket].end(), std::back_inserter(m_near),
                             [&](const Placed& placed) { return meets(placed, block); });
            std::sort(m_near.begin(), m_near.end());
        } else {
            live = m_all.collect(block, m_live);
        }
        std::uint64_t end = 0, best = 0, bestGap = UINT64_MAX;
        const auto visit = [&](const Placed& placed) {
            const bool wanted = fit == Fit::Smallest || bestGap == UINT64_MAX;
            if (wanted && placed.offset > end && placed.offset - end >= bytes &&
                placed.offset - end < bestGap) {
                best = end;
                bestGap = placed.offset - end;
            }
            end = std::max(end, placed.end);
        };
        auto near = m_near.begin();
        for (const Placed& placed : std::span(m_live).first(live)) {
            for (; near != m_near.end() && *near < placed; ++near)
                visit(*near);
            visit(placed);
        }
        std::for_each(near, m_near.end(), visit);
        return bestGap == UINT64_MAX ? end : best;
    }

    void place(const Block& block, std::uint64_t offset, std::uint64_t bytes) {
        const Placed placed{offset, offset + bytes, block.first, block.last};
        m_all.insert(placed);
        if (!isShort(block)) return m_long.insert(placed);
        for (std::size_t bucket = block.first / m_width; bucket <= block.last / m_width; ++bucket)
            m_short[bucket].push_back(placed);
    }

private:
    [[nodiscard]] bool isShort(const Block& block) const {
        return block.last / m_width - block.first / m_width <= 1;
    }

    std::uint32_t m_width;
    SortedBlocks m_all, m_long;
    std::vector<std::vector<Placed>> m_short; ///< by time; those that reach over a border are in two
    std::vector<Placed> m_live, m_near;       ///< for find()
};

Plan pack(std::span<const Block> blocks, const std::vector<std::uint32_t>& order, Fit fit,
          std::uint64_t alignment) {
    std::uint32_t steps = 0;
    for (const Block& block : blocks)
        steps = std::max(steps, block.last);
    Arena arena(steps, blocks.size());
    Plan plan;
    plan.offsets.resize(blocks.size());
    for (const std::uint32_t i : order) {
        const std::uint64_t bytes = roundUp(blocks[i].bytes, alignment);
        plan.offsets[i] = arena.find(fit, blocks[i], bytes);
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
    // Many blocks take long to plan once more.
    constexpr std::size_t many = 4096;
    const std::uint64_t enough = peak + peak / (blocks.size() > many ? 20 : 100);
    Plan best;
    best.arenaBytes = UINT64_MAX;
    const auto attempt = [&](auto&& weight) {
        for (const Fit fit : {Fit::Lowest, Fit::Smallest}) {
            if (best.arenaBytes <= enough) return;
            Plan other = pack(blocks, orderBy(blocks, weight), fit, alignment);
            if (other.arenaBytes < best.arenaBytes) best = std::move(other);
        }
    };
    attempt([&](const Block& block) { return std::pair(size(block), lifetime(block)); });
    attempt([&](const Block& block) { return size(block) * lifetime(block); });
    attempt([&](const Block& block) { return std::pair(lifetime(block), size(block)); });
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
