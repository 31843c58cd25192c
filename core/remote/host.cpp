// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote/host.h"

#include "core/base/log.h"
#include "core/engine/client/connection.h"
#include "core/remote/away_source.h"
#include "core/session/byte_source.h"
#include "core/store/packing.h"

#include <algorithm>
#include <optional>

namespace dynascope::remote {

namespace {

using std::chrono::seconds;

/// Who logs in may be asked for a password, or to touch a key.
constexpr std::chrono::milliseconds loginPatience = std::chrono::minutes(2);
constexpr std::chrono::milliseconds readPatience = std::chrono::hours(2);
constexpr std::chrono::milliseconds piecePatience = seconds(30);
/// For so long a connection that could not be made again is not tried.
constexpr seconds pauseAfterFailure = seconds(3);

} // namespace

Host::Host(std::string address, Address parsed)
    : m_address(std::move(address))
    , m_parsed(std::move(parsed)) {}

Host::~Host() = default;

Error Host::errorOf(const engine::CallError& error) const {
    if (error.kind == engine::CallError::Kind::Cancelled) return cancellation().value();
    std::string message = error.message;
    // What a shell says of a program that it does not find.
    if (error.kind == engine::CallError::Kind::EngineDied &&
        message.find("exit status 127") != std::string::npos)
        message += "; DYNASCOPE_REMOTE_CLI says where dynascope-cli is on that machine";
    // As a shell does whose start-up files print something.
    if (message.find("sent what is no message") != std::string::npos)
        message += "; what a shell there prints when it starts must go to standard error";
    return errorOf(std::move(message));
}

Result<std::shared_ptr<Host>> Host::open(const std::string& address, const TaskContext& task) {
    Result<Address> parsed = parseAddress(address);
    if (!parsed) return tl::unexpected(parsed.error());
    if (parsed->path.empty()) return failure("names no file or folder: ssh://HOST/PATH", address);
    const std::shared_ptr<Host> host(new Host(address, std::move(*parsed)));
    const auto connection = host->connect(task, &host->m_opened, {loginPatience, readPatience});
    if (!connection) return tl::unexpected(connection.error());
    host->m_openNow = host->m_opened;
    host->m_connection = *connection;
    return host;
}

Result<std::shared_ptr<engine::Connection>> Host::connect(const TaskContext& task, OpenReply* opened,
                                                          const Patience& patience) {
    task.report("Connecting to " + m_parsed.login, 0, 0);
    const std::vector<std::string> command = commandThere(m_parsed, serveProgram());
    Result<engine::Process> process = engine::spawn(command, "ssh");
    if (!process) return tl::unexpected(errorOf(process.error().message));
    const log::Stopwatch watch;
    log::write(log::Topic::Remote, "connecting to ", m_parsed.login);
    auto connection = std::make_shared<engine::Connection>(std::move(*process), "ssh");
    engine::CallOptions options;
    options.timeout = patience.login;
    options.task.stop = task.stop;
    const engine::CallResult hello =
        connection->call("hello", wire::encode(HelloRequest{protocolVersion, DYNASCOPE_VERSION}), options);
    if (!hello) return tl::unexpected(errorOf(hello.error()));
    const auto said = wire::decode<HelloReply>(*hello);
    if (!said) return tl::unexpected(errorOf("dynascope-cli there did not answer: " + said.error().message));
    if (said->protocol != protocolVersion)
        return tl::unexpected(errorOf("dynascope-cli there, version " + said->version + ", speaks protocol " +
                                      std::to_string(said->protocol) +
                                      "; this program, version " DYNASCOPE_VERSION ", speaks " +
                                      std::to_string(protocolVersion)));
    options.timeout = patience.open;
    const engine::CallResult answer =
        connection->call("open", wire::encode(OpenRequest{m_parsed.path}), options);
    if (!answer) return tl::unexpected(errorOf(answer.error()));
    auto files = wire::decode<OpenReply>(*answer);
    if (!files) return tl::unexpected(errorOf("what came cannot be read: " + files.error().message));
    *opened = std::move(*files);
    log::write(log::Topic::Remote, m_address, ": version ", said->version, " has ", opened->files.size(),
               " files after ", watch.ms(), " ms");
    return connection;
}

Result<std::shared_ptr<engine::Connection>> Host::connected(const TaskContext& task) {
    const std::scoped_lock lock(m_mutex);
    if (m_connection && m_connection->alive()) return m_connection;
    if (m_failure && std::chrono::steady_clock::now() < m_tryAgainAt) return tl::unexpected(*m_failure);
    log::write(log::Topic::Remote, m_address, ": the connection is gone, connecting again");
    Result<std::shared_ptr<engine::Connection>> again =
        connect(task, &m_openNow, {piecePatience, piecePatience});
    if (!again) log::write(log::Topic::Remote, m_address, ": given up: ", again.error().toString());
    if (again) m_connection = *again;
    m_failure = again ? std::nullopt : std::optional(again.error());
    m_tryAgainAt = std::chrono::steady_clock::now() + pauseAfterFailure;
    return again;
}

Result<std::size_t> Host::placeOf(std::size_t file) {
    const RemoteFile& was = m_opened.files[file];
    const std::scoped_lock lock(m_mutex);
    const auto now = std::ranges::find(m_openNow.files, was.name, &RemoteFile::name);
    if (now == m_openNow.files.end() || now->device != was.device || now->inode != was.inode ||
        now->bytes < was.bytes)
        return tl::unexpected(errorOf((was.name.empty() ? "the file" : was.name) +
                                      " is another one there since it was opened: open it again"));
    return static_cast<std::size_t>(now - m_openNow.files.begin());
}

template <typename Answer, typename Request>
Result<Answer> Host::callFor(const char* method, Request request, std::chrono::milliseconds timeout,
                             const TaskContext& task, const Take& take) {
    const std::size_t file = request.file;
    Result<std::shared_ptr<engine::Connection>> connection = connected(task);
    if (!connection) return tl::unexpected(connection.error());
    const Result<std::size_t> place = placeOf(file);
    if (!place) return tl::unexpected(place.error());
    request.file = *place;
    store::Unpacker unpacker;
    std::optional<Error> problem;
    std::uint64_t crossed = 0;
    engine::CallOptions options;
    options.timeout = timeout;
    options.task = task;
    options.onData = [&](std::string_view piece) {
        if (problem) return;
        crossed += piece.size();
        bool mine = false; // not that of the packing
        const Result<void> fed = unpacker.feed(piece, [&](std::string_view part) {
            Result<void> taken = take(part);
            mine = !taken;
            return taken;
        });
        if (!fed) problem = mine ? fed.error() : errorOf("what came is damaged");
    };
    const engine::CallResult answer = (*connection)->call(method, wire::encode(request), options);
    if (!answer) return tl::unexpected(errorOf(answer.error()));
    if (problem) return tl::unexpected(*problem);
    log::write(log::Topic::Remote, m_address, ": ", method, ": ", crossed, " bytes came, packed");
    auto read = wire::decode<Answer>(*answer);
    if (!read || !unpacker.finished()) return tl::unexpected(errorOf("what came is damaged"));
    return read;
}

Result<session::ByteSourcePtr> Host::file(std::size_t index, const TaskContext& task) {
    const RemoteFile& described = m_opened.files[index];
    const std::string phase = "Reading on " + m_parsed.login +
                              (m_opened.files.size() > 1 ? ", file " + std::to_string(index + 1) + " of " +
                                                               std::to_string(m_opened.files.size())
                                                         : std::string());
    TaskContext there = task;
    if (task.onProgress)
        there.onProgress = [&](const Progress& progress) {
            task.report(phase, progress.done, progress.total);
        };
    session::SpooledText came;
    const Result<IndexReply> reply =
        callFor<IndexReply>("index", IndexRequest{index}, readPatience, there,
                            [&came](std::string_view part) { return came.append(part); });
    if (!reply) return tl::unexpected(reply.error());
    Result<session::ByteSourcePtr> text = std::move(came).finish();
    if (!text) return text;
    log::write(log::Topic::Remote, m_address, ": ", described.name, ": ", reply->here, " of ",
               described.bytes, " bytes are here, ", reply->staying, " pieces stay there");
    if (reply->staying == 0 && reply->here == described.bytes && (*text)->bytes().size() == described.bytes)
        return text;
    Result<session::ByteSourcePtr> source =
        awaySource((*text)->bytes(), *reply, described.bytes,
                   [host = shared_from_this(), index](std::span<const session::AwayPiece> wanted) {
                       return host->pieces(index, wanted);
                   });
    if (!source) return tl::unexpected(errorOf(source.error().message));
    return source;
}

Result<std::string> Host::pieces(std::size_t file, std::span<const session::AwayPiece> wanted) {
    PiecesRequest request{file, {}};
    std::uint64_t bytes = 0;
    for (const session::AwayPiece& piece : wanted) {
        request.pieces.push_back({piece.offset, piece.length});
        bytes += piece.length;
    }
    std::string out;
    const auto take = [&](std::string_view part) -> Result<void> {
        if (part.size() > bytes - out.size()) return tl::unexpected(errorOf("more came than was asked for"));
        out.append(part);
        return {};
    };
    const Result<PiecesReply> reply =
        callFor<PiecesReply>("pieces", std::move(request), piecePatience, {}, take);
    if (!reply) return tl::unexpected(reply.error());
    return out;
}

} // namespace dynascope::remote
