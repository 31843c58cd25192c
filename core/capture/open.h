// SPDX-License-Identifier: BSD-3-Clause
//
// The way in: any supported file or text becomes a Session. The kind is told by content, never by name.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"
#include "core/store/session_file.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

class LogMemory;

struct OpenOptions {
    bool checkHashes = true;                        ///< compare each payload with its has_payload MD5
    std::size_t chunkBytes = std::size_t{4} << 20U; ///< about how much of a trace one core reads at a time
    /// Reads logs on from where they were read to the last time with the same memory; may be null.
    std::shared_ptr<LogMemory> memory{};
    /// Called once with what was read, before anybody else sees it; may be empty.
    std::function<void(session::Session&)> finish{};
};

/// Opens a file, or a folder or archive that holds trace logs (all its *.log files as ranks of one session);
/// each may be compressed (packed.h says how); or a session file. An Error only when nothing could be read at
/// all (no such file, empty, no record); everything else becomes a Warning of the session. Blocks; run it on
/// a worker.
[[nodiscard]] Result<session::SessionPtr> open(const std::string& path, const TaskContext& task = {},
                                               const OpenOptions& options = {});

/// How the names of files end that captures are kept in, packed or not: ".log", ".dsteps". Files of other names open as
/// well, by what they hold.
[[nodiscard]] std::span<const std::string_view> fileEndings();

/// A capture with what a session file holds besides; `saved` is null for any other input.
struct Opened {
    session::SessionPtr session;
    std::shared_ptr<const store::SessionContents> saved;
};
/// As open().
[[nodiscard]] Result<Opened> openSaved(const std::string& path, const TaskContext& task = {},
                                       const OpenOptions& options = {});

/// The files that open() reads a path from, and in `unusable` those of a folder that cannot be read.
[[nodiscard]] Result<session::Inputs> inputsOf(const std::string& path,
                                               std::vector<session::Warning>& unusable);
/// As openSaved(), of what inputsOf() found.
[[nodiscard]] Result<Opened> openSavedInputs(session::Inputs inputs, std::vector<session::Warning> unusable,
                                             const TaskContext& task = {}, const OpenOptions& options = {});

/// Reads again what a session was read from (Session::inputs), from memory. The title and the place in
/// messages follow from Inputs::path.
[[nodiscard]] Result<session::SessionPtr> openInputs(session::Inputs inputs, const TaskContext& task = {},
                                                     const OpenOptions& options = {});

/// The same for text that was pasted or dropped. `label` stands in for the path.
[[nodiscard]] Result<session::SessionPtr> openText(std::string text, std::string label = "pasted text",
                                                   const TaskContext& task = {});

} // namespace dynascope::capture
