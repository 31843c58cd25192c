// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/session/memory_snapshot.h"

#include <string>
#include <string_view>

namespace dynascope::capture {

/// Reads what torch.cuda.memory._dump_snapshot writes (torch/cuda/memory.py; also memory_snapshot()'s bare
/// list of segments). The pickle is read by Pickle, so nothing in it is carried out. Fields that are missing
/// or of another type count as absent. An Error where it is no such snapshot.
[[nodiscard]] Result<session::MemorySnapshot> readMemorySnapshot(std::string_view bytes,
                                                                 const TaskContext& task = {});

/// The same for a file, which may be compressed.
[[nodiscard]] Result<session::MemorySnapshot> openMemorySnapshot(const std::string& path,
                                                                 const TaskContext& task = {});

} // namespace dynascope::capture
