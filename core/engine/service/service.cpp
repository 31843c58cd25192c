// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/service.h"

#include "core/engine/cases/graph_inputs.h"
#include "core/engine/collectives/mirror_groups.h"
#include "core/engine/exec/case_values.h"
#include "core/engine/sandbox/operator_classes.h"
#include "core/engine/service/aot_method.h"
#include "core/engine/service/bulk_tensor.h"
#include "core/engine/service/environment.h"
#include "core/engine/service/lift_written.h"
#include "core/engine/service/pass_runner.h"
#include "core/engine/service/plugins.h"
#include "core/engine/service/ranks_method.h"
#include "core/engine/service/replay_methods.h"
#include "core/engine/service/verify_method.h"
#include "core/engine/wire/methods.h"
#include "core/engine/wire/pass.h"
#include "core/ir/text.h"

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <algorithm>
#include <array>
#include <torch/headeronly/version.h>

namespace dynascope::engine {

namespace {

using nlohmann::json;

constexpr std::size_t maxPrograms = 64;

/// What a method's handler is given besides the parameters.
enum class Needs : std::uint8_t {
    Nothing,
    Graph, ///< one that was loaded
    Run,   ///< a loaded graph that the engine can run, and inputs for it
};

tl::unexpected<Failure> wrong(std::string_view method, const std::string& why) {
    return invalid("wrong parameters of '" + std::string(method) + "': " + why);
}

Reply initialize(const json& params) {
    const auto request = wire::decode<wire::InitializeRequest>(params);
    if (!request) return wrong("initialize", request.error().message);
    const int theirs = request->protocol;
    if (theirs != protocolVersion)
        return invalid("this engine speaks protocol " + std::to_string(protocolVersion) + ", not " +
                       std::to_string(theirs));
    return wire::encode(wire::InitializeReply{
        protocolVersion, DYNASCOPE_VERSION, TORCH_VERSION, {"cpu"}, confinementFacts()});
}

Reply coverage(const Program& program) {
    wire::CoverageReply out;
    out.nodes = program.graph->size();
    for (const Unsupported& row : program.unsupported)
        out.unsupported.push_back(
            {row.name, row.target, row.reason, std::string(obstacleName(row.obstacle))});
    return wire::encode(out);
}

Result<PassRequest> passRequest(const json& params, json inputs) {
    auto said = wire::decode<wire::PassRequest>(params);
    if (!said) return tl::unexpected(said.error());
    PassRequest out;
    out.passes = std::move(said->passes);
    out.options = passOptions(said->options);
    out.inputs = std::move(inputs);
    out.attributes = std::move(said->on.attributes);
    out.runs = std::clamp(said->runs, 1, 100);
    out.scorecard = said->scorecard;
    out.verify = said->verify;
    out.shapes = said->shapes;
    return out;
}

/// The inputs of a request, or values made from the graph's own metadata.
Result<json> inputsOf(wire::RunOn on, const ir::Graph& graph) {
    if (!on.inputs.is_null()) return withPlainScalars(std::move(on.inputs));
    GraphInputOptions options;
    options.symbols.insert(on.symbols.begin(), on.symbols.end());
    return inputsOfGraph(graph, options);
}

} // namespace

namespace {

/// Keeps runs of a graph from rounding apart: told no number, MKL takes fewer threads while the machine is busy; and where its first
/// product is one of several at once, some may be computed before it has chosen the kernels for this processor.
void settleMkl() {
    const int threads = at::get_num_threads();
    at::set_num_threads(1); // a thread that is started now would not be confined
    (void)at::mm(at::ones({8, 8}), at::ones({8, 8}));
    at::set_num_threads(threads);
}

} // namespace

Service::Service(const std::vector<std::string>& pluginFolders)
    : m_passes(enginePasses())
    , m_pluginFolders(pluginFolders)
    , m_replays(std::make_unique<ReplayPlans>()) {
    settleMkl();
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
    } catch (const std::exception& error) { // PyTorch's
        return tl::unexpected(Failure{ErrorCode::Failed, errorText(error), {}});
    }
}

namespace {

/// Reads the request, carries it out and writes the answer.
template <typename Request, typename F>
Reply typed(std::string_view method, const json& params, const F& run) {
    const auto request = wire::decode<Request>(params);
    if (!request) return wrong(method, request.error().message);
    auto reply = run(*request);
    if (!reply) return tl::unexpected(reply.error());
    return wire::encode(*reply);
}

} // namespace

struct Service::Call {
    const json& params;
    const RequestContext& task;
    ProgramPtr program; ///< of Needs::Graph and Needs::Run
    json inputs;        ///< of Needs::Run, in the form of a case
};

Reply Service::dispatch(const std::string& name, const json& params, const RequestContext& task) {
    struct Method {
        std::string_view name;
        Needs needs;
        Reply (*run)(Service& service, Call& call);
    };
    static constexpr std::array methods{
        Method{"initialize", Needs::Nothing, [](Service&, Call& c) { return initialize(c.params); }},
        Method{"load", Needs::Nothing, [](Service& s, Call& c) { return s.load(c.params); }},
        Method{"environment", Needs::Nothing,
               [](Service&, Call&) { return Reply(wire::encode(environment())); }},
        Method{"passes", Needs::Nothing, [](Service& s, Call&) { return s.passes(); }},
        Method{"plugins", Needs::Nothing,
               [](Service& s, Call&) {
                   return Reply(wire::encode(pluginList(s.m_pluginFolders, s.m_plugins)));
               }},
        Method{"replay", Needs::Nothing,
               [](Service& s, Call& c) {
                   return typed<wire::ReplayRequest>("replay", c.params, [&](const auto& request) {
                       return s.m_replays->replay(request, c.task);
                   });
               }},
        Method{"drop", Needs::Nothing,
               [](Service& s, Call& c) {
                   return typed<wire::DropRequest>("drop", c.params, [&](const auto& request) {
                       return tl::expected<wire::DropReply, Failure>(s.m_replays->drop(request));
                   });
               }},
        Method{"ranks", Needs::Nothing,
               [](Service&, Call& c) {
                   return typed<wire::RanksRequest>(
                       "ranks", c.params, [&](const auto& request) { return ranksMethod(request, c.task); });
               }},
        Method{"tree", Needs::Nothing,
               [](Service& s, Call& c) {
                   return typed<wire::TreeRequest>("tree", c.params, [&](const auto& request) {
                       return s.m_replays->tree(request, c.task);
                   });
               }},
        Method{"tree_begin", Needs::Nothing,
               [](Service& s, Call& c) {
                   return typed<wire::TreeRequest>("tree_begin", c.params, [&](const auto& request) {
                       return s.m_replays->treeBegin(request);
                   });
               }},
        Method{"tree_next", Needs::Nothing,
               [](Service& s, Call& c) {
                   return typed<wire::TreeNextRequest>("tree_next", c.params, [&](const auto& request) {
                       return s.m_replays->treeNext(request, c.task);
                   });
               }},
        Method{"tree_drop", Needs::Nothing,
               [](Service& s, Call& c) {
                   const auto request = wire::decode<wire::TreeDropRequest>(c.params);
                   if (!request) return Reply(wrong("tree_drop", request.error().message));
                   s.m_replays->treeDrop(*request);
                   return Reply(json::object());
               }},
        Method{"coverage", Needs::Graph, [](Service&, Call& c) { return coverage(*c.program); }},
        Method{"execute", Needs::Run, [](Service&, Call& c) { return executeMethod(c); }},
        Method{"pass", Needs::Run, [](Service& s, Call& c) { return s.pass(c); }},
        Method{"verify", Needs::Run, [](Service& s, Call& c) { return s.verify(c); }},
        Method{"tensor", Needs::Run,
               [](Service&, Call& c) {
                   const auto request = wire::decode<wire::TensorRequest>(c.params);
                   if (!request) return Reply(wrong("tensor", request.error().message));
                   return tensorMethod(*request, *c.program, c.inputs, c.task);
               }},
        Method{"aot", Needs::Run,
               [](Service&, Call& c) {
                   return typed<wire::AotRequest>("aot", c.params, [&](const auto& request) {
                       return aotMethod(request, *c.program, c.inputs, c.task);
                   });
               }},
        Method{"record", Needs::Run,
               [](Service& s, Call& c) {
                   return typed<wire::RecordRequest>("record", c.params, [&](const auto& request) {
                       return s.m_replays->record(request, c.program, c.inputs, c.task);
                   });
               }},
        Method{"tree_function", Needs::Run,
               [](Service& s, Call& c) {
                   return typed<wire::TreeFunctionRequest>(
                       "tree_function", c.params, [&](const auto& request) {
                           return s.m_replays->treeFunction(request, c.program, c.inputs);
                       });
               }},
    };
    const auto method =
        std::find_if(methods.begin(), methods.end(), [&](const Method& known) { return known.name == name; });
    if (method == methods.end())
        return tl::unexpected(Failure{ErrorCode::MethodNotFound, "no method '" + name + "'", {}});
    Call call{params, task, nullptr, {}};
    if (method->needs != Needs::Nothing) {
        const auto on = wire::decode<wire::OnGraph>(params);
        if (!on) return wrong(name, on.error().message);
        auto program = programOf(on->graph);
        if (!program) return tl::unexpected(program.error());
        call.program = std::move(*program);
        enterMirrorGroups(call.program->groups); // passes trace it without the interpreter
    }
    if (method->needs == Needs::Run) {
        if (!call.program->unsupported.empty()) return tl::unexpected(unsupportedFailure(*call.program));
        auto on = wire::decode<wire::RunOn>(params);
        if (!on) return wrong(name, on.error().message);
        Result<json> inputs = inputsOf(std::move(*on), *call.program->graph);
        if (!inputs) return invalid(inputs.error().message);
        call.inputs = std::move(*inputs);
    }
    return method->run(*this, call);
}

Reply Service::executeMethod(Call& call) {
    auto request = wire::decode<wire::ExecuteRequest>(call.params);
    if (!request) return wrong("execute", request.error().message);
    request->on.inputs = std::move(call.inputs);
    const auto reply = execute(*call.program, *request, call.task);
    return reply ? Reply(wire::encode(*reply)) : tl::unexpected(reply.error());
}

namespace {

bool functionalizes(const std::vector<std::string>& passes) {
    return std::ranges::find(passes, "functionalize") != passes.end();
}

std::string liftedNote(const std::vector<std::string>& attributes) {
    return "'" + attributes.front() + "'" +
           (attributes.size() == 1
                ? std::string(", which the graph holds as an attribute and writes, is an input")
                : " and " + std::to_string(attributes.size() - 1) +
                      " more, which the graph holds as attributes and writes, are inputs") +
           " here, as in AOTAutograd's graphs";
}

} // namespace

Reply Service::pass(Call& call) {
    Result<PassRequest> request = passRequest(call.params, std::move(call.inputs));
    if (!request) return wrong("pass", request.error().message);
    if (!functionalizes(request->passes)) return runPasses(m_passes, call.program, *request, call.task);
    LiftedWrites lifted = liftWrittenAttributes(call.program, std::move(*request));
    if (!lifted.declined.empty()) return tl::unexpected(Failure{ErrorCode::Failed, lifted.declined, {}});
    if (!lifted.attributes.empty()) lifted.request.notes.push_back(liftedNote(lifted.attributes));
    return runPasses(m_passes, lifted.program, lifted.request, call.task);
}

Reply Service::verify(Call& call) {
    auto request = wire::decode<wire::VerifyRequest>(call.params);
    if (!request) return wrong("verify", request.error().message);
    Result<json> inputs = std::move(call.inputs);
    std::shared_ptr<const Program> source = call.program;
    if (!request->computed && functionalizes(request->passes)) {
        PassRequest pass;
        pass.inputs = std::move(*inputs);
        pass.attributes = request->on.attributes;
        LiftedWrites lifted = liftWrittenAttributes(source, std::move(pass));
        if (!lifted.declined.empty()) return tl::unexpected(Failure{ErrorCode::Failed, lifted.declined, {}});
        source = std::move(lifted.program);
        inputs = std::move(lifted.request.inputs);
        if (!lifted.attributes.empty()) request->on.attributes = std::move(lifted.request.attributes);
    }
    if (request->aliasing) inputs = withData(std::move(*inputs)); // it lays data out anew
    if (!inputs) return invalid(inputs.error().message);
    for (const std::string& name : request->passes)
        if (const auto pass = m_passes.find(name); pass && !pass->keepsValues())
            return tl::unexpected(Failure{ErrorCode::Failed, otherValuesWords(name), {}});
    const VerifyHost host{
        [this](const std::string& hash) { return programOf(hash); },
        [&](const PassRequest& pass) { return runPasses(m_passes, source, pass, call.task); }};
    const auto reply = verifyMethod(*request, source, *inputs, host, call.task);
    return reply ? Reply(wire::encode(*reply)) : tl::unexpected(reply.error());
}

Reply Service::passes() const {
    std::vector<std::string> problems;
    for (const PluginReport& plugin : m_plugins)
        for (const std::string& cause : plugin.problems)
            problems.push_back(plugin.path + ": " + cause);
    return wire::encode(passList(m_passes, std::move(problems)));
}

Reply Service::load(const json& params) {
    const auto request = wire::decode<wire::LoadRequest>(params);
    if (!request) return wrong("load", request.error().message);
    Result<ir::GraphPtr> graph = ir::readGraph(request->text);
    if (!graph) return invalid(graph.error().toString());
    std::string hash = graphHash(request->text);
    auto program = std::make_shared<const Program>(compile(std::move(*graph)));
    const std::size_t nodes = program->graph->size();
    std::erase_if(m_programs, [&](const auto& entry) { return entry.first == hash; });
    m_programs.emplace_front(hash, std::move(program));
    if (m_programs.size() > maxPrograms) m_programs.pop_back();
    return wire::encode(wire::LoadReply{std::move(hash), nodes});
}

tl::expected<Service::ProgramPtr, Failure> Service::programOf(const std::string& hash) {
    const auto found = std::find_if(m_programs.begin(), m_programs.end(),
                                    [&](const auto& entry) { return entry.first == hash; });
    if (found == m_programs.end())
        return tl::unexpected(Failure{ErrorCode::UnknownGraph, "no graph '" + hash + "' was loaded", {}});
    m_programs.splice(m_programs.begin(), m_programs, found);
    return m_programs.front().second;
}

} // namespace dynascope::engine
