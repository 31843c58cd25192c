// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/steps_state.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/dynamo/side_effects.h"

namespace dynascope::cli {

using namespace dynamo;

namespace {

std::string_view phaseName(ReplayStep::Phase phase) {
    switch (phase) {
    case ReplayStep::Phase::Build:
        return "build";
    case ReplayStep::Phase::Load:
        return "load";
    case ReplayStep::Phase::Store:
        break;
    }
    return "store";
}

std::string_view outcomeName(TrackedObject::Outcome outcome) {
    using enum TrackedObject::Outcome;
    switch (outcome) {
    case Done:
        return "done";
    case Nothing:
        return "nothing to store";
    case Lost:
        return "lost";
    case Differs:
        return "differs";
    case NotChecked:
        return "not checked";
    case Unknown:
        break;
    }
    return "unknown";
}

std::string objectText(const TrackedObject& object) {
    std::string out = object.kind;
    if (!object.type.empty()) out += ' ' + object.type;
    if (!object.source.empty()) out += ' ' + object.source;
    if (!object.cell.empty()) out += " cell " + object.cell;
    out += object.live ? ": " : ", pruned: ";
    out += object.why;
    for (const PendingStore& store : object.stores)
        out += (store.deleted ? "; del " : "; ") + store.name;
    if (!object.changedAt.empty())
        out += ", at " + std::string(baseName(object.changedAt.back().file)) + ':' +
               std::to_string(object.changedAt.back().line);
    if (!object.kept.empty())
        out += (object.outcome == TrackedObject::Outcome::Lost ? "; LOST: " : "; ") + object.kept;
    return out;
}

} // namespace

std::string effectsText(const Recording& recording) {
    std::string out;
    for (const SideEffectReport& report : sideEffects(recording)) {
        const AttemptInfo& attempt = recording.attempts()[report.attempt];
        out += idText(attempt) + " attempt " + std::to_string(attempt.number) + ", step " +
               std::to_string(report.step) + ": " + count(report.objects.size(), "tracked object") +
               " new or changed, " + std::to_string(report.untouched) + " untouched\n";
        for (const TrackedObject& object : report.objects)
            out += "  " + objectText(object) + '\n';
        for (std::size_t i = 0; i < report.steps.size(); ++i) {
            const ReplayStep& step = report.steps[i];
            out +=
                "  " + std::to_string(i + 1) + ' ' + std::string(phaseName(step.phase)) + ' ' + step.text +
                (step.check == ReplayStep::Check::Agrees ? "" : ": " + std::string(checkName(step.check))) +
                '\n';
            out += "      " +
                   (step.generated.empty() ? "nothing was generated" : joined(step.generated, "; ")) + '\n';
        }
        for (const std::string& fault : report.faults)
            out += "  differs: " + fault + '\n';
        if (const std::string verdict = verdictOf(report); !verdict.empty()) out += "  " + verdict + '\n';
    }
    for (const RefusedEffect& refused : refusedEffects(recording)) {
        out += "step " + std::to_string(refused.step) + ": refused to change " + refused.object + " in " +
               refused.place.name + ' ' + std::string(baseName(refused.place.file)) + ':' +
               std::to_string(refused.place.line) + '\n';
        if (!refused.called.empty()) out += "  " + refused.called + '\n';
        out += "  " + refused.text + '\n';
        for (const std::string& way : refused.waysOut)
            out += "  - " + way + '\n';
    }
    return out.empty() ? "no side effects\n" : out;
}

nlohmann::json effectsJson(const Recording& recording) {
    nlohmann::json graphs = nlohmann::json::array(), refusals = nlohmann::json::array();
    for (const SideEffectReport& report : sideEffects(recording)) {
        nlohmann::json objects = nlohmann::json::array(), steps = nlohmann::json::array();
        for (const TrackedObject& object : report.objects) {
            nlohmann::json stores = nlohmann::json::array();
            for (const PendingStore& store : object.stores)
                stores.push_back(
                    {{"name", store.name}, {"deleted", store.deleted}, {"instanceDict", store.instanceDict}});
            objects.push_back({{"value", object.value},
                               {"kind", object.kind},
                               {"type", object.type},
                               {"mutation", object.mutation},
                               {"source", object.source},
                               {"cell", object.cell},
                               {"live", object.live},
                               {"modified", object.modified},
                               {"why", object.why},
                               {"outcome", outcomeName(object.outcome)},
                               {"kept", object.kept},
                               {"stores", std::move(stores)}});
        }
        for (const ReplayStep& step : report.steps)
            steps.push_back({{"phase", phaseName(step.phase)},
                             {"text", step.text},
                             {"expected", step.expected},
                             {"generated", step.generated},
                             {"check", checkName(step.check)}});
        const AttemptInfo& attempt = recording.attempts()[report.attempt];
        graphs.push_back({{"compile", attempt.compileId},
                          {"attempt", attempt.number},
                          {"step", report.step},
                          {"untouched", report.untouched},
                          {"objects", std::move(objects)},
                          {"steps", std::move(steps)},
                          {"faults", report.faults},
                          {"verdict", verdictOf(report)}});
    }
    for (const RefusedEffect& refused : refusedEffects(recording))
        refusals.push_back({{"step", refused.step},
                            {"object", refused.object},
                            {"file", refused.place.file},
                            {"line", refused.place.line},
                            {"text", refused.text},
                            {"waysOut", refused.waysOut}});
    return {{"graphs", std::move(graphs)}, {"refused", std::move(refusals)}};
}

} // namespace dynascope::cli
