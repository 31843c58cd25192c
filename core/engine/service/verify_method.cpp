// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/verify_method.h"

#include "core/engine/service/execute.h"
#include "core/engine/service/pass_runner.h"
#include "core/engine/verify/verification.h"
#include "core/ir/text.h"

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// Of the last pass that says so.
json writeBacksOf(const json& reply) {
    json out = json::array();
    for (const json& pass : reply.value("passes", json::array())) {
        if (pass.is_object() && pass.value("write_back", json()).is_array()) out = pass["write_back"];
    }
    return out;
}

/// The graph that passes make here and now, or one that was loaded before.
tl::expected<json, Failure> fillComputed(const json& params, const VerifyHost& host, VerifyRequest& request) {
    json stage{{"steps", params.value("steps", json::array())}};
    if (params.contains("computed")) {
        auto program = host.program(params.at("computed").get<std::string>());
        if (!program) return tl::unexpected(program.error());
        request.computed.program = std::move(*program);
        stage["attrs"] = params.value("computed_attrs", json());
        request.computed.writeBacks = params.value("write_back", json::array());
    } else {
        if (!params.contains("passes")) return invalid("either a computed graph or passes are needed");
        json pass = params;
        pass["verify"] = false;
        pass["scorecard"] = true;
        pass["runs"] = 1;
        Reply reply = host.pass(pass);
        if (!reply) return tl::unexpected(reply.error());
        auto graph = ir::readGraph(reply->at("graph").get<std::string>());
        if (!graph) return invalid(graph.error().toString());
        request.computed.program = std::make_shared<const Program>(compile(std::move(*graph)));
        request.computed.writeBacks = writeBacksOf(*reply);
        stage = std::move(*reply);
    }
    if (!request.computed.program->unsupported.empty())
        return tl::unexpected(unsupportedFailure(*request.computed.program));
    return stage;
}

} // namespace

Reply verifyMethod(const json& params, std::shared_ptr<const Program> source, const json& inputs,
                   const VerifyHost& host, const TaskContext& task) {
    VerifyRequest request;
    Result<Attributes> attributes = makeAttributes(params.value("attrs", json()));
    if (!attributes) return invalid(attributes.error().message);
    seedAttributes(*source, *attributes);
    request.source = {std::move(source), std::move(*attributes), json::array()};
    request.inputs = inputs;
    request.aliasing = params.value("aliasing", false);
    request.strict = params.value("strict", false);
    request.seed = params.value("seed", std::uint64_t{0});
    const tl::expected<json, Failure> stage = fillComputed(params, host, request);
    if (!stage) return tl::unexpected(stage.error());
    Result<Attributes> constants = makeAttributes(stage->value("attrs", json()));
    if (!constants) return invalid(constants.error().message);
    request.computed.attributes = std::move(*constants);
    request.pairs = matchedPairs(*request.source.program->graph, *request.computed.program->graph, *stage);
    Reply reply = verify(request, task);
    if (reply) {
        (*reply)["matched"] = request.pairs.size();
        if (stage->contains("graph")) (*reply)["graph"] = stage->at("graph");
        if (stage->contains("warnings")) (*reply)["warnings"] = stage->at("warnings");
    }
    return reply;
}

} // namespace dynascope::engine
