// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/client.h"

#include "core/base/log.h"
#include "core/base/own_program.h"
#include "core/base/text.h"
#include "core/engine/client/confinement_words.h"
#include "core/engine/client/connection.h"
#include "core/engine/client/plugin_list.h"
#include "core/engine/client/torch_release.h"
#include "core/engine/wire/aot.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/methods.h"
#include "core/engine/wire/ranks.h"
#include "core/engine/wire/replay.h"
#include "core/engine/wire/tree.h"
#include "core/engine/wire/verify.h"

#include <filesystem>

namespace dynascope::engine {

namespace {

using nlohmann::json;

tl::expected<EngineInfo, CallError> readInfo(const json& answer, const std::string& command) {
    const auto bad = [&](const std::string& why) {
        return tl::unexpected(CallError{CallError::Kind::NotStarted, "'" + command + "' " + why, 0, {}});
    };
    if (!answer.is_object() || !answer.value("protocol", json()).is_number_integer())
        return bad("did not answer as an engine does");
    if (const int theirs = answer["protocol"].get<int>(); theirs != protocolVersion)
        return bad("speaks protocol " + std::to_string(theirs) + "; this program speaks " +
                   std::to_string(protocolVersion));
    const auto said = wire::decode<wire::InitializeReply>(answer);
    if (!said) return bad("did not answer as an engine does: " + said.error().message);
    return EngineInfo{said->engine, said->torch, said->devices, 0, unconfined(said->confinement)};
}

template <typename T>
Answer<T> answerOf(const CallResult& result) {
    if (!result) return tl::unexpected(result.error());
    Result<T> read = wire::decode<T>(*result);
    if (!read)
        return tl::unexpected(CallError{
            CallError::Kind::Refused, "the engine's answer cannot be read: " + read.error().message, 0, {}});
    return std::move(*read);
}

} // namespace

std::string CallError::node() const {
    const auto at = data.find("node");
    return at != data.end() && at->is_string() ? at->get<std::string>() : std::string();
}

Client::Client(std::vector<std::string> command)
    : m_command(std::move(command)) {}

Client::~Client() = default;

tl::expected<std::shared_ptr<Connection>, CallError> Client::connect(const CallOptions& options) {
    const std::scoped_lock starting(m_starting);
    bool again = false;
    {
        const std::scoped_lock lock(m_mutex);
        if (m_connection && m_connection->alive()) return m_connection;
        again = m_connection != nullptr;
    }
    if (const auto lacking = lackingTorch(m_command))
        return tl::unexpected(
            CallError{CallError::Kind::NotStarted, lacking->words(), 0, {{"torch", lacking->needed}}});
    const log::Stopwatch watch;
    Result<Process> process = spawn(m_command);
    log::write(log::Topic::Engine, again ? "starting again: " : "starting ", joined(m_command, " "),
               process ? std::string() : ": " + process.error().message);
    if (!process)
        return tl::unexpected(CallError{CallError::Kind::NotStarted, process.error().message, 0, {}});
    auto connection = std::make_shared<Connection>(std::move(*process));
    CallOptions handshake = options;
    handshake.task.onProgress = nullptr;
    handshake.timeout = std::min(options.timeout, std::chrono::milliseconds(std::chrono::seconds(30)));
    const CallResult answer = connection->call(
        "initialize", wire::encode(wire::InitializeRequest{protocolVersion, DYNASCOPE_VERSION}), handshake);
    if (!answer) {
        CallError error = answer.error();
        if (error.kind != CallError::Kind::Cancelled) {
            error.kind = CallError::Kind::NotStarted;
            error.message = "no engine from '" + m_command.front() + "': " + error.message;
        }
        return tl::unexpected(std::move(error));
    }
    auto info = readInfo(*answer, m_command.front());
    if (!info) return tl::unexpected(info.error());
    info->pid = connection->pid();
    log::write(log::Topic::Engine, "process ", info->pid, ": engine ", info->engine, ", PyTorch ",
               info->torch, ", ready after ", watch.ms(), " ms");
    const std::scoped_lock lock(m_mutex);
    m_info = std::move(*info);
    m_connection = connection;
    return connection;
}

tl::expected<EngineInfo, CallError> Client::start(const CallOptions& options) {
    const auto connection = connect(options);
    if (!connection) return tl::unexpected(connection.error());
    const std::scoped_lock lock(m_mutex);
    return m_info;
}

CallResult Client::call(const std::string& method, const json& params, const CallOptions& options) {
    const auto connection = connect(options);
    if (!connection) return tl::unexpected(connection.error());
    return (*connection)->call(method, params, options);
}

CallResult Client::callOnGraph(const std::string& method, std::string_view graphText, json params,
                               const CallOptions& options) {
    const auto connection = connect(options);
    if (!connection) return tl::unexpected(connection.error());
    const std::string hash = graphHash(graphText);
    params["graph"] = hash;
    if ((*connection)->knowsGraph(hash)) {
        CallResult result = (*connection)->call(method, params, options);
        if (result || result.error().code != static_cast<int>(ErrorCode::UnknownGraph)) return result;
    }
    CallResult loaded =
        (*connection)->call("load", wire::encode(wire::LoadRequest{std::string(graphText)}), options);
    if (!loaded) return loaded;
    (*connection)->rememberGraph(hash);
    return (*connection)->call(method, params, options);
}

Answer<wire::PassesReply> Client::passes(const CallOptions& options) {
    return answerOf<wire::PassesReply>(call("passes", json::object(), options));
}

Answer<wire::PluginsReply> Client::plugins(const CallOptions& options) {
    Answer<wire::PluginsReply> reply = answerOf<wire::PluginsReply>(call("plugins", json::object(), options));
    if (reply && log::on(log::Topic::Engine))
        for (const PluginEntry& plugin : pluginListOf(*reply).plugins)
            log::write(log::Topic::Engine, "plugin ", plugin.path, ": ", stateWords(plugin));
    return reply;
}

Answer<wire::EnvironmentReply> Client::environment(const CallOptions& options) {
    return answerOf<wire::EnvironmentReply>(call("environment", json::object(), options));
}

Answer<wire::LoadReply> Client::load(const wire::LoadRequest& request, const CallOptions& options) {
    return answerOf<wire::LoadReply>(call("load", wire::encode(request), options));
}

Answer<wire::CoverageReply> Client::coverage(std::string_view graphText, const CallOptions& options) {
    return answerOf<wire::CoverageReply>(callOnGraph("coverage", graphText, json::object(), options));
}

Answer<wire::PassReply> Client::pass(std::string_view graphText, const wire::PassRequest& request,
                                     const CallOptions& options) {
    return answerOf<wire::PassReply>(callOnGraph("pass", graphText, wire::encode(request), options));
}

Answer<wire::VerifyReply> Client::verify(std::string_view graphText, const wire::VerifyRequest& request,
                                         const CallOptions& options) {
    return answerOf<wire::VerifyReply>(callOnGraph("verify", graphText, wire::encode(request), options));
}

Answer<wire::ExecuteReply> Client::execute(std::string_view graphText, const wire::ExecuteRequest& request,
                                           const CallOptions& options) {
    return answerOf<wire::ExecuteReply>(callOnGraph("execute", graphText, wire::encode(request), options));
}

Answer<wire::TensorReply> Client::tensor(std::string_view graphText, const wire::TensorRequest& request,
                                         const CallOptions& options) {
    return answerOf<wire::TensorReply>(callOnGraph("tensor", graphText, wire::encode(request), options));
}

Answer<wire::AotReply> Client::aot(std::string_view graphText, const wire::AotRequest& request,
                                   const CallOptions& options) {
    return answerOf<wire::AotReply>(callOnGraph("aot", graphText, wire::encode(request), options));
}

Answer<wire::RecordReply> Client::record(std::string_view graphText, const wire::RecordRequest& request,
                                         const CallOptions& options) {
    return answerOf<wire::RecordReply>(callOnGraph("record", graphText, wire::encode(request), options));
}

Answer<wire::ReplayReply> Client::replay(const wire::ReplayRequest& request, const CallOptions& options) {
    return answerOf<wire::ReplayReply>(call("replay", wire::encode(request), options));
}

Answer<wire::DropReply> Client::drop(const wire::DropRequest& request, const CallOptions& options) {
    return answerOf<wire::DropReply>(call("drop", wire::encode(request), options));
}

Answer<wire::RanksReply> Client::ranks(const wire::RanksRequest& request, const CallOptions& options) {
    return answerOf<wire::RanksReply>(call("ranks", wire::encode(request), options));
}

Answer<wire::TreeFunctionReply> Client::treeFunction(std::string_view graphText,
                                                     const wire::TreeFunctionRequest& request,
                                                     const CallOptions& options) {
    return answerOf<wire::TreeFunctionReply>(
        callOnGraph("tree_function", graphText, wire::encode(request), options));
}

Answer<wire::TreeReply> Client::tree(const wire::TreeRequest& request, const CallOptions& options) {
    return answerOf<wire::TreeReply>(call("tree", wire::encode(request), options));
}

Answer<wire::TreeBeginReply> Client::treeBegin(const wire::TreeRequest& request, const CallOptions& options) {
    return answerOf<wire::TreeBeginReply>(call("tree_begin", wire::encode(request), options));
}

Answer<wire::TreeNextReply> Client::treeNext(const wire::TreeNextRequest& request,
                                             const CallOptions& options) {
    return answerOf<wire::TreeNextReply>(call("tree_next", wire::encode(request), options));
}

void Client::treeDrop(const wire::TreeDropRequest& request) {
    (void)call("tree_drop", wire::encode(request));
}

bool Client::running() const {
    const std::scoped_lock lock(m_mutex);
    return m_connection && m_connection->alive();
}

std::vector<std::string> defaultEngineCommand() {
    std::error_code failure;
    if (const auto own = ownFolder(); !own.empty()) {
        const auto beside = own / "dynascope-engine";
        if (std::filesystem::exists(beside, failure)) return {beside.string()};
    }
    return {"dynascope-engine"};
}

} // namespace dynascope::engine
