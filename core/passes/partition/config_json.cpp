// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/partition/config_json.h"

#include "core/base/json_fields.h"

#include <cmath>

namespace dynascope::passes::partition {

Config configOf(const nlohmann::json& settings) {
    Config out;
    if (!settings.is_object()) return out;
    const auto flag = [&](const char* name, bool& to) {
        if (const auto at = settings.find(name); at != settings.end() && at->is_boolean())
            to = at->get<bool>();
    };
    flag("cse", out.cse);
    flag("treat_parameters_as_free_to_save", out.parametersAreFree);
    flag("recompute_views", out.recomputeViews);
    flag("ban_recompute_used_far_apart", out.banUsedFarApart);
    flag("ban_recompute_long_fusible_chains", out.banLongChains);
    flag("ban_recompute_materialized_backward", out.banMaterializedBackward);
    flag("ban_recompute_not_in_allowlist", out.banNotInAllowlist);
    flag("ban_recompute_reductions", out.banReductions);
    flag("aggressive_recomputation", out.aggressive);
    if (const auto at = settings.find("max_dist_from_bw"); at != settings.end() && at->is_number_integer())
        if (const auto distance = at->get<std::int64_t>(); distance >= 0 && distance <= 1'000'000)
            out.maxDistance = static_cast<int>(distance);
    if (const auto at = settings.find("activation_memory_budget"); at != settings.end() && at->is_number())
        if (const double budget = at->get<double>(); std::isfinite(budget) && budget >= 0 && budget <= 1)
            out.memoryBudget = budget;
    if (stringField(settings, "activation_memory_budget_solver") == "greedy")
        out.solver = Config::Solver::Greedy;
    out.countFlops = stringField(settings, "activation_memory_budget_runtime_estimator") != "testing";
    return out;
}

} // namespace dynascope::passes::partition
