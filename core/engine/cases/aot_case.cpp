// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cases/aot_case.h"

#include "core/base/json_fields.h"

#include <algorithm>

namespace dynascope::engine {

using nlohmann::json;
namespace aot = passes::aot;

namespace {

std::vector<std::int64_t> numbers(const json& list) {
    std::vector<std::int64_t> out;
    for (const json& entry : list.is_array() ? list : json::array())
        out.push_back(entry.is_number_integer() ? entry.get<std::int64_t>() : 0);
    return out;
}

bool flag(const json& object, const char* key) {
    return field(object, key) == true;
}

json inputJson(const aot::InputAliasInfo& info) {
    const auto type = info.mutationType();
    return {{"mutates_data", info.mutatesData},
            {"mutates_metadata", info.mutatesMetadata},
            {"mutates_storage_metadata", info.mutatesStorageMetadata},
            {"mutations_hidden_from_autograd", info.mutationsHiddenFromAutograd},
            {"mutations_under_no_grad_or_inference_mode", info.mutationsUnderNoGradOrInferenceMode},
            {"is_leaf", info.isLeaf},
            {"requires_grad", info.requiresGrad},
            {"keep_input_mutations", info.keepInputMutations},
            {"mutation_type", type ? std::string(aot::mutationTypeName(*type)) : type.error().message}};
}

template <typename Index>
json outputJson(const aot::OutputAliasInfo<Index>& info) {
    json base;
    if (info.input) base = info.input->value;
    if (info.base) base = *info.base;
    return {{"output_type", std::string(aot::outputTypeName(info.type))},
            {"base_idx", std::move(base)},
            {"requires_grad", info.requiresGrad},
            {"raw_type", info.rawType}};
}

json geometryJson(const aot::TensorGeometry& geometry, const std::string& dtype) {
    return {{"shape", geometry.sizes},
            {"stride", geometry.strides},
            {"dtype", dtype},
            {"storage_offset", geometry.offset}};
}

} // namespace

std::string firstDifference(const json& expected, const json& got) {
    const json patch = json::diff(got, expected);
    if (patch.empty()) return {};
    const std::string path = stringField(patch.front(), "path");
    const json::json_pointer where(path);
    return (path.empty() ? "it" : path) + " is " + (got.contains(where) ? got[where].dump() : "missing") +
           ", expected " + (expected.contains(where) ? expected[where].dump() : "nothing");
}

std::optional<aot::TensorGeometry> geometryOf(const json& tensor) {
    const json& offset = field(tensor, "storage_offset");
    aot::TensorGeometry out{numbers(field(tensor, "shape")), numbers(field(tensor, "stride")),
                            offset.is_number_integer() ? offset.get<std::int64_t>() : 0};
    if (!field(tensor, "shape").is_array() || out.sizes.size() != out.strides.size()) return std::nullopt;
    return out;
}

aot::InputAliasInfo inputInfo(const json& info) {
    aot::InputAliasInfo out;
    out.isLeaf = flag(info, "is_leaf");
    out.mutatesData = flag(info, "mutates_data");
    out.mutatesMetadata = flag(info, "mutates_metadata");
    out.mutatesStorageMetadata = flag(info, "mutates_storage_metadata");
    out.mutationsHiddenFromAutograd = flag(info, "mutations_hidden_from_autograd");
    out.mutationsUnderNoGradOrInferenceMode = flag(info, "mutations_under_no_grad_or_inference_mode");
    out.storageResized = flag(info, "mutation_inductor_storage_resize");
    out.requiresGrad = flag(info, "requires_grad");
    out.keepInputMutations = flag(info, "keep_input_mutations");
    return out;
}

template <typename Index>
json metadataJson(const aot::ViewAndMutationMeta<Index>& meta) {
    json out{{"input_info", json::array()}, {"output_info", json::array()}};
    for (const aot::InputAliasInfo& info : meta.inputs)
        out["input_info"].push_back(inputJson(info));
    for (const auto& info : meta.outputs)
        out["output_info"].push_back(outputJson(info));
    out["num_intermediate_bases"] = meta.intermediateBases;
    out["mutated_inp_runtime_indices"] = indicesJson(meta.inputsOf(aot::MutationType::OutGraph));
    out["mutated_graph_handled_indices"] = indicesJson(meta.inputsOf(aot::MutationType::InGraph));
    out["aliased_out_indices"] = meta.aliasedOutputs();
    out["num_traced_tangents"] = meta.tangents().size();
    return out;
}

template json metadataJson(const aot::ViewAndMutationMeta<aot::OuterIndex>& meta);
template json metadataJson(const aot::ViewAndMutationMeta<aot::KeptIndex>& meta);
template json metadataJson(const aot::ViewAndMutationMeta<aot::InnerIndex>& meta);

std::optional<aot::ViewAndMutationMeta<aot::OuterIndex>> readMetadata(const json& meta, std::size_t inputs) {
    aot::ViewAndMutationMeta<aot::OuterIndex> out;
    for (const json& info : field(meta, "input_info"))
        out.inputs.push_back(inputInfo(info));
    for (const json& info : field(meta, "output_info")) {
        aot::OutputAliasInfo<aot::OuterIndex> output;
        const auto type = aot::outputTypeFromName(stringField(info, "output_type"));
        if (!type) return std::nullopt;
        output.type = *type;
        if (const json& base = field(info, "base_idx"); base.is_number_unsigned()) {
            const bool ofInput = aot::liesInInput(*type);
            if (ofInput && base.get<std::size_t>() >= inputs) return std::nullopt;
            if (ofInput)
                output.input = aot::OuterIndex{base.get<std::size_t>()};
            else
                output.base = base.get<std::size_t>();
        }
        output.requiresGrad = output.requiresGradForBackward = flag(info, "requires_grad");
        output.rawType = stringField(info, "raw_type");
        out.outputs.push_back(std::move(output));
    }
    if (const json& bases = field(meta, "num_intermediate_bases"); bases.is_number_unsigned())
        out.intermediateBases = bases.get<std::size_t>();
    if (out.inputs.size() != inputs) return std::nullopt;
    return out;
}

DescribedInputs::DescribedInputs(const json& inputs)
    : m_storages(field(inputs, "storages"))
    , m_valid(m_storages.is_array()) {
    m_objects.storageElements.assign(m_storages.size(), 0);
    for (const json& input : field(inputs, "inputs"))
        add(input);
}

bool DescribedInputs::training() const {
    return std::any_of(m_objects.objects.begin(), m_objects.objects.end(),
                       [](const aot::TensorObject& object) { return object.requiresGrad; });
}

void DescribedInputs::add(const json& input) {
    const std::string name = "args[" + std::to_string(m_arguments.list.size()) + ']';
    if (!input.contains("storage")) {
        m_arguments.list.push_back({std::nullopt, name});
        return;
    }
    if (const json& same = field(input, "same_as"); same.is_number_unsigned()) {
        const auto first = same.get<std::size_t>();
        m_valid &= first < m_arguments.list.size();
        if (m_valid) m_arguments.list.push_back({m_arguments.list[first].tensor, name});
        return;
    }
    auto geometry = geometryOf(input);
    const json& storage = field(input, "storage");
    m_valid &= geometry && storage.is_number_unsigned() && storage.get<std::size_t>() < m_storages.size();
    if (!m_valid) return;
    aot::TensorObject object;
    object.storage = storage.get<std::size_t>();
    object.geometry = std::move(*geometry);
    object.dtype = stringField(input, "dtype");
    object.requiresGrad = flag(input, "requires_grad");
    const std::string via = stringField(input, "via");
    if (via == "base") {
        const aot::ObjectId base = baseOf(object.storage, object);
        m_objects.objects[base].requiresGrad |= object.requiresGrad;
        m_arguments.list.push_back({base, name});
        return;
    }
    if (via == "view") {
        aot::TensorObject base = object;
        base.geometry = wholeStorage(object.storage);
        object.base = baseOf(object.storage, std::move(base));
    } else {
        seen(object);
    }
    m_arguments.list.push_back({m_objects.objects.size(), name});
    m_objects.objects.push_back(std::move(object));
}

aot::ObjectId DescribedInputs::baseOf(std::size_t storage, aot::TensorObject base) {
    const auto [found, isNew] = m_bases.emplace(storage, m_objects.objects.size());
    if (isNew) {
        seen(base);
        m_objects.objects.push_back(std::move(base));
    }
    return found->second;
}

aot::TensorGeometry DescribedInputs::wholeStorage(std::size_t storage) const {
    std::vector<std::int64_t> sizes = numbers(field(m_storages[storage], "base_shape"));
    if (sizes.empty()) sizes.push_back(realElements(storage));
    return aot::TensorGeometry::contiguous(std::move(sizes));
}

std::int64_t DescribedInputs::realElements(std::size_t storage) const {
    return static_cast<std::int64_t>(field(m_storages[storage], "data").size());
}

/// A fake storage is as long as the first tensor on it, if that starts at its beginning; later tensors
/// make it longer.
void DescribedInputs::seen(const aot::TensorObject& object) {
    std::int64_t& elements = m_objects.storageElements[object.storage];
    if (elements == 0 && object.geometry.offset != 0) elements = realElements(object.storage);
    elements = std::max(elements, object.geometry.end());
}

json mergeJson(const aot::MergePlan& plan, const aot::TensorObjects& objects,
               const aot::CallArguments<aot::KeptIndex>& arguments) {
    json out{{"inner_args", json::array()}, {"num_bases", plan.bases.size()}};
    const auto tensorJson = [&](aot::ObjectId id) {
        return geometryJson(objects.objects[id].geometry, objects.objects[id].dtype);
    };
    for (const aot::SyntheticBase& base : plan.bases)
        out["inner_args"].push_back(geometryJson(base.geometry, base.dtype));
    for (const aot::KeptIndex i : plan.others) {
        const auto& tensor = arguments.at(i).tensor;
        out["inner_args"].push_back(tensor ? tensorJson(*tensor) : json{{"scalar", arguments.at(i).name}});
    }
    for (const auto& source : plan.source) {
        const auto* view = std::get_if<aot::ViewOfBase>(&source);
        out["synthetic_base_info"].push_back(
            view ? json{{"base", view->base.value}, {"view", tensorJson(view->member)}}
                 : json(std::get<aot::InnerIndex>(source).value));
    }
    return out;
}

} // namespace dynascope::engine
