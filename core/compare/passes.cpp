// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/passes.h"

#include "core/compare/parts.h"
#include "core/diff/sequence.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace dynascope::compare {

namespace {

using inductor::Change;
using inductor::CompilePasses;
using inductor::PassPhase;
using inductor::PassRow;

/// Rows of one phase, by index.
struct PhaseRows {
    const PassPhase* phase = nullptr;
    std::vector<int> rows;
};

std::string phaseName(const PassPhase& phase) {
    return phase.name + ", " + phase.graph;
}

/// In the order in which their passes began. What ran outside of all phases is one phase a function.
std::vector<PhaseRows> phasesOf(const CompilePasses& passes) {
    std::vector<PhaseRows> out;
    std::map<const PassPhase*, std::size_t> known;
    for (std::size_t i = 0; i < passes.rows.size(); ++i) {
        const auto [at, fresh] = known.try_emplace(passes.rows[i].phase, out.size());
        if (fresh) out.push_back({passes.rows[i].phase, {}});
        out[at->second].rows.push_back(int(i));
    }
    return out;
}

/// Phases that belong together: of one name about one kind of graph, in order.
std::vector<std::pair<const PhaseRows*, const PhaseRows*>> matchPhases(const std::vector<PhaseRows>& a,
                                                                       const std::vector<PhaseRows>& b,
                                                                       const CompilePasses& passesA,
                                                                       const CompilePasses& passesB) {
    const auto keyOf = [](const PhaseRows& phase, const CompilePasses& passes) {
        std::string key = phaseName(*phase.phase);
        if (phase.phase->name == "other") key += ", " + passes.rows[std::size_t(phase.rows.front())].name();
        return key;
    };
    std::map<std::string, std::vector<const PhaseRows*>> ofB;
    for (const PhaseRows& phase : b)
        ofB[keyOf(phase, passesB)].push_back(&phase);
    std::map<std::string, std::size_t> taken;
    std::set<const PhaseRows*> matched;
    std::vector<std::pair<const PhaseRows*, const PhaseRows*>> out;
    for (const PhaseRows& phase : a) {
        const std::string key = keyOf(phase, passesA);
        const auto& candidates = ofB[key];
        const std::size_t k = taken[key]++;
        const PhaseRows* other = k < candidates.size() ? candidates[k] : nullptr;
        if (other != nullptr) matched.insert(other);
        out.emplace_back(&phase, other);
    }
    for (const PhaseRows& phase : b)
        if (!matched.contains(&phase)) out.emplace_back(nullptr, &phase);
    return out;
}

std::vector<std::string> sortedNames(const std::vector<inductor::NodeRef>& nodes) {
    std::vector<std::string> out;
    for (const inductor::NodeRef& node : nodes)
        out.push_back(node.name);
    std::ranges::sort(out);
    return out;
}

bool isSameChange(const Change& a, const Change& b) {
    return a.updated.size() == b.updated.size() && a.renamed.size() == b.renamed.size() &&
           a.moved == b.moved && sortedNames(a.created) == sortedNames(b.created) &&
           sortedNames(a.erased) == sortedNames(b.erased);
}

bool didRun(const PassRow& row) {
    return row.pass == nullptr || row.pass->kind != "skipped";
}

std::string changeOf(const PassRow& row) {
    if (!didRun(row)) return "did not run: " + detail::shortened(row.pass->skipped);
    if (!row.changed()) return "nothing";
    const std::string text = inductor::changeText(*row.change);
    return text.empty() ? "text only" : text;
}

using MatchCounts = std::map<std::pair<std::string, std::string>, std::size_t>; ///< pattern, what refused it

MatchCounts matchesOf(const CompilePasses& passes, const PassRow& row) {
    MatchCounts out;
    if (row.pass == nullptr) return out;
    for (const inductor::Match& match : row.pass->matches) {
        const inductor::Pattern* pattern = passes.recording->pattern(match.pattern);
        ++out[{pattern ? pattern->name : std::string(), match.refused}];
    }
    return out;
}

/// "pattern mm: applied 3 times in A, 2 in B"; empty where both met the same.
std::string matchDifference(const MatchCounts& a, const MatchCounts& b) {
    std::set<std::pair<std::string, std::string>> keys;
    for (const MatchCounts* side : {&a, &b})
        for (const auto& [key, times] : *side)
            keys.insert(key);
    const auto timesIn = [](const MatchCounts& side, const auto& key) {
        const auto at = side.find(key);
        return at == side.end() ? std::size_t(0) : at->second;
    };
    for (const auto& key : keys) {
        const std::size_t inA = timesIn(a, key), inB = timesIn(b, key);
        if (inA == inB) continue;
        return "pattern " + detail::shortened(key.first) + ": " +
               (key.second.empty() ? std::string("applied ") : "refused (" + key.second + ") ") +
               std::to_string(inA) + " times in A, " + std::to_string(inB) + " in B";
    }
    return {};
}

/// Compares graphs between passes, each pair once.
class Graphs {
public:
    Graphs(const CompilePasses& a, const CompilePasses& b) {
        for (const auto& [passes, stages] : {std::pair(&a, &m_stagesA), std::pair(&b, &m_stagesB)})
            for (const inductor::PassStage& stage : passes->stages)
                stages->emplace(stage.state, stage.stage);
    }

    /// How state `a` of A differs from `b` of B, in a line; empty where it does not.
    const std::string& difference(std::uint32_t a, std::uint32_t b) {
        const auto [at, fresh] = m_known.try_emplace({a, b});
        if (!fresh) return at->second;
        StageComparison pair;
        pair.a = stageOf(m_stagesA, a);
        pair.b = stageOf(m_stagesB, b);
        if (!pair.a || !pair.b) {
            if (pair.a || pair.b) at->second = pair.a ? "there is no graph in B" : "there is no graph in A";
            return at->second;
        }
        detail::compareStage(pair, {});
        if (pair.verdict != CompareVerdict::Same) at->second = pair.difference;
        return at->second;
    }

private:
    using Stages = std::map<std::uint32_t, session::StagePtr>;
    static session::StagePtr stageOf(const Stages& stages, std::uint32_t state) {
        const auto at = stages.find(state);
        return at == stages.end() ? nullptr : at->second;
    }

    Stages m_stagesA, m_stagesB;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> m_known;
};

PassComparison ofOne(const PassRow& row, int index, bool inA) {
    PassComparison out;
    (inA ? out.rowA : out.rowB) = index;
    (inA ? out.a : out.b) = row.pass ? row.pass->index : 0;
    (inA ? out.changeA : out.changeB) = changeOf(row);
    out.name = row.name();
    out.depth = row.depth;
    out.verdict = inA ? PassPairVerdict::OnlyInA : PassPairVerdict::OnlyInB;
    out.acts = row.changed();
    out.difference = inA ? "B has no such pass here" : "A has no such pass here";
    return out;
}

/// Settings of a phase that switch passes on and off, where they differ: "pattern_matcher: True in A, False in B".
std::string settingsApart(const PassPhase& a, const PassPhase& b) {
    std::string out;
    for (const auto& [name, value] : a.options) {
        const auto other = b.options.find(name);
        if (other == b.options.end() || other->second == value) continue;
        out += (out.empty() ? "" : ", ") + name + ": " + detail::shortened(value, 40) + " in A, " +
               detail::shortened(other->second, 40) + " in B";
    }
    return out;
}

class Rows {
public:
    Rows(const CompilePasses& a, const CompilePasses& b)
        : m_a(a)
        , m_b(b)
        , m_graphs(a, b) {}

    PhaseComparison compare(const PhaseRows* a, const PhaseRows* b) {
        PhaseComparison out;
        out.name = phaseName(*(a ? a : b)->phase);
        if (a && b && a->phase->first != 0 && b->phase->first != 0)
            out.start = m_graphs.difference(a->phase->first, b->phase->first);
        const std::vector<int> none;
        const std::vector<int>&rowsA = a ? a->rows : none, &rowsB = b ? b->rows : none;
        std::size_t i = 0, j = 0;
        const std::string settings = a && b ? settingsApart(*a->phase, *b->phase) : std::string();
        const auto addOne = [&](const CompilePasses& side, int row, bool inA) {
            out.passes.push_back(ofOne(side.rows[std::size_t(row)], row, inA));
            if (!settings.empty()) out.passes.back().difference += "; " + settings;
        };
        const auto upTo = [&](std::size_t endA, std::size_t endB) {
            for (; i < endA; ++i)
                addOne(m_a, rowsA[i], true);
            for (; j < endB; ++j)
                addOne(m_b, rowsB[j], false);
        };
        for (const auto& [atA, atB] : diff::detail::alignSequences(keys(m_a, rowsA), keys(m_b, rowsB))) {
            upTo(atA, atB);
            out.passes.push_back(ofBoth(rowsA[i++], rowsB[j++]));
        }
        upTo(rowsA.size(), rowsB.size());
        return out;
    }

private:
    std::vector<std::uint32_t> keys(const CompilePasses& passes, const std::vector<int>& rows) {
        std::vector<std::uint32_t> out;
        for (const int row : rows) {
            const PassRow& at = passes.rows[std::size_t(row)];
            out.push_back(
                m_names.try_emplace({at.name(), at.depth}, std::uint32_t(m_names.size())).first->second);
        }
        return out;
    }

    PassComparison ofBoth(int rowA, int rowB) {
        const PassRow &a = m_a.rows[std::size_t(rowA)], &b = m_b.rows[std::size_t(rowB)];
        PassComparison out = ofOne(a, rowA, true);
        out.rowB = rowB;
        out.b = b.pass ? b.pass->index : 0;
        out.changeB = changeOf(b);
        out.verdict = PassPairVerdict::Same;
        out.acts = false;
        out.difference.clear();
        const auto differs = [&out](std::string difference) {
            out.verdict = PassPairVerdict::Differs;
            out.acts = true;
            out.difference = std::move(difference);
        };
        const bool isSameBefore = m_graphs.difference(a.before, b.before).empty();
        if (a.changed() || b.changed()) {
            if (isSameBefore) {
                if (const std::string& after = m_graphs.difference(a.after, b.after); !after.empty())
                    differs(after);
            } else if (!isSameChange(*a.change, *b.change)) {
                out.verdict = PassPairVerdict::Follows;
                out.difference = "it was given another graph: " + m_graphs.difference(a.before, b.before);
            }
        }
        if (isSameBefore && out.verdict == PassPairVerdict::Same && didRun(a) && didRun(b))
            if (std::string matches = matchDifference(matchesOf(m_a, a), matchesOf(m_b, b)); !matches.empty())
                differs(std::move(matches));
        if (out.verdict == PassPairVerdict::Same && didRun(a) != didRun(b)) {
            out.verdict = didRun(a) ? PassPairVerdict::OnlyInA : PassPairVerdict::OnlyInB;
            out.difference = didRun(a) ? out.changeB : out.changeA;
        }
        return out;
    }

    const CompilePasses& m_a;
    const CompilePasses& m_b;
    Graphs m_graphs;
    std::map<std::pair<std::string, int>, std::uint32_t> m_names;
};

std::string scheduleName(const CompilePasses& passes, const inductor::Schedule& schedule) {
    const PassPhase* phase = passes.recording->phase(schedule.phase);
    return (phase ? phase->graph : std::string("a graph")) +
           (schedule.name.empty() ? std::string() : ", subgraph " + schedule.name);
}

void addSchedules(const CompilePasses& a, const CompilePasses& b, std::vector<ScheduleComparison>& out) {
    const std::vector<const inductor::Schedule*> ofA = inductor::schedulesOf(a),
                                                 ofB = inductor::schedulesOf(b);
    std::vector<std::pair<std::string, int>> open; // of B
    for (std::size_t i = 0; i < ofB.size(); ++i)
        open.emplace_back(scheduleName(b, *ofB[i]), int(i));
    const auto add = [&](const std::string& name, int inA, int inB) {
        out.push_back(compareSchedules(*a.recording, inA < 0 ? nullptr : ofA[std::size_t(inA)], *b.recording,
                                       inB < 0 ? nullptr : ofB[std::size_t(inB)]));
        out.back().graph = name;
        out.back().a = inA;
        out.back().b = inB;
    };
    for (std::size_t i = 0; i < ofA.size(); ++i) {
        const std::string name = scheduleName(a, *ofA[i]);
        const auto at = std::ranges::find(open, name, &std::pair<std::string, int>::first);
        add(name, int(i), at == open.end() ? -1 : at->second);
        if (at != open.end()) open.erase(at);
    }
    for (const auto& [name, schedule] : open)
        add(name, -1, schedule);
}

} // namespace

std::string_view passPairVerdictName(PassPairVerdict verdict) {
    switch (verdict) {
    case PassPairVerdict::Same:
        return "same";
    case PassPairVerdict::Differs:
        return "differs";
    case PassPairVerdict::Follows:
        return "follows";
    case PassPairVerdict::OnlyInA:
        return "only in A";
    case PassPairVerdict::OnlyInB:
        break;
    }
    return "only in B";
}

PassesComparison::First PassesComparison::first() const {
    for (const PhaseComparison& phase : phases) {
        const PassComparison* found = nullptr;
        for (const PassComparison& pass : phase.passes) {
            // What a pass did by those that run in it is theirs.
            if (found != nullptr && pass.depth <= found->depth) break;
            if (pass.acts) found = &pass;
        }
        if (found != nullptr) return {&phase, found};
    }
    return {};
}

std::string PassesComparison::startsApart() const {
    for (const PhaseComparison& phase : phases) {
        if (!phase.start.empty()) return phase.name + " began with another graph: " + phase.start;
        if (std::ranges::any_of(phase.passes, &PassComparison::acts)) return {};
    }
    return {};
}

bool PassesComparison::alike() const {
    return first().pass == nullptr && startsApart().empty() &&
           std::ranges::all_of(schedules, [](const ScheduleComparison& schedule) {
               return schedule.kernels.empty() && !schedule.onlyInA && !schedule.onlyInB;
           });
}

Result<PassesComparison> comparePasses(const CompilePasses& a, const CompilePasses& b,
                                       const TaskContext& task) {
    PassesComparison out;
    if (!a.recording || !b.recording) return out;
    const std::vector<PhaseRows> phasesA = phasesOf(a), phasesB = phasesOf(b);
    const auto pairs = matchPhases(phasesA, phasesB, a, b);
    Rows rows(a, b);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (task.cancelled()) return cancellation();
        task.report("Comparing passes", i, pairs.size());
        out.phases.push_back(rows.compare(pairs[i].first, pairs[i].second));
    }
    addSchedules(a, b, out.schedules);
    return out;
}

Result<PassesComparison> comparePasses(const session::Session& a, const session::Compile& ca,
                                       const session::Session& b, const session::Compile& cb,
                                       const TaskContext& task) {
    CompilePasses passesA = inductor::passesOf(a, ca), passesB = inductor::passesOf(b, cb);
    if (!passesA.recording || !passesB.recording)
        return failure("no recording of passes holds this compile", (passesA.recording ? b : a).path);
    for (CompilePasses* passes : {&passesA, &passesB})
        if (const auto read = inductor::addStages(*passes, task); !read) return tl::unexpected(read.error());
    return comparePasses(passesA, passesB, task);
}

std::string firstDifference(const PassesComparison& passes) {
    if (std::string start = passes.startsApart(); !start.empty()) return start;
    const auto [phase, pass] = passes.first();
    if (pass == nullptr) {
        for (const ScheduleComparison& schedule : passes.schedules) {
            if (schedule.onlyInA || schedule.onlyInB)
                return "only " + std::string(schedule.onlyInA ? "A" : "B") + " has a schedule of " +
                       schedule.graph;
            if (!schedule.kernels.empty())
                return "kernels of " + schedule.graph + ": " + std::to_string(schedule.same) + " the same, " +
                       std::to_string(schedule.kernels.size()) + " that differ";
        }
        return {};
    }
    const std::uint32_t index = pass->a != 0 ? pass->a : pass->b;
    std::string out = pass->name + (index != 0 ? ", pass " + std::to_string(index) : std::string()) + " of " +
                      phase->name + ": ";
    if (pass->rowA >= 0 && pass->rowB >= 0)
        return out + pass->changeA + " in A, " + pass->changeB + " in B; " + pass->difference;
    return out + (pass->rowA >= 0 ? pass->changeA + " in A, " : pass->changeB + " in B, ") + pass->difference;
}

} // namespace dynascope::compare
