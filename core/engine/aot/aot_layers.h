// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/result.h"
#include "core/engine/exec/interpreter.h"
#include "core/passes/aot/dedupe.h"
#include "core/passes/aot/synthetic_base.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace dynascope::engine {

/// AOTAutograd's outer layers over one function's real arguments: repeated tensors, synthetic bases, and the
/// way from the arguments of the graph (inner) to those of the function (outer).
class AotLayers {
public:
    /// Fails with PyTorch's words where a layer refuses.
    [[nodiscard]] static Result<AotLayers>
    plan(const std::vector<c10::IValue>& inputs,
         const passes::aot::ViewAndMutationMeta<passes::aot::OuterIndex>& meta, bool training);

    [[nodiscard]] const passes::aot::DedupePlan& dedupe() const { return m_dedupe; }
    [[nodiscard]] const std::optional<passes::aot::MergePlan>& merge() const { return m_merge; }
    /// Of the graph.
    [[nodiscard]] const passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex>& meta() const {
        return m_meta;
    }
    /// Outer positions of members of bases that the caller restrides; they are the last results.
    [[nodiscard]] const std::vector<std::size_t>& geometryChanged() const { return m_geometryChanged; }

    /// Outer position of an inner argument that is no base.
    [[nodiscard]] std::size_t outerOf(passes::aot::InnerIndex inner) const;

    /// The inner arguments that lie in these outer ones, by reference.
    [[nodiscard]] std::vector<c10::IValue> innerArguments(const std::vector<c10::IValue>& outer) const;
    /// The outer arguments, members of bases as views of them.
    [[nodiscard]] std::vector<c10::IValue> outerArguments(const std::vector<c10::IValue>& inner) const;

private:
    passes::aot::DedupePlan m_dedupe;
    std::optional<passes::aot::MergePlan> m_merge;
    passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex> m_meta;
    passes::aot::TensorObjects m_objects;
    std::vector<std::size_t> m_outerOf; ///< by kept argument
    std::vector<std::size_t> m_geometryChanged;
};

} // namespace dynascope::engine
