// SPDX-License-Identifier: BSD-3-Clause
//
// Judges that compute: functionalization as the engine recorded it, and the cut of a joint graph.
#include "core/computed/joint_split.h"
#include "core/lessons/judges.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace dynascope::lessons {

namespace {

/// After the last phase of op `op=`, as the window counts: the first placeholder is 0.
Result<computed::Scoreboard> boardFor(const Question& question, const JudgedFacts& facts) {
    if (!facts.functional)
        return unknown(
            "the graph has not been functionalized yet: the engine does that on the page Functionalize",
            question);
    const int op = question.judge.number("op", -1);
    if (op < 0 || op >= facts.functional->opCount()) return unknown("the graph has no such op", question);
    return facts.functional->scoreboard(op, 1 << 20);
}

/// Values whose storage has a later generation than they have.
Result<FoundAnswer> stale(const Question& question, const JudgedFacts& facts) {
    return boardFor(question, facts).map([&](const computed::Scoreboard& board) {
        std::set<std::string> names;
        for (const computed::TensorViewState& view : board.views)
            if (view.behind > 0) names.insert(facts.functional->nameOf(view.value));
        return FoundAnswer{{names.begin(), names.end()}, {}};
    });
}

Result<FoundAnswer> generation(const Question& question, const JudgedFacts& facts) {
    const auto board = boardFor(question, facts);
    if (!board) return tl::unexpected(board.error());
    for (const computed::StorageState& storage : board->storages)
        if (storage.group == question.judge.number("storage", 0))
            return number(std::size_t(storage.generation));
    return unknown("the graph has no such storage", question);
}

Result<FoundAnswer> emitted(const Question& question, const JudgedFacts& facts) {
    if (const auto board = boardFor(question, facts); !board) return tl::unexpected(board.error());
    return number(facts.functional->step(question.judge.number("op", 0)).emitted.size());
}

Result<FoundAnswer> dead(const Question& question, const JudgedFacts& facts) {
    if (!facts.functional) return tl::unexpected(boardFor(question, facts).error());
    std::size_t count = 0;
    for (int op = 0; op < facts.functional->opCount(); ++op)
        for (const computed::EmittedNode& node : facts.functional->step(op).emitted)
            count += facts.functional->isDead(node.node);
    return number(count);
}

Result<computed::JointSplit> splitFor(const Question& question, const JudgedFacts& facts) {
    const auto compile = compileFor(question, facts);
    if (!compile) return tl::unexpected(compile.error());
    const std::size_t index = std::size_t(*compile - facts.session->compiles.data());
    computed::JointSplit split = computed::splitJoint(*facts.session, index, {});
    if (!split.declined.empty()) return unknown(split.declined, question);
    return split;
}

Result<FoundAnswer> saved(const Question& question, const JudgedFacts& facts) {
    return splitFor(question, facts).map([&](const computed::JointSplit& split) {
        return choicesThat(question, [&](const std::string& key) {
            return std::any_of(
                split.values.begin(), split.values.end(),
                [&](const computed::CutValue& value) { return value.node == key && !value.recomputed; });
        });
    });
}

Result<FoundAnswer> savedBytes(const Question& question, const JudgedFacts& facts) {
    return splitFor(question, facts).map([](const computed::JointSplit& split) {
        return number(std::size_t(split.savedBytes - split.inputBytes));
    });
}

constexpr std::array<JudgeEntry, 6> ofComputed{{{"functionalize.dead", dead},
                                                {"functionalize.emitted", emitted},
                                                {"functionalize.generation", generation},
                                                {"functionalize.stale", stale},
                                                {"partition.bytes", savedBytes},
                                                {"partition.saved", saved}}};

/// What a choice of saved values comes to.
struct Plan {
    std::int64_t bytes = 0;
    std::size_t again = 0; ///< nodes of forward that backward recomputes
    std::string lacks;     ///< what cannot be had
};

/// Walks from what backward reads back to what is saved or an input. `dear` may not be recomputed.
Plan planOf(const computed::JointSplit& split, const ir::Graph& joint, const std::set<std::string>& kept,
            std::string_view dear) {
    Plan plan;
    std::set<ir::NodeIndex> seen;
    std::vector<ir::NodeIndex> open;
    const auto bytesOf = [&](const std::string& name) {
        for (const computed::CutValue& value : split.values)
            if (value.node == name) return value.bytes;
        return std::int64_t(0);
    };
    for (const std::string& name : kept)
        plan.bytes += bytesOf(name);
    for (const computed::CutValue& value : split.values)
        if (!value.backwardRows.empty() || value.recomputed)
            if (const ir::NodeIndex node = joint.find(value.node); node != ir::npos) open.push_back(node);
    while (!open.empty()) {
        const ir::NodeIndex at = open.back();
        open.pop_back();
        const ir::Node& node = joint.node(at);
        if (!seen.insert(at).second || kept.count(node.name) > 0 || node.op == ir::Op::Placeholder) continue;
        if (!dear.empty() && ir::shortTarget(node.target).starts_with(dear)) {
            plan.lacks = node.name;
            return plan;
        }
        ++plan.again;
        for (const ir::NodeIndex input : joint.inputs(at))
            open.push_back(input);
    }
    return plan;
}

} // namespace

std::span<const JudgeEntry> computedJudges() {
    return ofComputed;
}

Result<Judgement> judgeBudget(const Question& question, const Keys& answer, const JudgedFacts& facts) {
    const auto split = splitFor(question, facts);
    if (!split) return tl::unexpected(split.error());
    const auto joint = split->joint->graph();
    if (!joint) return tl::unexpected(joint.error());
    const std::set<std::string> kept(answer.begin(), answer.end());
    const Plan plan = planOf(*split, **joint, kept, question.judge.value("dear"));
    const int budget = question.judge.number("bytes", 0);
    const std::string cut =
        " Min-cut saves " + std::to_string(split->savedBytes - split->inputBytes) + " bytes besides inputs.";
    FoundAnswer found{claimed(question), {}};
    found.words =
        !plan.lacks.empty()
            ? "Backward would have to recompute " + plan.lacks + ", which this question rules out." + cut
            : "You save " + std::to_string(plan.bytes) + " of at most " + std::to_string(budget) +
                  " bytes, and backward recomputes " + std::to_string(plan.again) + " nodes." + cut;
    return Judgement{plan.lacks.empty() && plan.bytes <= budget, std::move(found)};
}

} // namespace dynascope::lessons
