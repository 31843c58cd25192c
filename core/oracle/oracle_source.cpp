// SPDX-License-Identifier: BSD-3-Clause
//
// Judges what a case of kinds `hand` and `random` says of its source graph: the number of nodes, that the
// text is read and printed as it is, and what each value is.
#include "core/engine/wire/execute.h"
#include "core/ir/text.h"
#include "core/oracle/oracle_case.h"

#include <algorithm>
#include <map>

namespace dynascope::engine {

namespace {

using nlohmann::json;

/// A value as "execute" describes it, in the form of node_meta_before; null for what is no tensor.
json metaOf(const json& value) {
    if (stringField(value, "kind") == "list") {
        json out = json::array();
        for (const json& item : field(value, "items"))
            out.push_back(metaOf(item));
        return out;
    }
    if (stringField(value, "kind") != "tensor") return {};
    return {{"shape", field(value, "shape")},
            {"stride", field(value, "stride")},
            {"dtype", field(value, "dtype")},
            {"storage_offset", field(value, "offset")}};
}

/// Without what says nothing: how far apart elements lie where there is no second one. PyTorch's fake tensors
/// and real ones differ in it.
json withoutIdleStrides(json meta) {
    if (meta.is_array())
        for (json& item : meta)
            item = withoutIdleStrides(std::move(item));
    const json& shape = field(meta, "shape");
    if (!shape.is_array() || !field(meta, "stride").is_array() || shape.size() != meta["stride"].size())
        return meta;
    const bool empty = std::find(shape.begin(), shape.end(), json(0)) != shape.end();
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (empty || shape[i] == 1) meta["stride"][i] = 0;
    if (const std::string dtype = stringField(meta, "dtype"); dtype.starts_with("torch."))
        meta["dtype"] = dtype.substr(dtype.find('.') + 1);
    return meta;
}

std::string differentMeta(const json& oracleCase, const json& values) {
    const json& expected = field(oracleCase, "node_meta_before");
    if (!expected.is_object() || !values.is_array()) return {};
    std::map<std::string, json> got;
    for (const json& value : values)
        got[stringField(value, "node")] = metaOf(value);
    for (const auto& [name, meta] : expected.items()) {
        const auto found = got.find(name);
        if (found == got.end()) return "there is no node '" + name + "', of which the case says what it is";
        if (withoutIdleStrides(found->second) != withoutIdleStrides(meta))
            return '\'' + name + "' is " + found->second.dump() + ", expected " + meta.dump();
    }
    return {};
}

std::string differentText(const json& oracleCase) {
    const std::string source = stringField(oracleCase, "before");
    const Result<ir::GraphPtr> graph = ir::readGraph(source);
    if (!graph) return graph.error().toString();
    if (const json& nodes = field(oracleCase, "n_nodes_before");
        nodes.is_number() && nodes != json((*graph)->size()))
        return "the graph has " + std::to_string((*graph)->size()) + " nodes, expected " + nodes.dump();
    const json& same = field(oracleCase, "before_text_roundtrips");
    if (same.is_boolean() && same != json(ir::printFx(**graph) == source))
        return std::string("the graph's text is ") + (same == true ? "not " : "") + "printed as it was read";
    return {};
}

} // namespace

void judgeSource(Client& engine, const json& oracleCase, const JudgeOptions& options, CaseReport& report) {
    if (!field(oracleCase, "before").is_string()) return;
    std::string different = differentText(oracleCase);
    if (different.empty()) {
        wire::ExecuteRequest request;
        request.on = {field(oracleCase, "inputs"), field(oracleCase, "before_attrs"), {}};
        request.values = true;
        for (json& input : request.on.inputs["inputs"]) // it was traced without gradients
            if (input.is_object()) input.erase("requires_grad");
        const CallResult got =
            asJson(engine.execute(stringField(oracleCase, "before"), request, options.call));
        // Eager may raise after the first nodes; another judge has that.
        if (got) different = differentMeta(oracleCase, field(*got, "values"));
        if (!got && engineGone(got.error())) different = got.error().message;
    }
    report.parts.push_back({"source graph", different.empty() ? CaseVerdict::Passed : CaseVerdict::Failed,
                            std::move(different)});
}

} // namespace dynascope::engine
