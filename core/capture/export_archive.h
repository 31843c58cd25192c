// SPDX-License-Identifier: BSD-3-Clause
//
// .pt2 archives of torch.export.save: the programs as stages, everything else listed as records. Weights are
// read as raw numbers; sample inputs and whatever else may be pickled is listed and never loaded.
#pragma once

#include "core/capture/packed.h"

namespace dynascope::capture {

[[nodiscard]] bool isExportArchive(const std::vector<PackedFile>& files);

/// True for the large files that are listed without being unpacked: weights and constants above 1 MiB.
[[nodiscard]] bool isLargeWeight(std::string_view name, std::uint64_t bytes);

/// An Error where no program can be read.
[[nodiscard]] Result<session::Session> readExportArchive(const std::vector<PackedFile>& files,
                                                         const std::string& label, const TaskContext& task);

} // namespace dynascope::capture
