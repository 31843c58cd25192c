// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/aot/dedupe.h"

#include "core/passes/aot/remap_outputs.h"

#include <unordered_map>
#include <unordered_set>

namespace dynascope::passes::aot {

namespace {

/// All repeats that a detached alias can stand for, or nothing if one of them is written.
std::optional<std::vector<OuterIndex>> unwrittenRepeats(const CallArguments<OuterIndex>& arguments,
                                                        const ViewAndMutationMeta<OuterIndex>& meta) {
    std::unordered_set<ObjectId> seen;
    std::vector<OuterIndex> out;
    for (OuterIndex i; i.value < arguments.list.size(); ++i.value) {
        const auto& tensor = arguments.at(i).tensor;
        if (!tensor || seen.insert(*tensor).second) continue;
        if (meta.input(i).mutatesData || meta.input(i).mutatesMetadata) return std::nullopt;
        out.push_back(i);
    }
    return out;
}

DedupePlan specialized(const CallArguments<OuterIndex>& arguments) {
    DedupePlan plan;
    plan.strategy = DedupePlan::Strategy::Specialize;
    std::unordered_map<ObjectId, KeptIndex> first;
    KeptIndex next;
    for (const auto& argument : arguments.list) {
        if (argument.tensor) {
            const auto [found, isNew] = first.emplace(*argument.tensor, next);
            if (!isNew) {
                plan.keep.push_back(false);
                plan.keptOf.push_back(found->second);
                continue;
            }
        }
        plan.keep.push_back(true);
        plan.keptOf.push_back(next);
        ++next.value;
    }
    return plan;
}

} // namespace

Result<DedupePlan> planDedupe(const CallArguments<OuterIndex>& arguments,
                              const ViewAndMutationMeta<OuterIndex>& meta, const CallKind& kind) {
    if (auto leafified = unwrittenRepeats(arguments, meta)) {
        DedupePlan plan;
        plan.leafified = std::move(*leafified);
        plan.keep.assign(arguments.list.size(), true);
        for (KeptIndex i; i.value < arguments.list.size(); ++i.value)
            plan.keptOf.push_back(i);
        return plan;
    }
    if (kind.tensorSubclasses)
        return failure(
            "Encountered duplicate inputs that are mutated in the graph, but at least one input/output "
            "to the graph is a tensor subclass. This is not supported today");
    if (kind.exporting)
        return failure(
            "Encountered duplicated inputs that are mutated in the graph you are trying to export. "
            "This functionality is currently not supported");
    return specialized(arguments);
}

CallArguments<KeptIndex> dedupedArguments(const DedupePlan& plan, const CallArguments<OuterIndex>& arguments,
                                          TensorObjects& objects) {
    CallArguments<KeptIndex> out;
    for (std::size_t i = 0; i < arguments.list.size(); ++i) {
        if (plan.keep[i]) out.list.push_back({arguments.list[i].tensor, arguments.list[i].name});
    }
    for (const OuterIndex repeat : plan.leafified) {
        TensorObject alias = objects.objects[*arguments.at(repeat).tensor];
        alias.base.reset();
        out.list[plan.keptOf[repeat.value].value].tensor = objects.objects.size();
        objects.objects.push_back(std::move(alias));
    }
    return out;
}

ViewAndMutationMeta<KeptIndex> dedupedMetadata(const DedupePlan& plan,
                                               const ViewAndMutationMeta<OuterIndex>& meta) {
    ViewAndMutationMeta<KeptIndex> out;
    for (std::size_t i = 0; i < meta.inputs.size(); ++i)
        if (plan.keep[i]) out.inputs.push_back(meta.inputs[i]);
    for (const auto& output : meta.outputs)
        out.outputs.push_back(
            remapped<KeptIndex>(output, [&](OuterIndex input) { return plan.keptOf[input.value]; }));
    out.intermediateBases = meta.intermediateBases;
    return out;
}

} // namespace dynascope::passes::aot
