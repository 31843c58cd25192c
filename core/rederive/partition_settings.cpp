// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/partition_settings.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dynascope::engine {

passes::partition::Config partitionSettings(const session::Session& session, const session::Compile& compile,
                                            int attempt) {
    passes::partition::Config out;
    nlohmann::json known;
    for (const std::size_t index : compile.records) {
        const session::Record& record = session.records[index];
        if (record.attempt == attempt && record.type == "artifact:torch._functorch.config")
            known = nlohmann::json::parse(record.payload.text(), nullptr, false);
    }
    if (!known.is_object()) return out;
    const auto flag = [&](const char* name, bool& to) {
        if (const auto at = known.find(name); at != known.end() && at->is_boolean()) to = at->get<bool>();
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
    if (const auto at = known.find("max_dist_from_bw"); at != known.end() && at->is_number_integer())
        if (const auto distance = at->get<std::int64_t>(); distance >= 0 && distance <= 1'000'000)
            out.maxDistance = static_cast<int>(distance);
    if (const auto at = known.find("activation_memory_budget"); at != known.end() && at->is_number())
        if (const double budget = at->get<double>(); std::isfinite(budget) && budget >= 0 && budget <= 1)
            out.memoryBudget = budget;
    return out;
}

} // namespace dynascope::engine
