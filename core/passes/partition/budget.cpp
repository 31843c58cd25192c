// SPDX-License-Identifier: BSD-3-Clause
//
// activation_memory_budget: what may be kept of a fraction of the memory that the plain cut saves, so that
// the most running time is kept. Follows choose_saved_values_set of torch/_functorch/partitioners.py.
#include "core/passes/partition/cut_problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace dynascope::passes::partition {

using ir::NodeIndex;

namespace {

double gigabytes(const Work& work, const std::vector<NodeIndex>& nodes) {
    return std::accumulate(
               nodes.begin(), nodes.end(), 0.0,
               [&](double sum, NodeIndex i) { return sum + static_cast<double>(work.facts[i].bytes()); }) /
           1e9;
}

double product(const std::vector<std::int64_t>& sizes, std::size_t from) {
    double out = 1;
    for (std::size_t i = from; i < sizes.size(); ++i)
        out *= static_cast<double>(sizes[i]);
    return out;
}

/// Floating-point operations of the ops that PyTorch counts; others cost 1.
double flops(const Work& work, const CutProblem& problem, NodeIndex i) {
    const ir::Node& node = work.node(i);
    const auto sizes = [&](std::size_t argument) -> std::vector<std::int64_t> {
        if (argument >= node.args.size() || !node.args[argument].isNode()) return {};
        const auto& tensor = work.facts[work.graph->find(node.args[argument].text)].tensor;
        return tensor ? tensor->sizes : std::vector<std::int64_t>();
    };
    const std::string& packet = problem.packet(i);
    const std::size_t first = packet == "aten.addmm" ? 1 : 0;
    const auto a = sizes(first), b = sizes(first + 1);
    if ((packet == "aten.mm" || packet == "aten.addmm" || packet == "aten.bmm") && !b.empty())
        return 2 * product(a, 0) * static_cast<double>(b.back());
    if (packet == "aten.convolution" && !a.empty() && b.size() >= 2 && work.facts[i].tensor)
        return 2 * product(work.facts[i].tensor->sizes, 2) * product(b, 0) * static_cast<double>(a.front());
    return 1;
}

struct Item {
    NodeIndex node = 0;
    double memory = 0; ///< as a fraction of what can be saved at all
    double runtime = 1;
};

/// The items to recompute: all but the most valuable ones that fit, by dynamic programming on
/// ten-thousandths.
std::vector<NodeIndex> leftOutByTable(const std::vector<Item>& items, double budget) {
    constexpr double steps = 10000;
    const auto capacity = static_cast<std::size_t>(std::nearbyint(budget * steps));
    std::vector<std::size_t> weights;
    for (const Item& item : items)
        weights.push_back(static_cast<std::size_t>(std::nearbyint(std::min(item.memory, 2.0) * steps)));
    // PyTorch's table is of single precision, and so are its ties.
    std::vector<float> value(capacity + 1, 0);
    std::vector<std::vector<bool>> better(items.size(), std::vector<bool>(capacity + 1, false));
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (std::size_t j = capacity + 1; j-- > weights[i];) {
            const auto with = static_cast<float>(value[j - weights[i]] + items[i].runtime);
            if (weights[i] != 0 && with <= value[j]) continue;
            better[i][j] = with != value[j];
            value[j] = with;
        }
    }
    std::vector<NodeIndex> out;
    std::size_t left = capacity;
    for (std::size_t i = items.size(); i-- > 0;) {
        if (better[i][left])
            left -= weights[i];
        else
            out.push_back(items[i].node);
    }
    return out;
}

std::vector<NodeIndex> leftOutByGreed(const std::vector<Item>& items, double budget) {
    std::vector<Item> order = items;
    std::stable_sort(order.begin(), order.end(), [](const Item& a, const Item& b) {
        return a.runtime / a.memory > b.runtime / b.memory;
    });
    std::vector<NodeIndex> out;
    double used = 0;
    for (const Item& item : order) {
        if (used + item.memory <= budget)
            used += item.memory;
        else
            out.push_back(item.node);
    }
    return out;
}

std::optional<std::size_t> storageOf(const NodeFacts& facts) {
    if (!facts.tensor) return std::nullopt;
    return facts.tensor->storage;
}

} // namespace

Result<Cut> withinBudget(const Work& work, const CutProblem& problem, const Config& config, Cut whole) {
    const std::vector<NodeIndex> inputs = work.forwardInputs();
    const double least = gigabytes(work, inputs), span = gigabytes(work, whole.saved) - least;
    if (span <= 0) return whole;
    const auto fits = [&](const Cut& cut) {
        return (gigabytes(work, cut.saved) - least) / span < config.memoryBudget;
    };
    BanRules rules = banRules(config);
    rules.farApart = rules.longChains = rules.materialized = false;
    auto eager = problem.solve(rules);
    if (!eager || fits(*eager)) return eager;
    rules.allowlist = false;
    auto most = problem.solve(rules);
    if (!most || fits(*most)) return most;

    std::set<std::optional<std::size_t>> inputStorages;
    for (const NodeIndex i : inputs)
        inputStorages.insert(storageOf(work.facts[i]));
    std::vector<Item> items;
    std::vector<NodeIndex> kept = inputs;
    for (const NodeIndex i : most->banned) {
        if (problem.distance(i) >= CutProblem::farthest || inputStorages.contains(storageOf(work.facts[i])))
            continue;
        if (work.facts[i].recompute == Recompute::MustSave) {
            kept.push_back(i);
            continue;
        }
        items.push_back({i, static_cast<double>(work.facts[i].bytes()) / 1e9 / span,
                         config.countFlops ? std::max(flops(work, problem, i), 1.0) : 1.0});
    }
    if (items.empty()) {
        most->saved = std::move(kept);
        return most;
    }
    std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
        return work.facts[a.node].bytes() > work.facts[b.node].bytes();
    });
    const auto leftOut = config.solver == Config::Solver::Greedy ? leftOutByGreed(items, config.memoryBudget)
                                                                 : leftOutByTable(items, config.memoryBudget);
    return problem.solve(rules, {leftOut.begin(), leftOut.end()});
}

} // namespace dynascope::passes::partition
