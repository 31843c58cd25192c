// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/pass_steps.h"

#include "core/base/words.h"
#include "core/computed/functional_recording.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace dynascope::computed {

namespace {

using What = PassStepRow::What;
constexpr std::size_t namedAtMost = 6;

/// A pass may run twice in a row: the last one goes back to where a node would come again.
std::span<const wire::PassStep> lastPass(const std::vector<wire::PassStep>& steps) {
    if (steps.empty()) return {};
    std::set<std::string_view> seen;
    std::size_t first = steps.size();
    while (first > 0 && steps[first - 1].pass == steps.back().pass &&
           (steps[first - 1].source.empty() || seen.insert(steps[first - 1].source).second))
        --first;
    return std::span(steps).subspan(first);
}

/// "h", "h and row", "h, row and 12 more".
std::string listed(const std::vector<std::string_view>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool cut = i + 1 == namedAtMost && names.size() > namedAtMost;
        if (i > 0) out += cut || i + 1 == names.size() ? " and " : ", ";
        if (cut) return out + std::to_string(names.size() - i) + " more";
        out += names[i];
    }
    return out;
}

std::string numbers(const std::vector<int>& storages) {
    std::string out = storages.size() == 1 ? "storage " : "storages ";
    for (std::size_t i = 0; i < storages.size(); ++i)
        out += (i > 0 ? ", " : "") + std::to_string(storages[i]);
    return out;
}

/// Which values lie in a storage, from what the steps say of each.
class Sharing {
public:
    explicit Sharing(std::span<const wire::PassStep> steps) {
        for (const wire::PassStep& step : steps)
            if (step.aliases)
                for (const int storage : step.aliases->groups)
                    m_values[storage].push_back(step.source);
    }

    [[nodiscard]] std::string text(const wire::PassStep& step) const {
        if (!step.aliases) return {};
        const wire::StepAliases& aliases = *step.aliases;
        const bool writes = !aliases.mutates.empty();
        const std::vector<int>& storages = writes ? aliases.mutates : aliases.groups;
        const std::vector<std::string_view> others = othersIn(storages, step.source);
        if (storages.empty() || (!writes && others.empty())) return {};
        std::string out = (writes ? "writes into " : "lies in ") + numbers(storages);
        if (writes ? aliases.isInputMutation : aliases.isInputAlias) out += ", an input's";
        if (others.empty()) return out + ", where nothing else lies";
        return out + ", where " + listed(others) + (others.size() == 1 ? " lies too" : " lie too");
    }

private:
    [[nodiscard]] std::vector<std::string_view> othersIn(const std::vector<int>& storages,
                                                         std::string_view value) const {
        std::vector<std::string_view> out;
        for (const int storage : storages)
            if (const auto found = m_values.find(storage); found != m_values.end())
                for (const std::string& other : found->second)
                    if (other != value && std::ranges::find(out, other) == out.end()) out.push_back(other);
        return out;
    }

    std::map<int, std::vector<std::string>> m_values;
};

const ir::Node* find(const ir::Graph& graph, const std::string& name) {
    const ir::NodeIndex at = graph.find(name);
    return at == ir::npos ? nullptr : &graph.node(at);
}

bool isSameOp(const ir::Node* source, const ir::Node* result) {
    return source != nullptr && result != nullptr && source->op == result->op &&
           source->target == result->target;
}

/// A node that stays as it is, and is not spoken of, is the first of what stands for it.
std::vector<std::string> resultsOf(const wire::PassStep& step, const ir::Node* source,
                                   const ir::Graph& result) {
    std::vector<std::string> out;
    const ir::Node* kept = find(result, step.source);
    const bool quiet = step.changed.empty() && step.removed.empty() && isSameOp(source, kept);
    if (quiet && (step.emitted.empty() || source->args == kept->args)) out.push_back(step.source);
    for (const wire::ChangedNode& changed : step.changed)
        out.push_back(changed.after);
    for (const wire::EmittedNode& emitted : step.emitted)
        if (!emitted.node.empty() && std::ranges::find(out, emitted.node) == out.end())
            out.push_back(emitted.node);
    return out;
}

What whatOf(const PassStepRow& row, const ir::Node* source, const ir::Node* result) {
    if (row.results.empty()) return source == nullptr ? What::Stays : What::Removed;
    if (isSameOp(source, result)) return What::Stays;
    return row.results.size() > 1 ? What::Made : What::Changed;
}

std::string whyOf(const wire::PassStep& step, What what) {
    // Renaming alone is no reason that anybody asks for.
    if (what == What::Stays && step.aliases && !step.aliases->isMutation) return "writes nothing";
    if (!step.why.empty()) return step.why;
    for (const wire::ChangedNode& node : step.changed)
        if (!node.why.empty()) return node.why;
    for (const wire::RemovedNode& node : step.removed)
        if (!node.why.empty()) return node.why;
    for (const wire::EmittedNode& node : step.emitted)
        if (!node.why.empty()) return node.why;
    return {};
}

} // namespace

std::string_view stepWord(What what) {
    switch (what) {
    case What::Stays:
        return "stays";
    case What::Changed:
        return "changed";
    case What::Made:
        return "made";
    case What::Removed:
        return "removed";
    }
    return {};
}

PassSteps passSteps(const wire::PassReply& reply, const ir::Graph& source, const ir::Graph& result) {
    PassSteps out;
    const std::span<const wire::PassStep> steps = lastPass(reply.steps);
    if (steps.empty()) return out;
    out.pass = steps.back().pass;
    const Sharing sharing(steps);
    for (const wire::PassStep& step : steps) {
        PassStepRow row;
        row.source = step.source;
        const ir::Node* before = find(source, step.source);
        row.results = resultsOf(step, before, result);
        const ir::Node* after = row.results.empty() ? nullptr : find(result, row.results.front());
        if (before != nullptr) row.call = callText(*before);
        row.what = whatOf(row, before, after);
        row.why = whyOf(step, row.what);
        row.memory = sharing.text(step);
        row.end = step.end;
        row.writeStays = row.what == What::Stays && step.aliases && step.aliases->isMutation;
        out.rows.push_back(std::move(row));
    }
    return out;
}

std::string summaryOf(const PassSteps& steps) {
    std::map<What, std::size_t> counts;
    std::size_t writes = 0;
    for (const PassStepRow& row : steps.rows) {
        ++counts[row.what];
        writes += row.writeStays ? 1 : 0;
    }
    std::string out = steps.pass + ": " + count(steps.rows.size(), "op");
    for (const What what : {What::Changed, What::Made, What::Removed})
        if (counts[what] > 0) {
            out += ", " + std::to_string(counts[what]) + ' ';
            out += what == What::Made ? "made into others" : stepWord(what);
        }
    if (writes > 0) out += "; " + count(writes, "write") + (writes == 1 ? " stays" : " stay");
    return out;
}

} // namespace dynascope::computed
