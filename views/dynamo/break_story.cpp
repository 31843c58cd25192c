// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/break_story.h"

#include "core/dynamo/describe.h"
#include "core/dynamo/recorded_breaks.h"
#include "core/session/break_reasons.h"
#include "views/breaks/break_facts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

namespace dynascope::views {

namespace {

using dynamo::EventInfo;
using dynamo::Recording;
using dynamo::StepIndex;

Token stepLink(StepIndex step) {
    return link(tr("step %1").arg(step), QStringLiteral("step:%1").arg(step));
}

QString instructionText(const Recording& recording, StepIndex step) {
    const dynamo::Instruction* instruction = recording.instructionAt(step);
    if (!instruction) return tr("instruction not recorded");
    const QString offset = instruction->offset >= 0 ? QString::number(instruction->offset) + u' ' : QString();
    return (offset + toQString(instruction->op) + u' ' + toQString(instruction->text)).trimmed();
}

/// What lay on the stack of the frame that broke, top first, with the step that made each tensor.
Section stackSection(const Recording& recording, StepIndex step) {
    Section out;
    out.title = tr("On the stack");
    const dynamo::State* state = recording.stateAt(step);
    const dynamo::FrameState* frame = state ? state->frameState(state->frame) : nullptr;
    if (!frame) return out;
    for (std::size_t i = frame->stack.size(); i-- > 0 && out.facts.size() < 8;) {
        Tokens tokens{mono(toQString(dynamo::valueText(recording, *state, frame->stack[i])))};
        const auto node = dynamo::unwrapped(recording, *state, frame->stack[i]).number("node");
        if (node > 0 && node <= state->nodes.size() && state->nodes[node - 1].step != dynamo::noStep) {
            tokens.push_back(quiet(tr("  from ")));
            tokens.push_back(stepLink(state->nodes[node - 1].step));
        }
        out.facts.push_back(paragraph(std::move(tokens)));
    }
    if (out.facts.empty()) out.facts.push_back(paragraph({quiet(tr("empty"))}));
    return out;
}

} // namespace

Facts breakStory(const Recording& recording, std::uint32_t attempt, StepIndex end) {
    Facts out;
    const EventInfo* event = end == dynamo::noStep ? nullptr : dynamo::endToldAt(recording, end);
    const dynamo::AttemptInfo& info = recording.attempts()[attempt];
    if (!event) {
        out.title = info.ended ? tr("No break from here on") : tr("The recording ends before the graph does");
        return out;
    }
    if (event->tag == dynamo::Tag::GraphEnd && !event->graphBreak) {
        out.title = tr("The graph ends whole");
        out.icon = QStringLiteral("tick");
        out.good = true;
        out.subtitle = {stepLink(end), quiet(u' ' + instructionText(recording, end))};
        out.sections.push_back(stackSection(recording, end));
        return out;
    }
    const session::GraphBreak parsed = dynamo::breakOf(*event);
    out.title = toQString(session::shortReason(parsed));
    out.icon = QStringLiteral("scissors");
    out.subtitle = {stepLink(end), quiet(u' ' + instructionText(recording, end))};
    if (event->tag == dynamo::Tag::Raised && event->gbType.empty() && event->type != "Unsupported") {
        // No break, but a frame that could not be compiled: Dynamo has no hints for these.
        out.icon = QStringLiteral("error");
        out.title = toQString(event->type);
        out.sections.push_back({tr("Message"), {paragraph({text(toQString(event->text))})}, {}, {}});
        out.sections.push_back(stackSection(recording, end));
        return out;
    }
    out.sections.push_back(stackSection(recording, end));
    if (const auto ways = session::waysOut(parsed); !ways.empty())
        out.sections.push_back(waysOutSection(ways));
    out.sections.push_back(causeSection(parsed));
    return out;
}

} // namespace dynascope::views
