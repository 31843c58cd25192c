// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/aot_deviations.h"

#include "core/engine/cases/traced_graph.h"
#include "core/passes/partition/captured_joint.h"

#include <algorithm>

namespace dynascope::engine {

using namespace passes::aot;

namespace {

std::string argument(std::size_t i) {
    return "argument " + std::to_string(i);
}

} // namespace

bool writesChangedShapeInGraph(const AotTrace& trace) {
    const auto& meta = trace.layers.meta();
    const auto written = meta.inputsOf(MutationType::InGraph);
    return std::any_of(written.begin(), written.end(), [&](InnerIndex i) {
        return meta.input(i).mutatesData && meta.input(i).mutatesMetadata;
    });
}

std::vector<std::string> aotDeviations(const AotTrace& trace, const std::vector<c10::IValue>& inputs) {
    std::vector<std::string> out;
    const auto& meta = trace.layers.meta();
    const std::size_t bases = trace.layers.merge() ? trace.layers.merge()->bases.size() : 0;
    for (const InnerIndex i : meta.inputsOf(MutationType::OutGraph)) {
        if (i.value < bases || !meta.input(i).mutatesData || !meta.input(i).mutatesMetadata) continue;
        const std::size_t outer = trace.layers.outerOf(i);
        if (inputs.at(outer).toTensor().storage_offset() != 0)
            out.push_back(argument(outer) + " is written and changes its shape, and does not start where its "
                                            "storage does: PyTorch moves it there and overwrites foreign "
                                            "elements");
    }
    if (trace.joint && !meta.inputsOf(MutationType::InGraph).empty()) {
        const auto joint = passes::partition::capturedJoint(withoutDeadNodes(trace.graph), {}, {});
        const auto cut = joint ? passes::partition::minCutPartition(*joint)
                               : Result<passes::partition::Partition>(tl::unexpected(joint.error()));
        if (cut) out.insert(out.end(), cut->warnings.begin(), cut->warnings.end());
    }
    for (const std::size_t i : trace.takenForUnmoved)
        out.push_back(argument(i) +
                      " is written after its geometry was changed in place, and PyTorch may not "
                      "see that it lies otherwise than before");
    if (writesChangedShapeInGraph(trace))
        out.emplace_back(
            "an argument that is written also changes its shape, and PyTorch keeps the write in the "
            "graph: it fails there, or the new shape is lost");
    for (std::size_t i = 0; i < trace.outer.outputs.size(); ++i) {
        const auto& info = trace.outer.outputs[i];
        if (info.type == OutputType::IsInput && info.input && trace.layers.merge()) {
            const auto& inner = meta.outputs.at(i);
            const at::Tensor input = inputs.at(info.input->value).toTensor();
            const std::string what = "output " + std::to_string(i) + " is " + argument(info.input->value);
            if (inner.type == OutputType::IsInput && inner.input && inner.input->value < bases)
                out.push_back(what + ", which is part of a base: PyTorch may hand out the whole base");
            else if (inner.type == OutputType::AliasOfInput && input.storage_offset() != 0)
                out.push_back(what + ", of which PyTorch makes an alias that starts where the storage does");
        }
        if (info.type != OutputType::AliasOfInput || !info.input) continue;
        const InputAliasInfo& input = trace.outer.input(*info.input);
        if (trace.layers.merge() || input.mutatesMetadata)
            out.push_back("output " + std::to_string(i) + " is a view of " + argument(info.input->value) +
                          ": PyTorch replays the view on what has become of that, and raises where it does "
                          "not fit");
    }
    return out;
}

} // namespace dynascope::engine
