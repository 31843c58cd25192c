// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/aot/synthetic_base.h"

#include "core/ir/meta.h"
#include "core/passes/aot/remap_outputs.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace dynascope::passes::aot {

namespace {

using Arguments = CallArguments<KeptIndex>;
using Group = std::vector<KeptIndex>;

constexpr std::string_view unhandled =
    "aot_autograd() does not yet handle non-differentiable view input mutations. ";

std::int64_t bytesOf(const TensorGeometry& geometry, const std::string& dtype) {
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(geometry.numel(), std::int64_t{ir::dtypeBytes(ir::shortDtype(dtype))},
                                  &bytes)
               ? std::numeric_limits<std::int64_t>::max()
               : bytes;
}

class Merge {
public:
    Merge(const TensorObjects& objects, const Arguments& arguments,
          const ViewAndMutationMeta<KeptIndex>& meta, const CallKind& kind)
        : m_objects(objects)
        , m_arguments(arguments)
        , m_meta(meta)
        , m_kind(kind) {}

    Result<std::optional<MergePlan>> run() {
        if (std::none_of(m_meta.inputs.begin(), m_meta.inputs.end(),
                         [](const InputAliasInfo& info) { return info.mutatesData; }))
            return std::nullopt;
        for (const Group& group : groups()) {
            if (!needsBase(group)) {
                m_plan.others.insert(m_plan.others.end(), group.begin(), group.end());
                continue;
            }
            if (auto possible = checkMembers(group); !possible) return tl::unexpected(possible.error());
            auto base = makeBase(group);
            if (!base) return tl::unexpected(base.error());
            m_plan.bases.push_back(std::move(*base));
        }
        if (m_plan.bases.empty()) return std::nullopt;
        if (m_kind.tensorSubclasses)
            return failure("Encountered aliased inputs that are mutated in the graph, but at least one "
                           "input/output to the graph is a tensor subclass. This is not supported today");
        if (m_kind.exporting)
            return failure("Encountered aliased inputs that are mutated in the graph you are trying to "
                           "export. This functionality is currently not supported");
        fillSources();
        return std::move(m_plan);
    }

private:
    const TensorObject& object(KeptIndex i) const { return m_objects.objects[*m_arguments.at(i).tensor]; }

    /// Tensors by storage, in the order in which storages are first seen. Others go to the plan at once.
    std::vector<Group> groups() {
        std::vector<Group> out;
        std::unordered_map<std::size_t, std::size_t> ofStorage;
        for (KeptIndex i; i.value < m_arguments.list.size(); ++i.value) {
            if (!m_arguments.at(i).tensor) {
                m_plan.others.push_back(i);
                continue;
            }
            const auto [found, isNew] = ofStorage.emplace(object(i).storage, out.size());
            if (isNew) out.emplace_back();
            out[found->second].push_back(i);
        }
        return out;
    }

    bool needsBase(const Group& group) const {
        if (group.size() < 2 || std::none_of(group.begin(), group.end(),
                                             [&](KeptIndex i) { return m_meta.input(i).mutatesData; }))
            return false;
        std::vector<TensorGeometry> members;
        std::unordered_map<ObjectId, std::size_t> seen;
        for (const KeptIndex i : group) {
            // One object twice overlaps itself, whatever its geometry.
            if (!seen.emplace(*m_arguments.at(i).tensor, i.value).second) return true;
            members.push_back(object(i).geometry);
        }
        return overlapping(members).size() >= 2;
    }

    bool differentiableViews(KeptIndex a, KeptIndex b) const {
        const ObjectId first = *m_arguments.at(a).tensor, second = *m_arguments.at(b).tensor;
        const auto firstBase = object(a).base, secondBase = object(b).base;
        if (first == second) return true;
        if (!firstBase && !secondBase) return false;
        return firstBase == secondBase || firstBase == second || secondBase == first;
    }

    bool ownDtype(KeptIndex i) const {
        const auto& base = object(i).base;
        return !base || m_objects.objects[*base].dtype == object(i).dtype;
    }

    Result<void> checkMembers(const Group& group) const {
        for (std::size_t i = 0; i + 1 < group.size(); ++i) {
            const KeptIndex a = group[i], b = group[i + 1];
            if (m_kind.training && !differentiableViews(a, b))
                return failure(std::string(unhandled) + m_arguments.describe(a) + " and " +
                               m_arguments.describe(b) +
                               " share storage but are not differentiable views of each other.");
            if (object(a).dtype != object(b).dtype || !ownDtype(a) || !ownDtype(b))
                return failure("aot_autograd() does not yet handle input mutations on views with different "
                               "dtypes.");
        }
        return {};
    }

    /// "['input 0 (args[0])', ...]" of those that have a base, or of those that have none.
    std::string membersWith(const Group& group, bool base) const {
        std::string out;
        for (const KeptIndex i : group) {
            if (object(i).base.has_value() != base) continue;
            out += (out.empty() ? "'" : ", '") + m_arguments.describe(i) + '\'';
        }
        return '[' + out + ']';
    }

    Result<SyntheticBase> makeBase(const Group& group) const {
        SyntheticBase out;
        out.members = group;
        const auto view =
            std::find_if(group.begin(), group.end(), [&](KeptIndex i) { return object(i).base.has_value(); });
        if (view == group.end()) {
            const TensorObject& first = object(group.front());
            out.geometry = {{m_objects.storageElements[first.storage]}, {1}, 0};
            out.dtype = first.dtype;
        } else {
            out.object = object(*view).base;
            for (const KeptIndex i : group) {
                if (object(i).base && object(i).base != out.object)
                    return failure(
                        std::string(unhandled) +
                        "Aliased inputs share storage but have different autograd ._base tensors: " +
                        m_arguments.describe(*view) + " and " + m_arguments.describe(i) +
                        " have ._base fields that point to different tensors.");
            }
            for (const KeptIndex i : group) {
                if (!object(i).base && m_arguments.at(i).tensor != out.object)
                    return failure(std::string(unhandled) +
                                   "Aliased inputs share storage but have mixed autograd ._base states: " +
                                   membersWith(group, true) + " have ._base set, while " +
                                   membersWith(group, false) +
                                   " have ._base=None (and are not the synthetic base).");
            }
            out.geometry = m_objects.objects[*out.object].geometry;
            out.dtype = m_objects.objects[*out.object].dtype;
        }
        out.copiedBytes = bytesOf(out.geometry, out.dtype);
        for (const KeptIndex i : group) {
            if (!m_meta.input(i).mutatesData) continue;
            const std::int64_t bytes = bytesOf(object(i).geometry, out.dtype);
            if (__builtin_add_overflow(out.neededBytes, bytes, &out.neededBytes))
                out.neededBytes = std::numeric_limits<std::int64_t>::max();
        }
        return out;
    }

    void fillSources() {
        m_plan.source.resize(m_arguments.list.size());
        for (std::size_t base = 0; base < m_plan.bases.size(); ++base)
            for (const KeptIndex i : m_plan.bases[base].members)
                m_plan.source[i.value] = ViewOfBase{InnerIndex{base}, *m_arguments.at(i).tensor};
        for (std::size_t i = 0; i < m_plan.others.size(); ++i)
            m_plan.source[m_plan.others[i].value] = InnerIndex{m_plan.bases.size() + i};
    }

    const TensorObjects& m_objects;
    const Arguments& m_arguments;
    const ViewAndMutationMeta<KeptIndex>& m_meta;
    const CallKind& m_kind;
    MergePlan m_plan;
};

InnerIndex innerOf(const std::variant<InnerIndex, ViewOfBase>& source) {
    const auto* view = std::get_if<ViewOfBase>(&source);
    return view ? view->base : std::get<InnerIndex>(source);
}

/// What holds for a base, of what holds for its members.
Result<InputAliasInfo> baseInfo(const SyntheticBase& base, const ViewAndMutationMeta<KeptIndex>& meta) {
    InputAliasInfo out = meta.input(base.members.front());
    out.mutatesData = true;
    // What happened to a member's geometry or storage is told by an extra output.
    out.mutatesMetadata = out.mutatesStorageMetadata = false;
    for (const KeptIndex i : base.members) {
        const InputAliasInfo& member = meta.input(i);
        if (member.isLeaf != out.isLeaf)
            return failure("members of a synthetic base are leaves of autograd and others are not");
        out.requiresGrad |= member.requiresGrad;
        out.mutationsHiddenFromAutograd &= member.mutationsHiddenFromAutograd;
        out.mutationsUnderNoGradOrInferenceMode &= member.mutationsUnderNoGradOrInferenceMode;
        out.storageResized &= member.storageResized;
    }
    return out;
}

} // namespace

Result<std::optional<MergePlan>> mergeViewInputs(const TensorObjects& objects, const Arguments& arguments,
                                                 const ViewAndMutationMeta<KeptIndex>& meta,
                                                 const CallKind& kind) {
    return Merge(objects, arguments, meta, kind).run();
}

Result<MergedMetadata> mergedMetadata(const MergePlan& plan, const TensorObjects& objects,
                                      const Arguments& arguments,
                                      const ViewAndMutationMeta<KeptIndex>& meta) {
    MergedMetadata out;
    for (const SyntheticBase& base : plan.bases) {
        auto info = baseInfo(base, meta);
        if (!info) return tl::unexpected(info.error());
        out.meta.inputs.push_back(*info);
    }
    for (const KeptIndex i : plan.others)
        out.meta.inputs.push_back(meta.input(i));

    const auto replacedByView = [&](KeptIndex i) {
        if (!std::holds_alternative<ViewOfBase>(plan.source[i.value])) return false;
        const TensorObject& member = objects.objects[*arguments.at(i).tensor];
        const SyntheticBase& base = plan.bases[innerOf(plan.source[i.value]).value];
        return member.base.has_value() || member.geometry != base.geometry;
    };
    for (const auto& output : meta.outputs) {
        auto changed =
            remapped<InnerIndex>(output, [&](KeptIndex input) { return innerOf(plan.source[input.value]); });
        if (output.type == OutputType::IsInput && output.input &&
            (output.input->value != changed.input->value || replacedByView(*output.input)))
            changed.type = OutputType::AliasOfInput;
        out.meta.outputs.push_back(std::move(changed));
    }
    for (KeptIndex i; i.value < meta.inputs.size(); ++i.value) {
        if (!meta.input(i).mutatesMetadata || !std::holds_alternative<ViewOfBase>(plan.source[i.value]))
            continue;
        out.geometryChanged.push_back(i);
        OutputAliasInfo<InnerIndex> extra;
        extra.type = OutputType::AliasOfInput;
        extra.input = innerOf(plan.source[i.value]);
        extra.requiresGrad = objects.objects[*arguments.at(i).tensor].requiresGrad;
        extra.requiresGradForBackward = extra.requiresGrad;
        extra.rawType = "FunctionalTensor";
        out.meta.outputs.push_back(std::move(extra));
    }
    out.meta.intermediateBases = meta.intermediateBases;
    return out;
}

} // namespace dynascope::passes::aot
