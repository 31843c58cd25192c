// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/buffer_lives.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace dynascope::inductor {

namespace {

class Lives {
public:
    explicit Lives(const Schedule& schedule)
        : m_outputs(schedule.outputs.begin(), schedule.outputs.end()) {
        for (const auto& [id, node] : schedule.nodes)
            for (const SchedulerNode::Output& output : node.outputs)
                if (output.bytes) m_bytes[output.name] = *output.bytes;
    }

    ScheduleMemory run(const std::vector<WrapperLine>& lines) {
        for (const WrapperLine& line : lines)
            take(line);
        for (const auto& [buffer, at] : m_open)
            m_out.lives[at].last = m_out.steps.empty() ? 0 : m_out.steps.size() - 1;
        addLive();
        return std::move(m_out);
    }

private:
    void take(const WrapperLine& line) {
        switch (line.what) {
        case WrapperLine::What::Allocate:
            ++m_out.allocations;
            begin(line.name, m_memories++, line.bytes, false);
            break;
        case WrapperLine::What::Reuse:
            reuse(line);
            break;
        case WrapperLine::What::Free:
            free(line.name);
            break;
        case WrapperLine::What::Call:
            m_out.steps.push_back(line.name);
            break;
        case WrapperLine::What::Extern:
            m_out.steps.push_back(line.other);
            if (!m_open.contains(line.name)) beginInKernel(line.name);
            break;
        case WrapperLine::What::Item:
            beginInKernel(line.name);
            break;
        case WrapperLine::What::Other:
            break;
        }
    }

    /// The step that the next call will be.
    [[nodiscard]] std::size_t next() const { return m_out.steps.size(); }

    void begin(const std::string& buffer, std::size_t memory, std::optional<std::uint64_t> bytes,
               bool byKernel) {
        if (!bytes)
            if (const auto known = m_bytes.find(buffer); known != m_bytes.end()) bytes = known->second;
        const std::size_t first = byKernel && next() > 0 ? next() - 1 : next();
        m_open[buffer] = m_out.lives.size();
        m_out.lives.push_back(
            {buffer, memory, bytes, first, first, {}, byKernel, m_outputs.contains(buffer)});
    }

    /// What a kernel gives back that the wrapper did not allocate. One that holds several results has no size.
    void beginInKernel(const std::string& buffer) {
        if (m_bytes.contains(buffer)) begin(buffer, m_memories++, std::nullopt, true);
    }

    void reuse(const WrapperLine& line) {
        ++m_out.reuses;
        std::size_t memory = m_memories;
        const auto kept = m_last.find(line.other);
        if (const auto at = m_open.find(line.other); at != m_open.end()) {
            memory = m_out.lives[at->second].memory;
            end(at->second);
            m_open.erase(at);
        } else if (kept != m_last.end()) {
            memory = m_out.lives[kept->second].memory;
        } else {
            ++m_memories; // an input's
        }
        begin(line.name, memory, line.bytes, false);
        m_out.lives.back().takesFrom = line.other;
    }

    void free(const std::string& buffer) {
        const auto at = m_open.find(buffer);
        if (at == m_open.end()) return; // an input
        end(at->second);
        m_last[buffer] = at->second;
        m_open.erase(at);
    }

    void end(std::size_t life) {
        BufferLife& at = m_out.lives[life];
        at.last = std::max(at.first, next() > 0 ? next() - 1 : 0);
        m_last[at.buffer] = life;
    }

    /// Buffers of one memory are counted once at a step.
    void addLive() {
        std::vector<std::int64_t> change(m_out.steps.size() + 1, 0);
        std::unordered_map<std::size_t, std::size_t>
            until; // by memory: the first step that is not counted yet
        for (const BufferLife& life : m_out.lives) {
            if (!life.bytes) ++m_out.unsized;
            std::size_t& counted = until[life.memory];
            const std::size_t first = std::max(life.first, counted);
            if (life.first >= m_out.steps.size() || life.last < first || !life.bytes) continue;
            change[first] += static_cast<std::int64_t>(*life.bytes);
            change[life.last + 1] -= static_cast<std::int64_t>(*life.bytes);
            counted = life.last + 1;
        }
        std::int64_t now = 0;
        for (std::size_t step = 0; step < m_out.steps.size(); ++step) {
            now += change[step];
            m_out.live.push_back(now > 0 ? static_cast<std::uint64_t>(now) : 0);
            if (m_out.live.back() > m_out.live[m_out.peakStep]) m_out.peakStep = step;
        }
    }

    std::set<std::string> m_outputs;
    std::unordered_map<std::string, std::uint64_t> m_bytes;
    std::unordered_map<std::string, std::size_t> m_open, m_last; ///< lives by buffer: that go on, that ended
    std::size_t m_memories = 0;
    ScheduleMemory m_out;
};

} // namespace

ScheduleMemory memoryOf(const Schedule& schedule) {
    return Lives(schedule).run(schedule.wrapper);
}

} // namespace dynascope::inductor
