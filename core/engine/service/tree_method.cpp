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

tl::expected<wire::TreeFunctionReply, Failure> TreeRuns::addFunction(const wire::TreeFunctionRequest& said,
                                                                     std::shared_ptr<const Program> program,
                                                                     const json& inputs) {
    Result<CaseInputs> made = makeInputs(inputs, {});
    if (!made) return invalid(made.error().message);
    Result<Attributes> attributes = makeAttributes(said.on.attributes);
    if (!attributes) return invalid(attributes.error().message);
    seedAttributes(*program, *attributes);
    auto tree = find(said.tree);
    if (said.tree.empty()) {
        if (m_trees.size() >= maxTrees) m_trees.erase(m_trees.begin()); // its client went away
        tree = m_trees.insert(m_trees.end(), {"tree" + std::to_string(m_next++), {}});
    } else if (tree == m_trees.end()) {
        return invalid("there is no tree '" + said.tree + "'");
    }
    std::vector<TreeRunFunction>& functions = tree->functions;
    if (functions.size() >= maxFunctions) return invalid("there are too many functions");
    TreeRunFunction function;
    replay::describe(function.about, *program->graph);
    function.about.name = said.name.empty() ? "f" + std::to_string(functions.size()) : said.name;
    function.program = std::move(program);
    function.inputs = std::move(made->values);
    function.attributes = std::move(*attributes);
    functions.push_back(std::move(function));
    return wire::TreeFunctionReply{tree->name, functions.size() - 1};
}

std::vector<TreeRuns::Tree>::iterator TreeRuns::find(const std::string& name) {
    return std::find_if(m_trees.begin(), m_trees.end(), [&](const Tree& tree) { return tree.name == name; });
}

tl::expected<TreeRunRequest, Failure> TreeRuns::takeRequest(const wire::TreeRequest& said) {
    const auto found = find(said.tree);
    if (found == m_trees.end()) return invalid("there is no such tree");
    TreeRunRequest request;
    request.functions = std::move(found->functions);
    m_trees.erase(found);
    request.verify = said.verify;
    Result<replay::TreeProgram> program = replay::readTreeCase(said.program.dump());
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

tl::expected<wire::TreeReply, Failure> TreeRuns::run(const wire::TreeRequest& said, const PoolOf& poolOf,
                                                     const TaskContext& task) {
    auto request = takeRequest(said);
    if (!request) return tl::unexpected(request.error());
    const auto pool = poolOf(said.backend);
    if (!pool) return tl::unexpected(pool.error());
    if (auto refused = refusalOf(**pool, *request)) return tl::unexpected(std::move(*refused));
    const std::size_t events = request->events.size();
    PoolTreeRun run(**pool, std::move(*request));
    for (std::size_t done = 0; run.next(task); ++done) {
        if (task.cancelled()) return tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}});
        task.report("Running the tree", done + 1, events);
    }
    return wire::TreeReply{run.report()};
}

std::vector<TreeRuns::Live>::iterator TreeRuns::findLive(const std::string& name) {
    return std::find_if(m_live.begin(), m_live.end(), [&](const Live& live) { return live.name == name; });
}

tl::expected<wire::TreeBeginReply, Failure> TreeRuns::begin(const wire::TreeRequest& said,
                                                            const PoolOf& poolOf) {
    auto request = takeRequest(said);
    if (!request) return tl::unexpected(request.error());
    auto pool = poolOf(said.backend);
    if (!pool) return tl::unexpected(pool.error());
    if (auto refused = refusalOf(**pool, *request)) return tl::unexpected(std::move(*refused));
    if (m_live.size() >= maxLive) m_live.erase(m_live.begin()); // its client went away
    Live& live = m_live.emplace_back();
    live.name = "run" + std::to_string(m_next++);
    live.pool = std::move(*pool);
    live.run = std::make_unique<PoolTreeRun>(*live.pool, std::move(*request));
    return wire::TreeBeginReply{live.name};
}

tl::expected<wire::TreeNextReply, Failure> TreeRuns::next(const wire::TreeNextRequest& said,
                                                          const TaskContext& task) {
    const auto live = findLive(said.run);
    if (live == m_live.end()) return invalid("there is no such run");
    for (std::uint64_t left = said.steps; left > 0 && !task.cancelled(); --left)
        if (!live->run->next(task)) break;
    return wire::TreeNextReply{live->run->news()};
}

void TreeRuns::drop(const wire::TreeDropRequest& said) {
    const auto live = findLive(said.run);
    if (live != m_live.end()) m_live.erase(live);
}

} // namespace dynascope::engine
