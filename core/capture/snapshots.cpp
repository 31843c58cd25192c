// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/snapshots.h"

#include "core/capture/log_folder.h"
#include "core/capture/memory_reader.h"
#include "core/capture/pickle.h"

#include <algorithm>

namespace dynascope::capture {

bool isSnapshot(std::string_view name, std::string_view bytes) {
    if (!name.ends_with(".pickle") && !name.ends_with(".pkl")) return false;
    constexpr std::size_t headBytes = 65536;
    const std::string_view head = bytes.substr(0, headBytes);
    // A dict begins with them; a bare list, as memory_snapshot() gives it, with a segment.
    return looksLikePickle(bytes) && (head.find("segments") != std::string_view::npos ||
                                      head.find("segment_type") != std::string_view::npos);
}

bool addSnapshots(session::Session& session, const session::Inputs& inputs, const TaskContext& task) {
    for (const session::InputFile& file : inputs.files) {
        if (!isSnapshot(file.name, file.source->bytes())) continue;
        Result<session::MemorySnapshot> snapshot = readMemorySnapshot(file.source->bytes(), task);
        if (task.cancelled()) return false;
        if (snapshot)
            session.memories.push_back(
                {rankOfName(file.name), file.name,
                 std::make_shared<const session::MemorySnapshot>(std::move(*snapshot))});
        else
            session.warnings.push_back({Error{snapshot.error().message, file.name, 0, 0}, SIZE_MAX});
    }
    std::ranges::stable_sort(session.memories, {}, &session::FoundMemory::rank);
    if (!session.memories.empty()) session.memory = session.memories.front().snapshot;
    return true;
}

} // namespace dynascope::capture
