// SPDX-License-Identifier: BSD-3-Clause
//
// Both ends of the engine's protocol from any bytes: framing, and the server's dispatch of requests.
#include "core/engine/server/server.h"
#include "core/engine/wire/framing.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace dynascope;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

struct Read {
    std::vector<engine::Frame> frames;
    bool failed = false;
};

/// The stream's frames when it arrives in pieces of this size.
Read readFrames(std::string_view bytes, std::size_t pieceSize) {
    Read out;
    engine::FrameReader reader;
    for (std::size_t at = 0; at < bytes.size() && !out.failed; at += pieceSize) {
        reader.append(bytes.substr(at, pieceSize));
        for (;;) {
            auto next = reader.nextFrame();
            out.failed = !next;
            if (!next || !*next) break;
            out.frames.push_back(std::move(**next));
        }
    }
    return out;
}

/// Answers at once whatever is asked, with bulk data for some.
engine::Reply answer(const std::string& method, const nlohmann::json& params, const TaskContext& /*task*/) {
    if (method == "bulk")
        return nlohmann::json{{"data", nlohmann::json::binary(std::vector<std::uint8_t>(2000))}};
    if (method == "fail") return tl::unexpected(engine::Failure{engine::ErrorCode::Failed, method, params});
    return params;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 32768));
    const Read whole = readFrames(bytes, std::max<std::size_t>(bytes.size(), 1));
    const Read split = readFrames(bytes, 7);
    require(whole.failed == split.failed && whole.frames.size() == split.frames.size());
    std::string again;
    for (std::size_t i = 0; i < whole.frames.size(); ++i) {
        require(whole.frames[i].body == split.frames[i].body &&
                whole.frames[i].stream == split.frames[i].stream);
        again += whole.frames[i].stream ? engine::streamFrame(*whole.frames[i].stream, whole.frames[i].body)
                                        : engine::frame(whole.frames[i].body);
    }
    require(readFrames(again, 4096).frames.size() == whole.frames.size());

    // The server reads from a pipe, which holds all of it at once.
    int ends[2];
    require(::pipe2(ends, O_CLOEXEC) == 0);
    require(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    require(nowhere >= 0);
    const int status = engine::serve(ends[0], nowhere, answer, std::chrono::milliseconds(1));
    require(status == 0 || status == 1);
    ::close(ends[0]);
    ::close(nowhere);
    return 0;
}
