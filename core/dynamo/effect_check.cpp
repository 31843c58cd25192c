// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/effect_check.h"

#include "core/base/json.h"
#include "core/base/words.h"
#include "core/dynamo/documents.h"
#include "core/dynamo/effect_rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dynascope::dynamo {

namespace json = capture::json;
using json::element;

namespace {

using Phase = ReplayStep::Phase;
using Check = ReplayStep::Check;
using Outcome = TrackedObject::Outcome;
using Need = EffectPlan::Need;

struct Generated {
    ValueId value = 0;
    std::vector<std::string> code;
};

std::vector<Generated> parts(const element& object, std::string_view key) {
    std::vector<Generated> out;
    simdjson::dom::array items;
    if (object[key].get(items) != simdjson::SUCCESS) return out;
    for (const element item : items)
        out.push_back(
            {static_cast<ValueId>(std::max(json::smallInteger(item, "value", 0), 0)), texts(item, "code")});
    return out;
}

std::string placeOf(const TrackedObject& object) {
    if (object.changedAt.empty() || object.changedAt.back().line == 0) return {};
    const StackEntry& last = object.changedAt.back();
    return " (" + std::string(baseName(last.file)) + ':' + std::to_string(last.line) + ')';
}

class Comparison {
public:
    explicit Comparison(SideEffectReport& report)
        : m_report(report)
        , m_nothing(report.objects.size()) {}

    void run(const element& replay) {
        if (!replay["loads"].is_array()) return; // nothing that could be read
        m_report.generated = true;
        const std::vector<Generated> built = parts(replay, "built");
        const std::vector<Generated> loads = parts(replay, "loads");
        const std::vector<Generated> stores = parts(replay, "stores");
        compareModified(built);
        for (const Generated& part : built)
            addBuild(part, loads);
        std::vector<ReplayStep> last;
        for (const Generated& part : loads)
            addStores(part, stores, last);
        addForgotten(loads);
        checkOrder(stores, texts(replay, "emitted"));
        // Collected first, carried out last.
        std::move(last.rbegin(), last.rend(), std::back_inserter(m_report.steps));
        for (const ReplayStep& step : m_report.steps)
            if (step.check == Check::Differs)
                m_report.faults.push_back(step.text + " is not done as expected");
        for (std::size_t i = 0; i < m_report.objects.size(); ++i)
            conclude(i);
        bool replayed = true;
        if (replay["replay_side_effects"].get(replayed) == simdjson::SUCCESS && !replayed)
            m_report.faults.emplace_back(
                "torch._dynamo.config.replay_side_effects is off: changes of objects "
                "from outside are not stored");
    }

private:
    [[nodiscard]] std::size_t indexOf(ValueId value) const {
        const auto found =
            std::find_if(m_report.objects.begin(), m_report.objects.end(),
                         [value](const TrackedObject& object) { return object.value == value; });
        return found == m_report.objects.end() ? SIZE_MAX
                                               : static_cast<std::size_t>(found - m_report.objects.begin());
    }

    /// Whether Dynamo took the same objects for changed, in the same order.
    void compareModified(const std::vector<Generated>& built) {
        std::vector<ValueId> ours, theirs;
        for (const TrackedObject& object : m_report.objects)
            if (object.live && object.modified) ours.push_back(object.value);
        for (const Generated& part : built)
            if (indexOf(part.value) != SIZE_MAX) theirs.push_back(part.value);
        if (ours != theirs)
            m_report.faults.emplace_back("Dynamo treats other objects as modified than the rules do");
    }

    void addBuild(const Generated& part, const std::vector<Generated>& loads) {
        const std::size_t index = indexOf(part.value);
        if (index == SIZE_MAX) return;
        const TrackedObject& object = m_report.objects[index];
        const bool loadedLater = std::any_of(loads.begin(), loads.end(), [&](const Generated& load) {
            return load.value == part.value && !load.code.empty();
        });
        const auto expected = buildInstructions(object, loadedLater);
        if (expected.empty() && part.code.empty()) return;
        m_report.steps.push_back({Phase::Build, index, "build " + effectName(object), expected, part.code,
                                  expected.empty()               ? Check::NotChecked
                                  : follows(part.code, expected) ? Check::Agrees
                                                                 : Check::Differs});
    }

    void addStores(const Generated& part, const std::vector<Generated>& stores,
                   std::vector<ReplayStep>& last) {
        const std::size_t index = indexOf(part.value);
        std::vector<const Generated*> own;
        for (const Generated& store : stores)
            if (store.value == part.value) own.push_back(&store);
        if (index == SIZE_MAX) {
            if (!part.code.empty())
                m_report.steps.push_back({Phase::Load, index, "load", {}, part.code, Check::NotChecked});
            for (const Generated* store : own)
                last.push_back({Phase::Store, index, "store", {}, store->code, Check::NotChecked});
            return;
        }
        const TrackedObject& object = m_report.objects[index];
        const EffectPlan plan = effectPlan(object, part.code);
        m_nothing[index] = plan.nothing;
        const bool nothingAtAll = part.code.empty() && own.empty();
        if (!plan.known) {
            addUnknown(index, part.code, own, last);
            return;
        }
        // What is not there at all is told store by store.
        if (!part.code.empty() || (!plan.load.instructions.empty() && (plan.doneByLoads || !nothingAtAll))) {
            const std::string text =
                plan.doneByLoads ? plan.load.text : "load what " + effectName(object) + " is to hold";
            const Check check = nothingAtAll                                 ? Check::Missing
                                : follows(part.code, plan.load.instructions) ? Check::Agrees
                                                                             : Check::Differs;
            m_report.steps.push_back({Phase::Load, index, text, plan.load.instructions, part.code, check});
            if (check == Check::Missing) lose(index, plan.load.lost);
        }
        align(index, plan, part.code, own, last);
    }

    /// Changed, so that Dynamo went through it, and yet no rule fits.
    void addUnknown(std::size_t index, const std::vector<std::string>& loads,
                    const std::vector<const Generated*>& own, std::vector<ReplayStep>& last) {
        const std::string name = effectName(m_report.objects[index]);
        if (!loads.empty())
            m_report.steps.push_back({Phase::Load, index, "load for " + name, {}, loads, Check::NotChecked});
        for (const Generated* store : own)
            last.push_back({Phase::Store, index, name, {}, store->code, Check::NotChecked});
        if (!loads.empty() || !own.empty() || m_report.objects[index].isNew()) return;
        last.push_back({Phase::Store, index, name, {}, {}, Check::Missing});
        lose(index, "what was changed of it");
    }

    /// Finds for each store that is asked for the one that was generated. Both are in order, either may lack
    /// some.
    void align(std::size_t index, const EffectPlan& plan, const std::vector<std::string>& loads,
               const std::vector<const Generated*>& own, std::vector<ReplayStep>& last) {
        const auto fits = [&](std::size_t i, std::size_t j) {
            const EffectPlan::Part& part = plan.stores[i];
            const std::vector<std::string> mark{part.loaded};
            return (part.loaded.empty() || follows(loads, mark)) && follows(own[j]->code, part.instructions);
        };
        std::size_t i = 0, j = 0;
        while (i < plan.stores.size() || j < own.size()) {
            const bool both = i < plan.stores.size() && j < own.size();
            if (both && fits(i, j)) {
                last.push_back(stepOf(index, plan.stores[i++], own[j++]->code, Check::Agrees));
                continue;
            }
            bool laterPart = false, laterStore = false;
            for (std::size_t k = i + 1; both && k < plan.stores.size(); ++k)
                laterPart = laterPart || fits(k, j);
            for (std::size_t k = j + 1; both && k < own.size(); ++k)
                laterStore = laterStore || fits(i, k);
            if (both && !laterPart && !laterStore && plan.stores[i].need == Need::Must) {
                last.push_back(stepOf(index, plan.stores[i++], own[j++]->code, Check::Differs));
            } else if (i < plan.stores.size() && (!both || laterPart || !laterStore)) {
                addMissing(index, plan.stores[i++], last);
            } else {
                last.push_back({Phase::Store,
                                index,
                                effectName(m_report.objects[index]) + ": a store that no change asks for",
                                {},
                                own[j++]->code,
                                Check::Differs});
            }
        }
    }

    static ReplayStep stepOf(std::size_t index, const EffectPlan::Part& part,
                             const std::vector<std::string>& code, Check check) {
        return {Phase::Store, index, part.text, part.instructions, code, check};
    }

    void addMissing(std::size_t index, const EffectPlan::Part& part, std::vector<ReplayStep>& last) {
        if (part.need == Need::May) return;
        last.push_back(stepOf(index, part, {}, part.need == Need::Must ? Check::Missing : Check::NotChecked));
        if (part.need == Need::Must) lose(index, part.lost);
    }

    void lose(std::size_t index, const std::string& what) {
        TrackedObject& object = m_report.objects[index];
        object.kept += (object.kept.empty() ? "not stored: " : ", ") + what;
        m_report.faults.push_back(effectName(object) + ": the generated bytecode does not store " + what +
                                  placeOf(object) + "; Python does not see that change after the graph");
    }

    /// Changed objects that the loop of the second phase never came to.
    void addForgotten(const std::vector<Generated>& loads) {
        for (std::size_t i = 0; i < m_report.objects.size(); ++i) {
            const TrackedObject& object = m_report.objects[i];
            const bool seen = std::any_of(loads.begin(), loads.end(),
                                          [&](const Generated& part) { return part.value == object.value; });
            if (seen || !object.live || !object.modified || object.isNew()) continue;
            m_report.steps.push_back({Phase::Store, i, effectName(object), {}, {}, Check::Missing});
            lose(i, "what was changed of it");
        }
    }

    /// Every store comes after every load, in reverse.
    void checkOrder(const std::vector<Generated>& stores, const std::vector<std::string>& emitted) {
        std::vector<std::string> wanted;
        for (auto store = stores.rbegin(); store != stores.rend(); ++store)
            wanted.insert(wanted.end(), store->code.begin(), store->code.end());
        if (wanted != emitted)
            m_report.faults.emplace_back("the stores are not the collected ones in reverse order");
    }

    [[nodiscard]] std::string stepsOf(std::size_t index, Phase phase) const {
        std::string out;
        std::size_t many = 0;
        for (std::size_t i = 0; i < m_report.steps.size(); ++i) {
            if (m_report.steps[i].object != index || m_report.steps[i].phase != phase) continue;
            out += (out.empty() ? "" : ", ") + std::to_string(i + 1);
            ++many;
        }
        return out.empty() ? out : (many == 1 ? "step " : "steps ") + out;
    }

    void conclude(std::size_t index) {
        TrackedObject& object = m_report.objects[index];
        if (!object.live || !object.modified) return;
        bool differs = false, unchecked = false, missing = !object.kept.empty();
        for (const ReplayStep& step : m_report.steps) {
            if (step.object != index) continue;
            differs = differs || step.check == Check::Differs;
            missing = missing || step.check == Check::Missing;
            unchecked = unchecked || step.check == Check::NotChecked;
        }
        const std::string build = stepsOf(index, Phase::Build), load = stepsOf(index, Phase::Load),
                          store = stepsOf(index, Phase::Store);
        const std::string& stored = store.empty() ? load : store;
        if (missing) {
            object.outcome = Outcome::Lost;
        } else if (differs) {
            object.outcome = Outcome::Differs;
            object.kept = "not done as the rules have it";
        } else if (unchecked) {
            object.outcome = Outcome::NotChecked;
            object.kept = "not checked: the rules do not cover it, or the recording says too little";
        } else if (build.empty() && stored.empty()) {
            object.outcome = Outcome::Nothing;
            object.kept = !m_nothing[index].empty()         ? m_nothing[index]
                          : !object.isNew()                 ? "nothing has to be stored"
                          : object.kind == "TensorVariable" ? "an output of the graph"
                                                            : "built where it is used";
        } else {
            object.outcome = Outcome::Done;
            object.kept = build.empty() ? std::string() : "built in " + build;
            if (!stored.empty()) object.kept += (build.empty() ? "stored in " : ", stored in ") + stored;
        }
    }

    SideEffectReport& m_report;
    std::vector<std::string> m_nothing; ///< of each object, why nothing may be stored
};

} // namespace

void holdAgainst(SideEffectReport& report, const element& replay) {
    Comparison(report).run(replay);
}

std::string_view checkName(ReplayStep::Check check) {
    switch (check) {
    case Check::Agrees:
        return "agrees";
    case Check::Differs:
        return "differs";
    case Check::Missing:
        return "missing";
    case Check::NotChecked:
        break;
    }
    return "not checked";
}

std::string verdictOf(const SideEffectReport& report) {
    const auto asks = [](const TrackedObject& object) { return object.live && object.modified; };
    if (!report.faults.empty() || std::none_of(report.objects.begin(), report.objects.end(), asks)) return {};
    if (!report.generated) return "no bytecode was recorded for this graph's end: nothing could be checked";
    const auto unchecked = static_cast<std::size_t>(
        std::count_if(report.steps.begin(), report.steps.end(),
                      [](const ReplayStep& step) { return step.check == Check::NotChecked; }));
    if (unchecked == 0) return "the generated bytecode stores every change";
    return "the generated bytecode stores every change that could be checked; not checked: " +
           count(unchecked, "step");
}

} // namespace dynascope::dynamo
