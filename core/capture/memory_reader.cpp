// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/memory_reader.h"

#include "core/capture/packed.h"
#include "core/capture/pickle.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace dynascope::capture {

namespace {

using session::MemoryBlock;
using session::MemoryEvent;
using session::MemorySegment;
using session::MemorySnapshot;

constexpr int maxDevices = 4096;

template <typename Value, std::size_t size>
Value lookUp(const std::array<std::pair<std::string_view, Value>, size>& names, std::string_view name,
             Value fallback) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
    return found == names.end() ? fallback : found->second;
}

MemoryBlock::State stateOf(std::string_view name) {
    using State = MemoryBlock::State;
    static constexpr std::array<std::pair<std::string_view, State>, 4> names = {{
        {"active_allocated", State::Active},
        {"active_pending_free", State::PendingFree},
        {"active_awaiting_free", State::PendingFree},
        {"inactive", State::Inactive},
    }};
    return lookUp(names, name, State::Other);
}

MemoryEvent::Action actionOf(std::string_view name) {
    using Action = MemoryEvent::Action;
    static constexpr std::array<std::pair<std::string_view, Action>, 9> names = {{
        {"alloc", Action::Alloc},
        {"free_requested", Action::FreeRequested},
        {"free_completed", Action::FreeCompleted},
        {"segment_alloc", Action::SegmentAlloc},
        {"segment_free", Action::SegmentFree},
        {"segment_map", Action::SegmentMap},
        {"segment_unmap", Action::SegmentUnmap},
        {"snapshot", Action::Snapshot},
        {"oom", Action::OutOfMemory},
    }};
    return lookUp(names, name, Action::Other);
}

std::string spell(const Pickle& pickle, Pickle::Id id) {
    return std::visit(
        [](const auto& value) -> std::string {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, bool>)
                return value ? "True" : "False";
            else if constexpr (std::is_arithmetic_v<T>)
                return std::to_string(value);
            else if constexpr (std::is_same_v<T, std::string_view>)
                return std::string(value);
            else
                return {};
        },
        pickle.value(id));
}

class SnapshotReader {
public:
    explicit SnapshotReader(const Pickle& pickle)
        : m_pickle(pickle) {}

    [[nodiscard]] Result<MemorySnapshot> run() {
        const Pickle::Id root = m_pickle.root();
        const bool isBare = std::holds_alternative<Pickle::Sequence>(m_pickle.value(root));
        const Pickle::Id segments = isBare ? root : m_pickle.find(root, "segments");
        const Pickle::Id traces = m_pickle.find(root, "device_traces");
        if (!std::holds_alternative<Pickle::Sequence>(m_pickle.value(segments)))
            return failure("not a memory snapshot: it has no list \"segments\"");
        // Any list could be a bare one: its items tell.
        const std::vector<Pickle::Id>& items = m_pickle.items(segments);
        if (isBare && std::none_of(items.begin(), items.end(), [&](Pickle::Id item) {
                return m_pickle.find(item, "blocks") != Pickle::none;
            }))
            return failure("not a memory snapshot: no item of its list has blocks");
        for (const Pickle::Id segment : items)
            readSegment(segment);
        const std::vector<Pickle::Id>& devices = m_pickle.items(traces);
        for (std::size_t i = 0; i < std::min<std::size_t>(devices.size(), maxDevices); ++i) {
            std::vector<MemoryEvent>& trace = m_out.traces.emplace_back();
            for (const Pickle::Id event : m_pickle.items(devices[i]))
                if (mayAdd()) trace.push_back(readEvent(event));
        }
        if (const auto* settings =
                std::get_if<Pickle::Dict>(&m_pickle.value(m_pickle.find(root, "allocator_settings"))))
            for (std::size_t i = 0; i + 1 < settings->items.size(); i += 2)
                m_out.settings.emplace_back(m_pickle.text(settings->items[i]),
                                            spell(m_pickle, settings->items[i + 1]));
        if (m_parts > m_pickle.size()) return failure("the snapshot repeats its parts beyond measure");
        return std::move(m_out);
    }

private:
    /// Every part of a real snapshot is a dict of its own. A list that is shared many times over would grow
    /// without end here.
    bool mayAdd() { return ++m_parts <= m_pickle.size(); }

    void readSegment(Pickle::Id id) {
        if (!mayAdd()) return;
        MemorySegment segment;
        segment.device = static_cast<int>(std::clamp<std::int64_t>(field(id, "device"), 0, maxDevices - 1));
        segment.address = number(id, "address");
        segment.bytes = number(id, "total_size");
        segment.stream = number(id, "stream");
        segment.type = m_pickle.text(m_pickle.find(id, "segment_type"));
        segment.expandable = m_pickle.boolean(m_pickle.find(id, "is_expandable"));
        std::uint64_t at = segment.address;
        for (const Pickle::Id item : m_pickle.items(m_pickle.find(id, "blocks"))) {
            if (!mayAdd()) return;
            MemoryBlock block;
            block.bytes = number(item, "size");
            block.address = at; // snapshots of before PyTorch 2.1 do not say it
            if (const std::uint64_t own = number(item, "address"); own != 0) block.address = own;
            at = block.address + block.bytes;
            block.requested = number(item, "requested_size");
            block.state = stateOf(m_pickle.text(m_pickle.find(item, "state")));
            Pickle::Id frames = m_pickle.find(item, "frames");
            if (frames == Pickle::none) { // as before PyTorch 2.1: the last allocation comes first
                const std::vector<Pickle::Id>& history = m_pickle.items(m_pickle.find(item, "history"));
                if (!history.empty()) {
                    frames = m_pickle.find(history.front(), "frames");
                    if (block.requested == 0) block.requested = number(history.front(), "real_size");
                }
            }
            if (block.requested == 0) block.requested = block.bytes;
            block.stack = stack(frames);
            segment.blocks.push_back(block);
        }
        m_out.segments.push_back(std::move(segment));
    }

    MemoryEvent readEvent(Pickle::Id id) {
        MemoryEvent event;
        event.action = actionOf(m_pickle.text(m_pickle.find(id, "action")));
        event.address = number(id, event.action == MemoryEvent::Action::OutOfMemory ? "device_free" : "addr");
        event.bytes = number(id, "size");
        event.timeUs = field(id, "time_us");
        event.stack = stack(m_pickle.find(id, "frames"));
        return event;
    }

    /// Frames are listed innermost first; lists are shared between blocks and events.
    session::StackIndex stack(Pickle::Id frames) {
        const std::vector<Pickle::Id>& items = m_pickle.items(frames);
        if (items.empty()) return 0;
        const auto [known, isNew] =
            m_stacks.try_emplace(frames, static_cast<session::StackIndex>(m_out.stacks.size()));
        if (!isNew) return known->second;
        ir::StackTrace out;
        constexpr std::size_t maxFrames = 1000;
        for (std::size_t i = std::min(items.size(), maxFrames); i-- > 0;) {
            ir::SourceLocation frame;
            frame.file = m_pickle.text(m_pickle.find(items[i], "filename"));
            frame.function = m_pickle.text(m_pickle.find(items[i], "name"));
            frame.line =
                static_cast<std::uint32_t>(std::clamp<std::int64_t>(field(items[i], "line"), 0, UINT32_MAX));
            out.push_back(std::move(frame));
        }
        m_out.stacks.push_back(std::move(out));
        return known->second;
    }

    [[nodiscard]] std::uint64_t number(Pickle::Id dict, std::string_view key) const {
        return m_pickle.unsignedInteger(m_pickle.find(dict, key));
    }
    [[nodiscard]] std::int64_t field(Pickle::Id dict, std::string_view key) const {
        return m_pickle.integer(m_pickle.find(dict, key));
    }

    const Pickle& m_pickle;
    MemorySnapshot m_out;
    std::unordered_map<Pickle::Id, session::StackIndex> m_stacks;
    std::size_t m_parts = 0;
};

} // namespace

Result<MemorySnapshot> readMemorySnapshot(std::string_view bytes, const TaskContext& task) {
    const Result<Pickle> pickle = Pickle::read(bytes, task);
    if (!pickle) return tl::unexpected(pickle.error());
    return SnapshotReader(*pickle).run();
}

Result<MemorySnapshot> openMemorySnapshot(const std::string& path, const TaskContext& task) {
    Result<session::ByteSourcePtr> source = session::openByteSource(path);
    if (!source) return tl::unexpected(source.error());
    if (looksPacked((*source)->bytes())) {
        Result<Unpacked> unpacked = unpack((*source)->bytes(), path, task);
        if (!unpacked) return tl::unexpected(unpacked.error());
        if (unpacked->files.size() != 1) return failure("holds several files, not one memory snapshot", path);
        source = std::move(unpacked->files.front().source);
    }
    return readMemorySnapshot((*source)->bytes(), task).map_error([&](Error error) {
        error.file = path;
        return error;
    });
}

} // namespace dynascope::capture
