// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/service.h"

#include "core/engine/cases/graph_inputs.h"
#include "core/engine/exec/case_values.h"
#include "core/engine/sandbox/operator_classes.h"
#include "core/engine/service/aot_method.h"
#include "core/engine/service/bulk_tensor.h"
#include "core/engine/service/environment.h"
#include "core/engine/service/pass_runner.h"
#include "core/engine/service/plugins.h"
#include "core/engine/service/replay_methods.h"
#include "core/engine/service/verify_method.h"
#include "core/ir/text.h"

#include <algorithm>
#include <array>
#include <torch/headeronly/version.h>

namespace dynascope::engine {

namespace {

using nlohmann::json;

constexpr std::size_t maxPrograms = 64;

Reply initialize(const json& params) {
    const int theirs = params.at("protocol").get<int>();
    if (theirs != protocolVersion)
        return invalid("this engine speaks protocol " + std::to_string(protocolVersion) + ", not " +
                       std::to_string(theirs));
    return json{{"protocol", protocolVersion},
                {"engine", DYNASCOPE_VERSION},
                {"torch", TORCH_VERSION},
                {"devices", json::array({"cpu"})},
                {"confinement", confinementJson()}};
}

Reply coverage(const Program& program) {
    json list = json::array();
    for (const Unsupported& row : program.unsupported)
        list.push_back({{"node", row.name},
                        {"target", row.target},
                        {"reason", row.reason},
                        {"obstacle", obstacleName(row.obstacle)}});
    return json{{"nodes", program.graph->size()}, {"unsupported", std::move(list)}};
}

/// The inputs of a request, or values made from the graph's own metadata.
Result<json> inputsOf(const json& params, const ir::Graph& graph) {
    json inputs = params.value("inputs", json());
    if (!inputs.is_null()) return withPlainScalars(std::move(inputs));
    GraphInputOptions options;
    const json symbols = params.value("symbols", json::object());
    for (const auto& [name, value] : symbols.items())
        options.symbols[name] = value.get<std::int64_t>();
    return inputsOfGraph(graph, options);
}

} // namespace

Service::Service(const std::vector<std::string>& pluginFolders)
    : m_passes(enginePasses())
    , m_pluginFolders(pluginFolders)
    , m_replays(std::make_unique<ReplayPlans>()) {
    rememberBuiltInOperators();
    for (const std::string& folder : pluginFolders) {
        for (PluginReport& plugin : loadPlugins(folder, m_passes))
            m_plugins.push_back(std::move(plugin));
    }
}
Service::~Service() = default;
Service::Service(Service&&) noexcept = default;
Service& Service::operator=(Service&&) noexcept = default;

Reply Service::handle(const std::string& method, const json& params, const RequestContext& task) {
    try {
        return dispatch(method, params, task);
    } catch (const json::exception& error) {
        return invalid("wrong parameters of '" + method + "': " + error.what());
    } catch (const std::exception& error) {
        return tl::unexpected(Failure{ErrorCode::Failed, errorText(error), {}});
    }
}

Reply Service::dispatch(const std::string& method, const json& params, const RequestContext& task) {
    if (method == "initialize") return initialize(params);
    if (method == "load") return load(params);
    if (method == "environment") return environment();
    if (method == "passes") {
        std::vector<std::string> problems;
        for (const PluginReport& plugin : m_plugins)
            for (const std::string& cause : plugin.problems)
                problems.push_back(plugin.path + ": " + cause);
        return passList(m_passes, problems);
    }
    if (method == "plugins") return pluginList(m_pluginFolders, m_plugins);
    if (method == "replay") return m_replays->replay(params, task);
    if (method == "drop") return m_replays->drop(params);
    if (method == "tree") return m_replays->tree(params, task);
    if (method == "tree_begin" || method == "tree_next" || method == "tree_drop")
        return m_replays->treeStep(method, params, task);
    constexpr std::array onGraphs{"coverage", "execute", "pass",   "verify",
                                  "tensor",   "aot",     "record", "tree_function"};
    if (std::find(onGraphs.begin(), onGraphs.end(), method) == onGraphs.end())
        return tl::unexpected(Failure{ErrorCode::MethodNotFound, "no method '" + method + "'", {}});

    const auto program = programOf(params);
    if (!program) return tl::unexpected(program.error());
    if (method == "coverage") return coverage(**program);
    if (!(*program)->unsupported.empty()) return tl::unexpected(unsupportedFailure(**program));
    Result<json> inputs = inputsOf(params, *(*program)->graph);
    if (!inputs) return invalid(inputs.error().message);
    const json attributes = params.value("attrs", json());
    if (method == "execute") {
        ExecuteRequest request = executeRequest(params);
        request.inputs = std::move(*inputs);
        return execute(**program, request, task);
    }
    if (method == "aot") return aotMethod(params, **program, *inputs, task);
    if (method == "record") return m_replays->record(params, *program, *inputs, task);
    if (method == "tree_function") return m_replays->treeFunction(params, *program, *inputs);
    if (method == "tensor") return tensorMethod(params, **program, *inputs, task);
    if (method == "verify") {
        if (params.value("aliasing", false)) inputs = withData(std::move(*inputs)); // it lays data out anew
        if (!inputs) return invalid(inputs.error().message);
        for (const std::string& name : params.value("passes", std::vector<std::string>()))
            if (const auto pass = m_passes.find(name); pass && !pass->keepsValues())
                return tl::unexpected(Failure{ErrorCode::Failed, otherValuesWords(name), {}});
        const VerifyHost host{[this](const std::string& hash) {
                                  return programOf({{"graph", hash}});
                              },
                              [&](const json& pass) { return dispatch("pass", pass, task); }};
        return verifyMethod(params, *program, *inputs, host, task);
    }
    PassRequest request;
    request.passes = params.at("passes").get<std::vector<std::string>>();
    request.options = passOptions(params);
    request.inputs = std::move(*inputs);
    request.attributes = attributes;
    request.runs = std::clamp(params.value("runs", 1), 1, 100);
    request.scorecard = params.value("scorecard", false);
    request.verify = params.value("verify", false);
    request.shapes = params.value("shapes", false);
    return runPasses(m_passes, *program, request, task);
}

Reply Service::load(const json& params) {
    const auto& text = params.at("text").get_ref<const std::string&>();
    Result<ir::GraphPtr> graph = ir::readGraph(text);
    if (!graph) return invalid(graph.error().toString());
    std::string hash = graphHash(text);
    auto program = std::make_shared<const Program>(compile(std::move(*graph)));
    const std::size_t nodes = program->graph->size();
    std::erase_if(m_programs, [&](const auto& entry) { return entry.first == hash; });
    m_programs.emplace_front(hash, std::move(program));
    if (m_programs.size() > maxPrograms) m_programs.pop_back();
    return json{{"graph", std::move(hash)}, {"nodes", nodes}};
}

tl::expected<Service::ProgramPtr, Failure> Service::programOf(const json& params) {
    const auto& hash = params.at("graph").get_ref<const std::string&>();
    const auto found = std::find_if(m_programs.begin(), m_programs.end(),
                                    [&](const auto& entry) { return entry.first == hash; });
    if (found == m_programs.end())
        return tl::unexpected(Failure{ErrorCode::UnknownGraph, "no graph '" + hash + "' was loaded", {}});
    m_programs.splice(m_programs.begin(), m_programs, found);
    return m_programs.front().second;
}

} // namespace dynascope::engine
