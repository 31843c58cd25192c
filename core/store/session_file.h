// SPDX-License-Identifier: BSD-3-Clause
//
// The session file, NAME.dynascope: one SQLite database with a capture and what was found out about it.
//
// A session file may come from a stranger. It is read from memory, never written, never executed, and what is
// in it is checked as any capture is. Saving replaces the file as a whole: a kill at any moment leaves the
// old file or the new one.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/ir/graph.h"
#include "core/session/session.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::store {

/// What somebody wrote about a compile, a stage or a node.
struct Note {
    ir::Address address;
    std::string text;
    std::int64_t changed = 0; ///< seconds since 1970 UTC; 0 where not known
    friend bool operator==(const Note&, const Note&) = default;
};

/// A place to come back to.
struct Bookmark {
    ir::Address address;
    friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

/// A stage that the engine made, with what it recorded.
struct SavedStage {
    int parent = -1;          ///< index into SessionContents::stages; -1: made from `root` itself
    ir::Address root;         ///< the captured stage that it all began with
    std::string name, detail; ///< as session::Stage
    int k = 0;
    std::string graph;     ///< text
    std::string recording; ///< JSON: how it was made and the engine's reply; read by who made it
    std::string verdict;   ///< JSON: what verification said; may be empty
    friend bool operator==(const SavedStage&, const SavedStage&) = default;
};

/// The result of recording and replaying a graph.
struct Replay {
    ir::Address root;
    std::string backend; ///< "cpu", "cuda"
    std::string result;  ///< JSON
    friend bool operator==(const Replay&, const Replay&) = default;
};

/// All that a session file holds. A value; cheap to copy as far as the capture goes.
struct SessionContents {
    /// Tells captures apart without reading them: 32 letters, made at the first save. Empty before.
    std::string captureId;
    session::Inputs inputs;
    std::vector<SavedStage> stages; ///< parents first
    std::vector<Replay> replays;
    std::vector<Note> notes;
    std::vector<Bookmark> bookmarks;
    /// What the window looked like, part by part: bytes that only the window reads.
    std::map<std::string, std::string> layout;
};

/// Whether a file begins as a session file does (as any SQLite database).
[[nodiscard]] bool looksLikeSession(std::string_view head);

/// What one session may hold: what is saved within them can be read within them.
struct SessionLimits {
    std::uint64_t bytes = std::uint64_t{16} << 30U; ///< of the capture, unpacked
    std::uint64_t texts = std::uint64_t{1} << 30U;  ///< of all else, unpacked
    std::size_t rows = 1'000'000;                   ///< files, stages, replays, notes, bookmarks: of each
};

/// An error that names the largest part and what it takes, where `contents` is more than a session may hold.
[[nodiscard]] Result<void> withinLimits(const SessionContents& contents, const SessionLimits& limits);

/// Reads a session file, whole. `file` is what `label` holds; it is not kept. The capture is spooled to the
/// folder for temporary files. Blocks; run it on a worker. Errors are one line: no session, damaged, saved by
/// a newer Dynascope, a limit.
[[nodiscard]] Result<SessionContents> readSession(const session::ByteSource& file, const std::string& label,
                                                  const TaskContext& task = {},
                                                  const SessionLimits& limits = {});

/// Saves a session, and returns the id of its capture, to be kept in `contents`. Where `path` holds the same
/// capture already, that part is copied as it is, so that saving a note costs little. What is above the
/// limits is an error, and the file stays as it was. Blocks.
[[nodiscard]] Result<std::string> saveSession(const std::string& path, const SessionContents& contents,
                                              const TaskContext& task = {}, const SessionLimits& limits = {});

} // namespace dynascope::store
