// SPDX-License-Identifier: BSD-3-Clause
//
// What TORCH_COMPILE_DEBUG=1 leaves behind (torch/_inductor/debug.py): folders such as
// torch_compile_debug/run_*/torchinductor/model__0_inference_0.0, and drawings of the graph before and after
// Inductor's passes (trace.log_url_for_graph_xform).
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/session/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

/// A file of such a folder, by its path from the folder that was opened.
struct DebugFile {
    std::string path;
    session::ByteSourcePtr source;
};

/// Whether a file with this path belongs to such a folder.
[[nodiscard]] bool isDebugFile(std::string_view path);

/// The files of a folder on disk that are of it, at most a few levels down; links are not followed. Empty
/// where it is no such folder. Files that cannot be read are named in `warnings`.
[[nodiscard]] std::vector<DebugFile> debugFiles(const std::string& folder,
                                                std::vector<session::Warning>& warnings);

/// A trace log among the files (torch_compile_debug/tlparse) tells the compiles, and the rest are records
/// beside it. Without one, the models are numbered as AOTAutograd did: model__3 is shown as compile 3/0,
/// since its own id is not written down. Passes that were drawn become stages <pass>_input_graph and
/// <pass>_output_graph. Cancelling gives an Error.
[[nodiscard]] Result<session::Session> readDebugFolder(std::vector<DebugFile> files, const std::string& label,
                                                       const TaskContext& task);

} // namespace dynascope::capture
