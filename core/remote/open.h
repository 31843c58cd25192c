// SPDX-License-Identifier: BSD-3-Clause
//
// The way in for captures of this machine and of others.
#pragma once

#include "core/base/task.h"
#include "core/capture/open.h"
#include "core/remote/address.h"

#include <string>

namespace dynascope::remote {

/// capture::openSaved(); of an address "ssh://host/path" the capture there, which `dynascope-cli serve` reads. Logs of
/// TORCH_TRACE come without most of their graphs and code, which follow when something looks at them; everything else comes
/// whole. Blocks; run it on a worker.
[[nodiscard]] Result<capture::Opened> openSaved(const std::string& path, const TaskContext& task = {},
                                                const capture::OpenOptions& options = {});
[[nodiscard]] Result<session::SessionPtr> open(const std::string& path, const TaskContext& task = {},
                                               const capture::OpenOptions& options = {});

/// capture::readAgain() of all of it: of an address what lies there now.
[[nodiscard]] Result<session::SessionPtr> readAgain(const session::Session& before,
                                                    const TaskContext& task = {});

} // namespace dynascope::remote
