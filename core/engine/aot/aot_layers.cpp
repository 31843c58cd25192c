// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/aot_layers.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <string>
#include <unordered_map>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;
using namespace passes::aot;

/// The inputs as the layers describe them.
struct Described {
    TensorObjects objects;
    CallArguments<OuterIndex> arguments;
};

class Describer {
public:
    Described run(const std::vector<IValue>& inputs) {
        for (const IValue& input : inputs) {
            const std::string name = "args[" + std::to_string(m_out.arguments.list.size()) + ']';
            std::optional<ObjectId> object;
            if (isDefinedTensor(input)) object = add(input.toTensor());
            m_out.arguments.list.push_back({object, name});
        }
        return std::move(m_out);
    }

private:
    ObjectId add(const Tensor& tensor) {
        const auto known = m_ids.find(tensor.unsafeGetTensorImpl());
        if (known != m_ids.end()) return known->second;
        TensorObject object;
        if (tensor.is_view()) object.base = add(Tensor(tensor._base()));
        const auto [storage, isNew] =
            m_storages.emplace(tensor.storage().unsafeGetStorageImpl(), m_out.objects.storageElements.size());
        if (isNew) m_out.objects.storageElements.push_back(0);
        object.storage = storage->second;
        object.geometry = {tensor.sizes().vec(), tensor.strides().vec(), tensor.storage_offset()};
        // A fake storage is as long as the first tensor on it, if that starts at its beginning; later tensors
        // make it longer.
        std::int64_t& elements = m_out.objects.storageElements[object.storage];
        if (elements == 0 && object.geometry.offset != 0)
            elements = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.dtype().itemsize());
        elements = std::max(elements, object.geometry.end());
        object.dtype = c10::toString(tensor.scalar_type());
        object.requiresGrad = tensor.requires_grad();
        m_ids.emplace(tensor.unsafeGetTensorImpl(), m_out.objects.objects.size());
        m_out.objects.objects.push_back(std::move(object));
        return m_out.objects.objects.size() - 1;
    }

    Described m_out;
    std::unordered_map<const void*, ObjectId> m_ids;
    std::unordered_map<const void*, std::size_t> m_storages;
};

/// Where there is no base every kept argument is an inner one.
ViewAndMutationMeta<InnerIndex> unmerged(const ViewAndMutationMeta<KeptIndex>& kept) {
    ViewAndMutationMeta<InnerIndex> out;
    out.inputs = kept.inputs;
    out.intermediateBases = kept.intermediateBases;
    for (const auto& output : kept.outputs) {
        OutputAliasInfo<InnerIndex> same;
        same.type = output.type;
        if (output.input) same.input = InnerIndex{output.input->value};
        same.base = output.base;
        same.requiresGrad = output.requiresGrad;
        same.requiresGradForBackward = output.requiresGradForBackward;
        same.rawType = output.rawType;
        out.outputs.push_back(std::move(same));
    }
    return out;
}

} // namespace

Result<AotLayers> AotLayers::plan(const std::vector<IValue>& inputs,
                                  const ViewAndMutationMeta<OuterIndex>& meta, bool training) {
    AotLayers out;
    Described described = Describer().run(inputs);
    CallKind kind;
    kind.training = training;
    auto dedupe = planDedupe(described.arguments, meta, kind);
    if (!dedupe) return tl::unexpected(dedupe.error());
    out.m_dedupe = std::move(*dedupe);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (out.m_dedupe.keep[i]) out.m_outerOf.push_back(i);
    const auto kept = dedupedMetadata(out.m_dedupe, meta);
    const auto arguments = dedupedArguments(out.m_dedupe, described.arguments, described.objects);
    auto merged = mergeViewInputs(described.objects, arguments, kept, kind);
    if (!merged) return tl::unexpected(merged.error());
    out.m_merge = std::move(*merged);
    out.m_objects = std::move(described.objects);
    if (!out.m_merge) {
        out.m_meta = unmerged(kept);
        return out;
    }
    auto inner = mergedMetadata(*out.m_merge, out.m_objects, arguments, kept);
    if (!inner) return tl::unexpected(inner.error());
    out.m_meta = std::move(inner->meta);
    for (const KeptIndex i : inner->geometryChanged)
        out.m_geometryChanged.push_back(out.m_outerOf[i.value]);
    return out;
}

std::size_t AotLayers::outerOf(InnerIndex inner) const {
    if (!m_merge) return m_outerOf.at(inner.value);
    return m_outerOf.at(m_merge->others.at(inner.value - m_merge->bases.size()).value);
}

std::vector<IValue> AotLayers::innerArguments(const std::vector<IValue>& outer) const {
    std::vector<IValue> out;
    if (!m_merge) {
        for (const std::size_t i : m_outerOf)
            out.push_back(outer[i]);
        return out;
    }
    for (const SyntheticBase& base : m_merge->bases) {
        const Tensor member = outer[m_outerOf[base.members.front().value]].toTensor();
        if (base.object && member.is_view()) {
            out.emplace_back(Tensor(member._base()));
            continue;
        }
        out.emplace_back(
            at::empty({0}, member.options())
                .set_(member.storage(), base.geometry.offset, base.geometry.sizes, base.geometry.strides));
    }
    for (const KeptIndex i : m_merge->others)
        out.push_back(outer[m_outerOf[i.value]]);
    return out;
}

std::vector<IValue> AotLayers::outerArguments(const std::vector<IValue>& inner) const {
    std::vector<IValue> kept;
    for (std::size_t i = 0; i < m_outerOf.size(); ++i) {
        if (!m_merge) {
            kept.push_back(inner[i]);
            continue;
        }
        const auto& source = m_merge->source[i];
        if (const auto* view = std::get_if<ViewOfBase>(&source)) {
            const TensorGeometry& geometry = m_objects.objects[view->member].geometry;
            kept.emplace_back(inner[view->base.value].toTensor().as_strided(geometry.sizes, geometry.strides,
                                                                            geometry.offset));
        } else {
            kept.push_back(inner[std::get<InnerIndex>(source).value]);
        }
    }
    std::vector<IValue> out;
    for (const KeptIndex i : m_dedupe.keptOf)
        out.push_back(kept[i.value]);
    return out;
}

} // namespace dynascope::engine
