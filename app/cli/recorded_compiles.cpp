// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/recorded_compiles.h"

#include "app/cli/command.h"
#include "core/session/symbol_hints.h"

namespace dynascope::cli {

Result<std::vector<RecordedCompile>> recordedCompiles(const std::string& path, const std::string& frame) {
    const auto session = openInput(path);
    if (!session) return tl::unexpected(session.error());
    if ((*session)->passRecordings.empty())
        return failure(
            "no recording of passes is beside this trace; dynascope-cli capture --passes -- python script.py "
            "makes one",
            path);
    std::vector<RecordedCompile> out;
    for (const session::Compile& compile : (*session)->compiles) {
        if (!matchesFrame(compile, frame)) continue;
        RecordedCompile one{compileName(**session, compile),
                            {},
                            inductor::passesOf(**session, compile),
                            session::symbolHints(compile)};
        if (!one.passes.recording) continue;
        one.title = one.name + (compile.function.empty() ? "" : "  " + compile.function) + '\n';
        out.push_back(std::move(one));
    }
    return out;
}

std::string phaseName(const inductor::PassPhase& phase) {
    return phase.name == phase.graph ? phase.name : phase.name + ", " + phase.graph;
}

} // namespace dynascope::cli
