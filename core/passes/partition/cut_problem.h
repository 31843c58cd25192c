// SPDX-License-Identifier: BSD-3-Clause
//
// What forward saves as a minimum cut: nodes, their weights, and which may not be recomputed. Follows
// min_cut_rematerialization_partition of torch/_functorch/partitioners.py. Internal to core/passes/partition.
#pragma once

#include "core/passes/partition/op_classes.h"
#include "core/passes/partition/work.h"

#include <unordered_set>

namespace dynascope::passes::partition {

/// Why a node may not be recomputed.
enum class Ban : std::uint8_t {
    None,
    Input,
    MustSave,
    NotRecomputable,  ///< not on the list of recomputable ops
    ComputeIntensive, ///< or random
    Materialized,     ///< backward would have to write it to memory
    TooFar,
    Reduction, ///< far smaller than what it is made from
    UsedFarApart,
    LongChain,
};
[[nodiscard]] std::string_view banWords(Ban ban);

struct BanRules {
    bool farApart = true, longChains = true, materialized = true, allowlist = true, reductions = true;
};
[[nodiscard]] BanRules banRules(const Config& config);

struct Cut {
    std::vector<ir::NodeIndex> saved;  ///< in joint order
    std::vector<ir::NodeIndex> banned; ///< in the order in which they were banned
    std::vector<Ban> bans;             ///< by node
};

class CutProblem {
public:
    static constexpr std::int64_t farthest = 1'000'000'000;

    /// Fails where the forward outputs do not follow from the inputs. Keeps references to both.
    [[nodiscard]] static Result<CutProblem> make(const Work& work, const Config& config);

    /// False where there is nothing that backward computes from tangents.
    [[nodiscard]] bool hasBackward() const { return m_hasBackward; }
    [[nodiscard]] std::int64_t distance(ir::NodeIndex i) const { return m_distance[i]; }
    [[nodiscard]] const OpClass& opClassOf(ir::NodeIndex i) const { return m_kinds[m_kindOf[i]].opClass; }
    [[nodiscard]] const std::string& packet(ir::NodeIndex i) const { return m_kinds[m_kindOf[i]].packet; }
    /// Linear but for the flow and the search for far apart uses, which looks at the nodes between the uses.
    [[nodiscard]] Result<Cut> solve(const BanRules& rules,
                                    const std::unordered_set<ir::NodeIndex>& exempt = {}) const;

private:
    CutProblem(const Work& work, const Config& config)
        : m_work(work)
        , m_config(config) {}

    void classifyBackward();
    Result<void> classifyForward();
    void measureDistances();
    [[nodiscard]] bool fusible(ir::NodeIndex node, ir::NodeIndex user) const;
    [[nodiscard]] std::int64_t weight(ir::NodeIndex i) const;
    [[nodiscard]] bool materializedInBackward(ir::NodeIndex i) const;
    [[nodiscard]] bool shrinks(ir::NodeIndex i) const;
    [[nodiscard]] Ban banOf(ir::NodeIndex i, const BanRules& rules) const;
    [[nodiscard]] std::int64_t firstUnfusedUse(ir::NodeIndex i, std::int64_t last) const;

    struct Bans; ///< those given so far in one solution
    void banUsedFarApart(Bans& bans) const;
    void banLongChains(Bans& bans) const;

    const Work& m_work;
    const Config& m_config;
    /// What nodes of one target have in common.
    struct Kind {
        std::string packet;
        OpClass opClass;
    };
    std::vector<Kind> m_kinds;
    std::vector<std::uint32_t> m_kindOf; ///< by node
    std::vector<bool> m_fromTangents;    ///< needs a tangent
    std::vector<bool> m_gradient;        ///< is a gradient, or needs a tangent
    std::vector<bool> m_forward;         ///< forward computes it anyway
    std::vector<std::int64_t> m_order;   ///< position among those of forward
    std::vector<std::int64_t> m_distance;
    std::vector<bool> m_static; ///< a parameter or buffer
    std::vector<bool> m_unsavable;
    bool m_hasBackward = false;
};

/// What to save within a memory budget between the inputs alone and what the cut saves.
[[nodiscard]] Result<Cut> withinBudget(const Work& work, const CutProblem& problem, const Config& config,
                                       Cut whole);

} // namespace dynascope::passes::partition
