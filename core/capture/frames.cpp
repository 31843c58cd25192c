// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/frames.h"

#include "core/session/resume.h"

#include <map>
#include <tuple>

namespace dynascope::capture {

std::vector<session::Frame> groupFrames(const std::vector<session::Compile>& compiles,
                                        const std::vector<CodeObject>& code) {
    // (rank and run, file, function) -> first line -> index into the result
    std::map<std::tuple<std::pair<int, int>, std::string, std::string>, std::map<std::uint32_t, std::size_t>>
        known;
    std::vector<session::Frame> out;
    for (std::size_t i = 0; i < compiles.size(); ++i) {
        const session::Compile& compile = compiles[i];
        const std::optional<session::ResumedFunction> resumed =
            session::parseResumedFunction(compile.function);
        const std::string function(resumed ? resumed->function : std::string_view(compile.function));
        auto& byLine = known[{compile.origin(), code[i].file, function}];
        auto found = byLine.find(code[i].firstLine);
        if (resumed && found == byLine.end()) {
            found = byLine.upper_bound(code[i].firstLine);
            found = found == byLine.begin() ? byLine.end() : std::prev(found);
        }
        if (found == byLine.end()) {
            session::Frame frame;
            frame.function = function;
            frame.rank = compile.rank;
            frame.run = compile.id.run;
            if (const ir::SourceLocation* at = compile.location(); at && at->file == code[i].file)
                frame.location = *at;
            frame.location.file = code[i].file;
            if (code[i].firstLine != 0) frame.location.line = code[i].firstLine;
            found = byLine.emplace(code[i].firstLine, out.size()).first;
            out.push_back(std::move(frame));
        }
        out[found->second].compiles.push_back(i);
    }
    return out;
}

} // namespace dynascope::capture
