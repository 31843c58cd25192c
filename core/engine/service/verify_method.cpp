// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/verify_method.h"

#include "core/engine/service/execute.h"
#include "core/engine/service/pass_runner.h"
#include "core/engine/verify/verification.h"
#include "core/ir/text.h"
#include "core/ranks/collectives.h"

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// The computed side as passes or a capture say it.
struct Stage {
    std::vector<wire::PassStep> steps;
    json attributes;
    std::optional<std::string> graph; ///< of the passes, where these ran
    std::optional<std::vector<std::string>> warnings;
};

/// Those of the last pass that says so.
std::vector<wire::WriteBack> writeBacksOf(std::vector<wire::PassSummary>& passes) {
    for (auto pass = passes.rbegin(); pass != passes.rend(); ++pass)
        if (pass->functionalize) return std::move(pass->functionalize->writeBacks);
    return {};
}

/// The graph that passes make here and now.
tl::expected<Stage, Failure> computeStage(const wire::VerifyRequest& said, const json& inputs,
                                          const VerifyHost& host, VerifyRequest& request) {
    PassRequest pass;
    pass.passes = said.passes;
    pass.options = passOptions(said.options);
    pass.inputs = inputs;
    pass.attributes = said.on.attributes;
    pass.scorecard = true;
    const Reply answer = host.pass(pass);
    if (!answer) return tl::unexpected(answer.error());
    auto reply = wire::decode<wire::PassReply>(*answer);
    if (!reply) return tl::unexpected(Failure{ErrorCode::Failed, reply.error().message, {}});
    auto graph = ir::readGraph(reply->graph);
    if (!graph) return invalid(graph.error().toString());
    request.computed.program = std::make_shared<const Program>(compile(std::move(*graph)));
    request.computed.writeBacks = writeBacksOf(reply->passes);
    return Stage{std::move(reply->steps), std::move(reply->attributes), std::move(reply->graph),
                 std::move(reply->warnings)};
}

/// The computed side: the graph that passes make here and now, or one that was loaded before.
tl::expected<Stage, Failure> fillComputed(const wire::VerifyRequest& said, const json& inputs,
                                          const VerifyHost& host, VerifyRequest& request) {
    tl::expected<Stage, Failure> stage;
    if (said.computed) {
        auto program = host.program(*said.computed);
        if (!program) return tl::unexpected(program.error());
        request.computed.program = std::move(*program);
        request.computed.writeBacks = said.writeBacks;
        stage = Stage{said.steps, said.computedAttributes, std::nullopt, std::nullopt};
    } else {
        if (said.passes.empty()) return invalid("either a computed graph or passes are needed");
        stage = computeStage(said, inputs, host, request);
        if (!stage) return stage;
    }
    if (!request.computed.program->unsupported.empty())
        return tl::unexpected(unsupportedFailure(*request.computed.program));
    return stage;
}

} // namespace

tl::expected<wire::VerifyReply, Failure> verifyMethod(const wire::VerifyRequest& said,
                                                      std::shared_ptr<const Program> source,
                                                      const json& inputs, const VerifyHost& host,
                                                      const TaskContext& task) {
    VerifyRequest request;
    Result<Attributes> attributes = makeAttributes(said.on.attributes);
    if (!attributes) return invalid(attributes.error().message);
    seedAttributes(*source, *attributes);
    request.source = {std::move(source), std::move(*attributes), {}};
    request.inputs = inputs;
    request.aliasing = said.aliasing;
    request.strict = said.strict;
    request.seed = said.seed;
    const tl::expected<Stage, Failure> stage = fillComputed(said, inputs, host, request);
    if (!stage) return tl::unexpected(stage.error());
    Result<Attributes> constants = makeAttributes(stage->attributes);
    if (!constants) return invalid(constants.error().message);
    request.computed.attributes = std::move(*constants);
    request.pairs =
        matchedPairs(*request.source.program->graph, *request.computed.program->graph, stage->steps);
    auto reply = verify(request, task);
    if (!reply) return reply;
    reply->alone = ranks::aloneText(*request.source.program->graph);
    reply->matched = request.pairs.size();
    reply->graph = stage->graph;
    reply->warnings = stage->warnings;
    return reply;
}

} // namespace dynascope::engine
