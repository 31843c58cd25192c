// SPDX-License-Identifier: BSD-3-Clause
//
// The logs of the ranks of one run: which files of a folder they are, and which rank each is of.
#pragma once

#include "core/session/session.h"

#include <string>
#include <vector>

namespace dynascope::capture {

/// The rank that a file is of by its name: "x_rank_3_y.log", "rank3.txt", "rank-3/stderr.log", and what
/// torchrun writes, "attempt_0/3/stderr.log". -1 where it names none. `name` is relative to what was opened.
[[nodiscard]] int rankOfName(const std::string& name);

[[nodiscard]] bool isLogName(const std::string& name); ///< "x.log"
[[nodiscard]] bool isLogFile(const std::string& name); ///< or packed: "x.log.gz"

/// Whether a file of a capture is no log but lies beside them, to be read by itself and joined to what they say: a dump of
/// the flight recorder, a profile, or a memory snapshot.
[[nodiscard]] bool liesBeside(const session::InputFile& file);

/// The files of a folder that can hold a capture: its logs (*.log, packed or not), recordings (*.dsteps), profiles
/// (*.json, *.json.gz) and memory snapshots (*.pickle, *.pkl), and beside these the flight recorder's dumps (isDumpName()),
/// else the files of a TORCH_COMPILE_DEBUG folder, else all logs in the folders below, as torchrun --log-dir
/// lays them out. What cannot be read is added to `unusable`.
[[nodiscard]] session::Inputs readFolder(const std::string& folder, std::vector<session::Warning>& unusable);

} // namespace dynascope::capture
