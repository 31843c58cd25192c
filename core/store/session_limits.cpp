// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/session_file.h"

#include <algorithm>

namespace dynascope::store {

namespace {

/// Adds up parts and remembers the largest.
class Sum {
public:
    explicit Sum(std::uint64_t most)
        : m_most(most) {}

    template <typename Name>
    void add(std::uint64_t bytes, Name name) {
        m_bytes = m_bytes + bytes < m_bytes ? UINT64_MAX : m_bytes + bytes;
        if (bytes <= m_largest) return;
        m_largest = bytes;
        m_name = name();
    }
    [[nodiscard]] Result<void> check(const char* what) const {
        if (m_bytes <= m_most) return {};
        return failure("cannot be saved: " + std::string(what) + " take " + std::to_string(m_bytes) +
                       " bytes, and a session holds at most " + std::to_string(m_most) + "; the largest is " +
                       m_name + " with " + std::to_string(m_largest));
    }

private:
    std::uint64_t m_most, m_bytes = 0, m_largest = 0;
    std::string m_name;
};

Result<void> checkRows(std::size_t count, std::size_t most, const char* what) {
    if (count <= most) return {};
    return failure("cannot be saved: " + std::to_string(count) + ' ' + what +
                   ", and a session holds at most " + std::to_string(most));
}

} // namespace

Result<void> withinLimits(const SessionContents& contents, const SessionLimits& limits) {
    Sum bytes(limits.bytes);
    for (const session::InputFile& file : contents.inputs.files)
        bytes.add(file.source->bytes().size(), [&] { return '\'' + file.name + '\''; });
    Sum texts(limits.texts);
    for (const SavedStage& stage : contents.stages)
        texts.add(stage.graph.size() + stage.recording.size() + stage.verdict.size(),
                  [&] { return "stage '" + stage.name + "' of " + stage.root.toString(); });
    for (const Replay& replay : contents.replays)
        texts.add(replay.result.size(), [&] { return "the replay of " + replay.root.toString(); });
    for (const auto& [part, state] : contents.layout)
        texts.add(state.size(), [&part = part] { return "the layout's '" + part + '\''; });
    Result<void> fits = bytes.check("the capture's files");
    if (fits) fits = texts.check("stages, replays and layout");
    // A file has a row for each few MiB, and one at least.
    if (fits) fits = checkRows(contents.inputs.files.size(), limits.rows / 2, "files");
    if (fits) fits = checkRows(contents.stages.size(), limits.rows, "stages");
    if (fits) fits = checkRows(contents.replays.size(), limits.rows, "replays");
    if (fits) fits = checkRows(contents.notes.size(), limits.rows, "notes");
    if (fits) fits = checkRows(contents.bookmarks.size(), limits.rows, "bookmarks");
    return fits;
}

} // namespace dynascope::store
