// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote/service.h"

#include "core/capture/log_index.h"
#include "core/capture/open.h"
#include "core/engine/wire/framing.h"
#include "core/remote/away_source.h"
#include "core/remote/protocol.h"
#include "core/session/mapping_guard.h"
#include "core/store/packing.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

namespace dynascope::remote {

struct Service::Capture {
    session::Inputs inputs;
};

namespace {

namespace fs = std::filesystem;
using engine::ErrorCode;
using engine::Failure;
using engine::Reply;
using engine::RequestContext;
using nlohmann::json;

tl::unexpected<Failure> failed(std::string message) {
    return tl::unexpected(Failure{ErrorCode::Failed, std::move(message), {}});
}

tl::unexpected<Failure> failed(const Error& error) {
    if (error.isCancelled()) return tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}});
    return failed(error.toString());
}

std::string withHome(const std::string& path) {
    if (path != "~" && !path.starts_with("~/")) return path;
    const char* const home = std::getenv("HOME");
    return home != nullptr ? home + path.substr(1) : path;
}

/// Sends what is given to it packed, in one stream.
class PackedStream {
public:
    explicit PackedStream(const RequestContext& task)
        : m_task(task) {}

    /// `all` in one go: what is packed at once is packed best.
    [[nodiscard]] Result<void> send(std::string_view all) const {
        return store::pack(
            all, engine::maxPieceBytes,
            [this](std::string_view part) -> Result<void> {
                if (m_task.onData && m_task.onData(part)) return {};
                if (m_task.cancelled()) return cancellation();
                return failure("nobody takes what was asked for");
            },
            m_task);
    }

private:
    const RequestContext& m_task;
};

/// What was mapped and is cut short meanwhile reads as zeros, which nobody must take for the file.
Result<void> checkLost() {
    if (!session::anyFileLost()) return {};
    return failure("was cut short while it was read", session::lostFiles().front());
}

} // namespace

Service::Service() = default;
Service::~Service() = default;

namespace {

Reply hello(const json& params) {
    const auto said = wire::decode<HelloRequest>(params);
    if (!said) return engine::invalid(said.error().message);
    return wire::encode(HelloReply{protocolVersion, DYNASCOPE_VERSION});
}

RemoteFile describe(const session::Inputs& inputs, const session::InputFile& file) {
    RemoteFile out{file.name, file.source->bytes().size(), 0, 0};
    // A recording is a folder of its own, named as its file.
    const fs::path whole(inputs.path);
    const std::array<fs::path, 2> places{file.name.empty() ? whole : whole / file.name,
                                         whole.parent_path() / file.name};
    struct stat info {};
    if (std::ranges::any_of(places, [&info](const fs::path& at) { return ::stat(at.c_str(), &info) == 0; })) {
        out.device = info.st_dev;
        out.inode = info.st_ino;
    }
    return out;
}

Reply index(const session::Inputs& inputs, const json& params, const RequestContext& task) {
    const auto said = wire::decode<IndexRequest>(params);
    if (!said) return engine::invalid(said.error().message);
    if (said->file >= inputs.files.size()) return engine::invalid("no such file");
    const std::string_view text = inputs.files[said->file].source->bytes();
    const auto pieces = capture::stayingPieces(text, task);
    if (!pieces) return failed(cancellation().value());
    const std::vector<capture::StayingPiece>& staying = *pieces;
    IndexReply reply{text.size(), staying.size()};
    for (const capture::StayingPiece& one : staying)
        reply.here -= one.piece.length;
    const PackedStream out(task);
    const Result<void> sent = staying.empty() ? out.send(text) : out.send(indexText(text, staying));
    if (!sent) return failed(sent.error());
    if (const Result<void> whole = checkLost(); !whole) return failed(whole.error());
    return wire::encode(reply);
}

Reply pieces(const session::Inputs& inputs, const json& params, const RequestContext& task) {
    const auto said = wire::decode<PiecesRequest>(params);
    if (!said) return engine::invalid(said.error().message);
    if (said->file >= inputs.files.size()) return engine::invalid("no such file");
    const std::string_view text = inputs.files[said->file].source->bytes();
    std::string all;
    for (const Piece& piece : said->pieces) {
        if (piece.offset > text.size() || piece.length > text.size() - piece.offset)
            return failed("the file is shorter than it was");
        if (piece.length > mostPieceBytes - all.size()) return engine::invalid("too much at once");
        all.append(text.substr(piece.offset, piece.length));
    }
    if (const Result<void> sent = PackedStream(task).send(all); !sent) return failed(sent.error());
    if (const Result<void> whole = checkLost(); !whole) return failed(whole.error());
    return wire::encode(PiecesReply{});
}

} // namespace

Reply Service::carryOut(const std::string& method, const json& params, const RequestContext& task) {
    if (method == "hello") return hello(params);
    if (method == "open") {
        const auto said = wire::decode<OpenRequest>(params);
        if (!said) return engine::invalid(said.error().message);
        m_capture.reset();
        std::vector<session::Warning> unusable;
        Result<session::Inputs> inputs = capture::inputsOf(withHome(said->path), unusable);
        if (!inputs) return failed(inputs.error());
        OpenReply reply;
        reply.isFolder = inputs->isFolder;
        for (const session::InputFile& file : inputs->files)
            reply.files.push_back(describe(*inputs, file));
        for (const session::Warning& warning : unusable)
            reply.unusable.push_back({warning.error.message, warning.error.file});
        m_capture = std::make_unique<Capture>(Capture{std::move(*inputs)});
        return wire::encode(reply);
    }
    const bool isIndex = method == "index";
    if (!isIndex && method != "pieces")
        return tl::unexpected(Failure{ErrorCode::MethodNotFound, "no method '" + method + "'", {}});
    if (!m_capture) return engine::invalid("nothing is open");
    return isIndex ? index(m_capture->inputs, params, task) : pieces(m_capture->inputs, params, task);
}

} // namespace dynascope::remote
