// SPDX-License-Identifier: BSD-3-Clause
//
// Dumps of PyTorch's flight recorder (torch/csrc/distributed/c10d/FlightRecorder.hpp): the pickle that
// TORCH_FR_DUMP_TEMP_FILE and _dump_fr_trace() give, and the JSON of _dump_fr_trace_json() and of the debug server's
// /fr_trace_json. The pickle is read by Pickle, so nothing in it is carried out. Fields that are missing or of another
// type count as absent.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/ranks/flight.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

/// An Error where it is no such dump. `rank` of the result is left at -1.
[[nodiscard]] Result<ranks::FlightDump> readFlightDump(std::string_view bytes, const TaskContext& task = {});

/// The rank of a dump by its name: "flight_3", "nccl_trace_rank_3", "flight_3.json", "comm_lib_trace_rank_3"; -1 for
/// none.
[[nodiscard]] int rankOfDump(const std::string& name);

struct FlightFolder {
    std::vector<ranks::FlightDump> dumps; ///< by rank, one a rank
    std::vector<Error> unusable;          ///< files that are none, or whose rank is not known
};
/// Dumps of a folder, or the one file. Of a rank with several the one with frames counts, which the pickle has. An Error
/// where there is none.
[[nodiscard]] Result<FlightFolder> readFlightFolder(const std::string& path, const TaskContext& task = {});

/// Whether a file is called as PyTorch and its users call dumps: a name of rankOfDump() that begins with "flight",
/// "fr_trace", "nccl_trace" or "comm_lib_trace".
[[nodiscard]] bool isDumpName(const std::string& name);

/// Whether a file of a capture is a dump by its name, and no log.
[[nodiscard]] bool isDump(const session::InputFile& file);

/// The dumps that a capture was opened with, as a session file and another machine have them too; of one whose input is
/// a file those in its folder, by isDumpName() alone, as the folder may hold anything. Where there is none the result is
/// empty.
[[nodiscard]] Result<FlightFolder> readFlightBeside(const session::Inputs& inputs,
                                                    const TaskContext& task = {});

} // namespace dynascope::capture
