// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/metadata_compare.h"

#include "core/engine/client/aot_case.h"

#include <algorithm>

namespace dynascope::engine {

namespace {

using nlohmann::json;

bool isList(const std::string& field) {
    return field == "input_info" || field == "output_info";
}

void compareObjects(const std::string& what, const json& captured, const json& derived,
                    std::vector<std::string>& out, std::size_t& fields) {
    for (const auto& [field, value] : captured.items()) {
        if (isList(field)) continue;
        ++fields;
        const auto found = derived.find(field);
        if (found != derived.end() && *found == value) continue;
        out.push_back(what + field + " is " + (found == derived.end() ? "missing" : found->dump()) +
                      ", captured " + value.dump());
    }
}

} // namespace

json graphMetadataJson(const passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex>& meta) {
    json out = metadataJson(meta);
    for (std::size_t i = 0; i < meta.outputs.size(); ++i)
        out["output_info"][i]["requires_grad_for_backward"] = meta.outputs[i].requiresGradForBackward;
    return out;
}

std::vector<std::string> metadataDifferences(const passes::aot::CapturedMetadata& captured,
                                             const json& derived, std::size_t& fields) {
    json expected = graphMetadataJson(captured.meta);
    expected["num_traced_tangents"] = captured.tangents.size();
    for (json& output : expected["output_info"])
        if (output["raw_type"] == "SymInt") output["raw_type"] = "int"; // derived at numbers
    std::vector<std::string> out;
    for (const auto& [list, name] :
         {std::pair("input_info", "input "), std::pair("output_info", "output ")}) {
        const json& want = expected[list];
        const json got = derived.value(list, json::array());
        if (want.size() != got.size())
            out.push_back(std::to_string(got.size()) + " entries in " + list + ", captured " +
                          std::to_string(want.size()));
        for (std::size_t i = 0; i < std::min(want.size(), got.size()); ++i)
            compareObjects(name + std::to_string(i) + ": ", want[i], got[i], out, fields);
    }
    compareObjects({}, expected, derived, out, fields); // most follow from those
    return out;
}

} // namespace dynascope::engine
