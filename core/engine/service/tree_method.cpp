// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/tree_method.h"

#include "core/engine/exec/case_values.h"
#include "core/engine/service/execute.h"
#include "core/replay/tree_function.h"

#include <algorithm>

namespace dynascope::engine {

namespace {

using nlohmann::json;

constexpr std::size_t maxTrees = 16, maxFunctions = 4096, maxLive = 4;

/// The first function that cannot run in the pool.
std::optional<Failure> refusalOf(const GraphPool& pool, const TreeRunRequest& request) {
    for (const TreeRunFunction& function : request.functions)
        if (const auto refusal = pool.refusal(*function.program)) {
            Failure out = runFailure(*function.program, *refusal);
            out.message = function.about.name + ": " + out.message;
            return out;
        }
    return std::nullopt;
}

} // namespace

Reply TreeRuns::addFunction(const json& params, std::shared_ptr<const Program> program, const json& inputs) {
    Result<CaseInputs> made = makeInputs(inputs, {});
    if (!made) return invalid(made.error().message);
    Result<Attributes> attributes = makeAttributes(params.value("attrs", json()));
    if (!attributes) return invalid(attributes.error().message);
    seedAttributes(*program, *attributes);
    const std::string name = params.value("tree", std::string());
    auto tree = find(name);
    if (name.empty()) {
        if (m_trees.size() >= maxTrees) m_trees.erase(m_trees.begin()); // its client went away
        tree = m_trees.insert(m_trees.end(), {"tree" + std::to_string(m_next++), {}});
    } else if (tree == m_trees.end()) {
        return invalid("there is no tree '" + name + "'");
    }
    std::vector<TreeRunFunction>& functions = tree->functions;
    if (functions.size() >= maxFunctions) return invalid("there are too many functions");
    TreeRunFunction function;
    replay::describe(function.about, *program->graph);
    function.about.name = params.value("name", "f" + std::to_string(functions.size()));
    function.program = std::move(program);
    function.inputs = std::move(made->values);
    function.attributes = std::move(*attributes);
    functions.push_back(std::move(function));
    return json{{"tree", tree->name}, {"function", functions.size() - 1}};
}

std::vector<TreeRuns::Tree>::iterator TreeRuns::find(const std::string& name) {
    return std::find_if(m_trees.begin(), m_trees.end(), [&](const Tree& tree) { return tree.name == name; });
}

tl::expected<TreeRunRequest, Failure> TreeRuns::takeRequest(const json& params) {
    const auto found = find(params.at("tree").get<std::string>());
    if (found == m_trees.end()) return invalid("there is no such tree");
    TreeRunRequest request;
    request.functions = std::move(found->functions);
    m_trees.erase(found);
    request.verify = params.value("verify", true);
    Result<replay::TreeProgram> program = replay::readTreeCase(params.at("case").dump());
    if (!program) return invalid(program.error().message);
    if (program->functions.size() != request.functions.size())
        return invalid("the case has other functions than the tree");
    for (std::size_t i = 0; i < request.functions.size(); ++i) {
        replay::TreeFunction& about = request.functions[i].about;
        const replay::TreeFunction& given = program->functions[i].function;
        about.mode = given.mode;
        about.staticInputs = given.staticInputs;
        about.mutatedInputs = given.mutatedInputs;
        if (given.inputs.size() != request.functions[i].inputs.size())
            return invalid("function " + std::to_string(i) + " has another number of inputs");
    }
    request.events = std::move(program->events);
    request.options = program->options;
    return request;
}

Reply TreeRuns::run(const json& params, const PoolOf& poolOf, const TaskContext& task) {
    auto request = takeRequest(params);
    if (!request) return tl::unexpected(request.error());
    const auto pool = poolOf(params.value("backend", "cpu"));
    if (!pool) return tl::unexpected(pool.error());
    if (auto refused = refusalOf(**pool, *request)) return tl::unexpected(std::move(*refused));
    const std::size_t events = request->events.size();
    TreeRun run(**pool, std::move(*request));
    for (std::size_t done = 0; run.next(task); ++done) {
        if (task.cancelled()) return tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}});
        task.report("Running the tree", done + 1, events);
    }
    return json{{"report", replay::toJson(run.report())}};
}

std::vector<TreeRuns::Live>::iterator TreeRuns::findLive(const std::string& name) {
    return std::find_if(m_live.begin(), m_live.end(), [&](const Live& live) { return live.name == name; });
}

Reply TreeRuns::begin(const json& params, const PoolOf& poolOf) {
    auto request = takeRequest(params);
    if (!request) return tl::unexpected(request.error());
    auto pool = poolOf(params.value("backend", "cpu"));
    if (!pool) return tl::unexpected(pool.error());
    if (auto refused = refusalOf(**pool, *request)) return tl::unexpected(std::move(*refused));
    if (m_live.size() >= maxLive) m_live.erase(m_live.begin()); // its client went away
    Live& live = m_live.emplace_back();
    live.name = "run" + std::to_string(m_next++);
    live.pool = std::move(*pool);
    live.run = std::make_unique<TreeRun>(*live.pool, std::move(*request));
    return json{{"run", live.name}};
}

Reply TreeRuns::next(const json& params, const TaskContext& task) {
    const auto live = findLive(params.at("run").get<std::string>());
    if (live == m_live.end()) return invalid("there is no such run");
    for (std::size_t left = params.value("steps", std::size_t{1}); left > 0 && !task.cancelled(); --left)
        if (!live->run->next(task)) break;
    return json{{"part", replay::toJson(live->run->news())}};
}

Reply TreeRuns::drop(const json& params) {
    const auto live = findLive(params.at("run").get<std::string>());
    if (live != m_live.end()) m_live.erase(live);
    return json::object();
}

} // namespace dynascope::engine
