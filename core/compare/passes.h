// SPDX-License-Identifier: BSD-3-Clause
//
// Two compiles that recordings of passes hold, compared pass by pass: the first pass that acts differently, the
// kernels that differ, and the decisions of the scheduler that they come from.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/inductor/compile_passes.h"
#include "core/session/session.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::compare {

enum class PassPairVerdict : std::uint8_t {
    Same,
    Differs, ///< it was given the same graph, and left another one or met other patterns; or it ran on one side only
    Follows, ///< it was given another graph, and changed other nodes: what a pass before it did may be why
    OnlyInA,
    OnlyInB,
};
/// "same", "differs", "follows", "only in A", "only in B".
[[nodiscard]] std::string_view passPairVerdictName(PassPairVerdict verdict);

/// A pass, or a change between passes. Rows count in CompilePasses::rows of their side; -1: that side lacks it.
struct PassComparison {
    int rowA = -1, rowB = -1;
    std::string name;             ///< "pass_pattern_0"
    std::uint32_t a = 0, b = 0;   ///< Pass::index; 0 between passes
    std::string changeA, changeB; ///< "+13 -48 ~4", "nothing", "did not run: ..."; empty where there is none
    PassPairVerdict verdict = PassPairVerdict::Same;
    std::string difference; ///< the first, in a line; empty where there is none
    int depth = 0;          ///< of passes around it
    /// It acts differently: no pass that only one side has and that changes nothing, and no consequence.
    bool acts = false;
};

/// The passes of a phase of both sides.
struct PhaseComparison {
    std::string name;  ///< "post_grad, forward"
    std::string start; ///< how the graphs differ that it began with; empty where they do not
    std::vector<PassComparison> passes;
};

/// A fusion that one side made and the other did not.
struct FusionDecision {
    bool inA = true;        ///< which side made it
    std::size_t number = 0; ///< from 1, by order
    std::uint32_t round = 0;
    std::vector<std::string> a, b; ///< operations, by the names of the side that made it
    /// What the scheduler of the other side was asked about two of them, and answered: reasons, in its words.
    std::vector<std::string> reasons;
    std::string asked;       ///< "op3 with op7", by its names; empty where it was asked about no such pair
    bool wasAllowed = false; ///< the other side's scheduler answered yes the last time, and did not fuse them
};

/// A kernel that the other side has not, or has with other code.
struct KernelComparison {
    bool inA = true;
    bool sameOperations = false; ///< the other side has a kernel of the same operations: others.front()
    std::string name;
    std::vector<std::string> operations, origins;
    std::vector<std::string> others; ///< kernels of the other side that its operations are in
    std::vector<std::string>
        missing; ///< its operations that the other side has not, in no kernel or not at all
    std::vector<FusionDecision> decisions;
};

/// Kernels of one graph. Two kernels are the same where their code is the same and their operations come from the same nodes
/// of the post-grad graph, by name.
struct ScheduleComparison {
    std::string graph;  ///< "forward", "backward, subgraph x"
    int a = -1, b = -1; ///< into inductor::schedulesOf() of each side; -1: it has none of this graph
    std::size_t same = 0;
    std::vector<KernelComparison> kernels; ///< that differ
    bool onlyInA = false, onlyInB = false; ///< the other side has no schedule of this graph
};

struct PassesComparison {
    std::vector<PhaseComparison> phases; ///< in the order of A, then those that only B has
    std::vector<ScheduleComparison> schedules;

    /// The first pass that acts differently, the innermost where passes run in passes; null where none does.
    struct First {
        const PhaseComparison* phase = nullptr;
        const PassComparison* pass = nullptr;
    };
    [[nodiscard]] First first() const;
    /// How two graphs differ that a phase began with before any pass acted differently; empty where none does.
    [[nodiscard]] std::string startsApart() const;
    /// No pass acts differently, no phase began with another graph, and all kernels are the same.
    [[nodiscard]] bool alike() const;
};

/// Both with stages (inductor::addStages()). The only Error is cancellation().
[[nodiscard]] Result<PassesComparison> comparePasses(const inductor::CompilePasses& a,
                                                     const inductor::CompilePasses& b,
                                                     const TaskContext& task = {});

/// Those of two compiles of sessions. An Error where a side has no recording of passes, or it cannot be read.
[[nodiscard]] Result<PassesComparison> comparePasses(const session::Session& a, const session::Compile& ca,
                                                     const session::Session& b, const session::Compile& cb,
                                                     const TaskContext& task = {});

/// Two schedules of one graph. Either may be null.
[[nodiscard]] ScheduleComparison compareSchedules(const inductor::PassRecording& ra,
                                                  const inductor::Schedule* a,
                                                  const inductor::PassRecording& rb,
                                                  const inductor::Schedule* b);

/// What tells the two apart, in a line: the first pass that acts differently; empty where nothing does.
[[nodiscard]] std::string firstDifference(const PassesComparison& passes);

} // namespace dynascope::compare
