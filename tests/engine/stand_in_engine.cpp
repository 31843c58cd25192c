// SPDX-License-Identifier: BSD-3-Clause
//
// Speaks the protocol without LibTorch, and misbehaves on request. What the tests of the client talk to.
#include "core/engine/server/server.h"

#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>

using namespace dynascope;
using nlohmann::json;

namespace {

class StandIn {
public:
    explicit StandIn(int protocol)
        : m_protocol(protocol) {}

    engine::Reply operator()(const std::string& method, const json& params, const TaskContext& task) {
        if (method == "initialize")
            return json{
                {"protocol", m_protocol}, {"engine", "stand-in"}, {"torch", "none"}, {"devices", {"cpu"}}};
        if (method == "load") {
            const auto text = params.at("text").get<std::string>();
            m_graphs[engine::graphHash(text)] = text;
            return json{{"loads", ++m_loads}};
        }
        if (method == "size") {
            const auto found = m_graphs.find(params.at("graph").get<std::string>());
            if (found == m_graphs.end())
                return tl::unexpected(engine::Failure{engine::ErrorCode::UnknownGraph, "not loaded", {}});
            return json{{"size", found->second.size()}, {"loads", m_loads}};
        }
        if (method == "bulk") {
            std::vector<std::uint8_t> data(params.at("size").get<std::size_t>());
            for (std::size_t i = 0; i < data.size(); ++i)
                data[i] = static_cast<std::uint8_t>(i * 31 + (i >> 16));
            return json{{"data", json::binary(std::move(data))}, {"name", "bulk"}};
        }
        if (method == "passes") // no name of the second
            return json{{"passes",
                         {{{"name", "dce"}, {"description", ""}, {"origin", "builtin"}},
                          {{"name", nullptr}, {"description", ""}, {"origin", "builtin"}}}},
                        {"problems", json::array()}};
        if (method == "forget") return m_graphs.clear(), json::object();
        if (method == "echo") return params;
        if (method == "sleep") {
            for (int i = 0; i < 1000 && !task.cancelled(); ++i) {
                task.report("Sleeping", static_cast<std::uint64_t>(i), 1000);
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
            return tl::unexpected(engine::Failure{engine::ErrorCode::Cancelled, "cancelled", {}});
        }
        if (method == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
        if (method == "die") std::raise(SIGKILL);
        if (method == "exit") {
            std::fputs("first line\nno memory left\n", stderr);
            std::_Exit(3);
        }
        if (method == "garbage") {
            [[maybe_unused]] const auto n = ::write(STDOUT_FILENO, "what is this?\r\n\r\n", 17);
            std::this_thread::sleep_for(std::chrono::hours(1));
        }
        return tl::unexpected(
            engine::Failure{engine::ErrorCode::MethodNotFound, "no method '" + method + "'", {}});
    }

private:
    int m_protocol;
    int m_loads = 0;
    std::map<std::string, std::string> m_graphs;
};

} // namespace

int main(int argc, char** argv) {
    return engine::serve(STDIN_FILENO, STDOUT_FILENO,
                         StandIn(argc > 1 ? std::atoi(argv[1]) : engine::protocolVersion),
                         std::chrono::milliseconds(argc > 2 ? std::atoi(argv[2]) : 60000));
}
