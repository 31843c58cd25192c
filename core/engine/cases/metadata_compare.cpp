// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/metadata_compare.h"

#include "core/base/json_fields.h"
#include "core/engine/cases/aot_case.h"

#include <algorithm>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using Of = MetadataField::Of;

bool isList(const std::string& field) {
    return field == "input_info" || field == "output_info";
}

/// A derived text may come from a file.
std::string spelled(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void addFields(Of of, std::size_t index, const json& captured, const json& derived,
               std::vector<MetadataField>& out) {
    for (const auto& [field, value] : captured.items()) {
        if (isList(field)) continue;
        const auto found = derived.is_object() ? derived.find(field) : derived.end();
        out.push_back(
            {of, index, field, spelled(value), found == derived.end() ? std::string() : spelled(*found)});
    }
}

std::string prefixOf(const MetadataField& field) {
    if (field.of == Of::Graph) return {};
    return (field.of == Of::Input ? "input " : "output ") + std::to_string(field.index) + ": ";
}

} // namespace

json graphMetadataJson(const passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex>& meta) {
    json out = metadataJson(meta);
    for (std::size_t i = 0; i < meta.outputs.size(); ++i)
        out["output_info"][i]["requires_grad_for_backward"] = meta.outputs[i].requiresGradForBackward;
    return out;
}

std::optional<passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex>> readGraphMetadata(const json& meta) {
    const json& outputs = field(meta, "output_info");
    auto read = readMetadata(meta, field(meta, "input_info").size());
    if (!read || read->outputs.size() != outputs.size()) return std::nullopt;
    passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex> out;
    out.inputs = std::move(read->inputs);
    out.intermediateBases = read->intermediateBases;
    for (std::size_t i = 0; i < read->outputs.size(); ++i) {
        auto& info = read->outputs[i];
        std::optional<passes::aot::InnerIndex> input;
        if (info.input) input = passes::aot::InnerIndex{info.input->value};
        out.outputs.push_back({info.type, input, info.base, info.requiresGrad,
                               field(outputs[i], "requires_grad_for_backward") == true,
                               std::move(info.rawType)});
    }
    return out;
}

std::vector<MetadataField> metadataFields(const passes::aot::CapturedMetadata& captured,
                                          const json& derived) {
    json expected = graphMetadataJson(captured.meta);
    expected["num_traced_tangents"] = captured.tangents.size();
    for (json& output : expected["output_info"]) {
        if (output["raw_type"] == "SymInt") output["raw_type"] = "int"; // derived at numbers
        if (!captured.saysForBackward) output.erase("requires_grad_for_backward");
    }
    std::vector<MetadataField> out;
    for (const auto& [list, of] :
         {std::pair("input_info", Of::Input), std::pair("output_info", Of::Output)}) {
        const json& want = expected[list];
        const auto found = derived.is_object() ? derived.find(list) : derived.end();
        const json got = found != derived.end() && found->is_array() ? *found : json::array();
        if (want.size() != got.size())
            out.push_back({Of::Graph, 0, list, std::to_string(want.size()) + " entries",
                           std::to_string(got.size()) + " entries"});
        for (std::size_t i = 0; i < std::min(want.size(), got.size()); ++i)
            addFields(of, i, want[i], got[i], out);
    }
    addFields(Of::Graph, 0, expected, derived, out); // most follow from those
    return out;
}

std::vector<std::string> metadataDifferences(const std::vector<MetadataField>& fields) {
    std::vector<std::string> out;
    for (const MetadataField& field : fields)
        if (!field.same())
            out.push_back(prefixOf(field) + field.name + " is " +
                          (field.derived.empty() ? "missing" : field.derived) + ", captured " +
                          field.captured);
    return out;
}

std::string mutationWords(const json& derived, const ir::Graph& traced) {
    std::vector<std::string_view> names;
    for (const ir::NodePtr& node : traced.nodes())
        if (node->op == ir::Op::Placeholder) names.emplace_back(node->name);
    std::string out;
    const json& inputs = field(derived, "input_info");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::string what;
        for (const auto& [key, word] :
             {std::pair("mutates_data", "data"), std::pair("mutates_metadata", "metadata"),
              std::pair("mutates_storage_metadata", "storage")})
            if (field(inputs[i], key) == true) what += (what.empty() ? "" : " and ") + std::string(word);
        if (what.empty()) continue;
        out += (out.empty() ? "input " : "; input ") + std::to_string(i);
        if (i < names.size()) out += " (" + std::string(names[i]) + ')';
        out += ": " + what + " mutated";
    }
    return out.empty() ? "no input is mutated" : out;
}

} // namespace dynascope::engine
