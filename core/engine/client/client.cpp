// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/client.h"

#include "core/engine/client/confinement_words.h"

#include "core/engine/client/connection.h"

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
    const auto text = [&](const char* key) {
        const json value = answer.value(key, json());
        return value.is_string() ? value.get<std::string>() : std::string();
    };
    EngineInfo info{text("engine"), text("torch"), {}, 0};
    if (const json devices = answer.value("devices", json()); devices.is_array()) {
        for (const json& device : devices) {
            if (device.is_string()) info.devices.push_back(device.get<std::string>());
        }
    }
    info.unconfined = unconfined(answer.value("confinement", json()));
    return info;
}

} // namespace

Client::Client(std::vector<std::string> command)
    : m_command(std::move(command)) {}

Client::~Client() = default;

tl::expected<std::shared_ptr<Connection>, CallError> Client::connect(const CallOptions& options) {
    const std::scoped_lock starting(m_starting);
    {
        const std::scoped_lock lock(m_mutex);
        if (m_connection && m_connection->alive()) return m_connection;
    }
    Result<Process> process = spawn(m_command);
    if (!process)
        return tl::unexpected(CallError{CallError::Kind::NotStarted, process.error().message, 0, {}});
    auto connection = std::make_shared<Connection>(std::move(*process));
    CallOptions handshake = options;
    handshake.task.onProgress = nullptr;
    handshake.timeout = std::min(options.timeout, std::chrono::milliseconds(std::chrono::seconds(30)));
    const CallResult answer = connection->call(
        "initialize", {{"protocol", protocolVersion}, {"client", DYNASCOPE_VERSION}}, handshake);
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
    CallResult loaded = (*connection)->call("load", {{"text", graphText}}, options);
    if (!loaded) return loaded;
    (*connection)->rememberGraph(hash);
    return (*connection)->call(method, params, options);
}

bool Client::running() const {
    const std::scoped_lock lock(m_mutex);
    return m_connection && m_connection->alive();
}

std::vector<std::string> defaultEngineCommand() {
    std::error_code failure;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
    if (!failure) {
        const auto beside = self.parent_path() / "dynascope-engine";
        if (std::filesystem::exists(beside, failure)) return {beside.string()};
    }
    return {"dynascope-engine"};
}

} // namespace dynascope::engine
