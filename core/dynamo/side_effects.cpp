// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/side_effects.h"

#include "core/base/json.h"
#include "core/base/words.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/documents.h"
#include "core/dynamo/effect_check.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace dynascope::dynamo {

namespace json = capture::json;
using json::element;

namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

ContainerContents contentsNamed(std::string_view name) {
    return name == "same"    ? ContainerContents::Same
           : name == "more"  ? ContainerContents::More
           : name == "other" ? ContainerContents::Other
                             : ContainerContents::Unsaid;
}

TrackedObject readObject(const element& object) {
    TrackedObject out;
    out.value = static_cast<ValueId>(std::max(json::smallInteger(object, "value", 0), 0));
    out.kind = json::text(object, "kind");
    out.type = json::text(object, "class");
    out.mutation = json::text(object, "mutation");
    // From PyTorch 2.15 on a subclass of a container is one with what it holds.
    constexpr std::string_view both = "ValueAnd";
    if (out.mutation.starts_with(both)) out.mutation.erase(0, both.size());
    out.source = json::text(object, "source");
    out.cell = json::text(object, "cell");
    out.base = json::text(object, "base");
    out.changedAt = stackOf(object);
    out.scope = json::smallInteger(object, "scope", 0);
    out.flag = json::boolean(object, "flag");
    out.baseChanged = json::boolean(object, "base_flag") || json::boolean(object, "base_new");
    out.contents = contentsNamed(json::text(object, "contents"));
    out.user = json::boolean(object, "user");
    out.ownSetattr = json::boolean(object, "own_setattr");
    out.live = json::boolean(object, "live");
    simdjson::dom::array stores;
    if (object["stores"].get(stores) == simdjson::SUCCESS) {
        for (const element item : stores) {
            simdjson::dom::array fields;
            std::string_view name, way;
            std::int64_t value = 0;
            bool deleted = false;
            if (item.get(fields) != simdjson::SUCCESS || fields.size() < 4 ||
                fields.at(0).get(name) != simdjson::SUCCESS || fields.at(1).get(value) != simdjson::SUCCESS ||
                fields.at(2).get(way) != simdjson::SUCCESS || fields.at(3).get(deleted) != simdjson::SUCCESS)
                continue;
            out.stores.push_back({std::string(name),
                                  static_cast<ValueId>(std::clamp<std::int64_t>(value, 0, INT32_MAX)),
                                  way == "INSTANCE_DICT", deleted, std::nullopt});
            bool existed = false;
            if (fields.size() > 4 && fields.at(4).get(existed) == simdjson::SUCCESS)
                out.stores.back().existed = existed;
        }
    }
    judge(out);
    return out;
}

/// "ListVariable L['l']" for the "ListVariable(length=1)" of a message, where the frame's stack holds one. Up
/// to PyTorch 2.9 there is no name in the message: then it is whatever a method on the stack belongs to.
std::string objectOf(const Recording& recording, const EventInfo& event, std::string_view text) {
    const std::string_view kind = text.substr(0, text.find('('));
    const State* state = event.step < recording.steps().size() ? recording.stateAt(event.step) : nullptr;
    const FrameState* frame = state ? state->frameState(state->frame) : nullptr;
    for (std::size_t i = 0; frame != nullptr && i < frame->stack.size(); ++i) {
        ValueInfo value = unwrapped(recording, *state, frame->stack[i]);
        const ValueId of = value.value("of");
        if (of != 0) value = unwrapped(recording, *state, of);
        if ((kind.empty() ? of != 0 : value.kind == kind) && !value.text("source").empty())
            return std::string(value.kind) + ' ' + std::string(value.text("source"));
    }
    return std::string(text);
}

std::string between(std::string_view text, std::string_view begin, std::string_view end) {
    const std::size_t at = text.find(begin);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + begin.size());
    return std::string(text.substr(0, text.find(end)));
}

/// Of a change that was not undone: the step that made it, the attribute, and its line.
void fromTheStore(const Recording& recording, const EventInfo& event, RefusedEffect& out) {
    if (const std::string attribute = between(event.text, "Attribute ", " on an outer-scope");
        !attribute.empty())
        out.object = "attribute " + attribute + " of an object from outside";
    if (event.attempt >= recording.attempts().size() || event.latest >= recording.steps().size()) return;
    for (StepIndex at = event.latest + 1; at-- > recording.attempts()[event.attempt].first;) {
        const StepInfo& step = recording.steps()[at];
        const FrameInfo& frame = recording.frames()[step.frame];
        const Instruction* instruction = recording.instructionAt(at);
        if (frame.attempt != event.attempt || !step.has(Happening::SideEffect) || instruction == nullptr)
            continue;
        const Code& code = recording.codeOf(frame);
        out.step = at;
        out.place = {code.file, instruction->line, code.name};
        return;
    }
}

} // namespace

void judge(TrackedObject& object) {
    const auto say = [&object](bool modified, std::string why) {
        object.modified = modified;
        object.why = std::move(why);
    };
    if (object.mutation.empty()) return say(false, "it cannot be changed");
    if (object.isNew()) {
        return object.live ? say(true, "the frame made it, so the generated code builds it again")
                           : say(true, "the frame made it; nothing that outlives the graph reaches it, so "
                                       "that it is forgotten");
    }
    // Dynamo marks it at every write, also of what was there already.
    const bool same = object.contents == ContainerContents::Same;
    if (object.user && object.stores.empty()) {
        if (!object.baseChanged) return say(false, "neither its attributes nor its contents were changed");
        return say(true, "what its " + object.base +
                             (same ? " holds was written, but is what it was" : " holds was changed"));
    }
    if (object.mutation.starts_with("Attribute")) {
        return object.stores.empty() ? say(false, "none of its attributes was stored")
                                     : say(true, "to be stored: " + count(object.stores.size(), "attribute"));
    }
    if (!object.flag) return say(false, "its contents were not changed");
    return say(true,
               same ? "its contents were written, but are what they were" : "its contents were changed");
}

std::vector<SideEffectReport> sideEffects(const Recording& recording) {
    std::vector<SideEffectReport> out;
    simdjson::dom::parser parser;
    for (const DocumentInfo& document : recording.documents()) {
        if (document.tag != Tag::Effects && document.tag != Tag::Replay) continue;
        const std::string text = recording.text(document);
        element object;
        if (parser.parse(text).get(object) != simdjson::SUCCESS) continue;
        if (document.tag == Tag::Replay) {
            if (!out.empty() && out.back().attempt == document.attempt && !out.back().generated)
                holdAgainst(out.back(), object);
            continue;
        }
        SideEffectReport report;
        report.attempt = document.attempt;
        report.step = document.step;
        report.untouched = static_cast<std::size_t>(std::max(json::smallInteger(object, "untouched", 0), 0));
        simdjson::dom::array objects;
        if (object["objects"].get(objects) == simdjson::SUCCESS)
            for (const element item : objects)
                report.objects.push_back(readObject(item));
        out.push_back(std::move(report));
    }
    return out;
}

std::vector<RefusedEffect> refusedEffects(const Recording& recording) {
    std::vector<RefusedEffect> out;
    for (std::uint32_t i = 0; i < recording.events().size(); ++i) {
        const EventInfo& event = recording.events()[i];
        constexpr std::string_view before = // 2.10; 2.6 has no kinds of graph breaks
            "HigherOrderOperator: Mutating a variable not in the current scope (SideEffects)";
        constexpr std::string_view notUndone = "HOP: Non-nullified side effect";
        const bool unsafe = event.gbType == "HOP: Unsafe side effect" || event.gbType == before ||
                            (event.gbType.empty() && event.text.starts_with(before));
        // Noticed when the body has ended: only the operator's own exception tells of it.
        const bool lasting = event.gbType == notUndone ||
                             (event.gbType.empty() && event.type == "UncapturedHigherOrderOpError" &&
                              contains(event.text, notUndone));
        if (event.tag != Tag::Raised || !(unsafe || lasting)) continue;
        RefusedEffect refused;
        refused.event = i;
        refused.step = event.step;
        refused.object = objectOf(recording, event, between(event.text, "Attempted to mutate ", "\n"));
        if (!event.stack.empty()) refused.place = event.stack.back();
        for (std::size_t at = 1; at < event.stack.size(); ++at) {
            if (!contains(event.stack[at].file, "_higher_order_ops")) continue;
            const StackEntry& caller = event.stack[at - 1];
            refused.called = event.stack[at].name + " called by " + caller.name + ' ' +
                             std::string(baseName(caller.file)) + ':' + std::to_string(caller.line);
        }
        refused.text =
            "A body of a higher-order operator becomes a graph of its own, of which one run, none or "
            "several may follow; the code that makes changes real runs once, after the whole graph. " +
            std::string(unsafe ? "So the body must not change an object that was there before it."
                               : "A constant attribute may be changed for the body's time, but here it "
                                 "was not set back before the end.");
        if (const std::string values = between(event.text, " was changed ", " inside");
            lasting && !values.empty())
            refused.text += " It was changed " + values + '.';
        refused.waysOut = {"return the new value from the body, and make the change after the operator",
                           "where both branches are cheap, compute both and choose with torch.where"};
        if (lasting) fromTheStore(recording, event, refused);
        if (lasting)
            refused.waysOut = {"set the attribute back before the body ends", refused.waysOut.front()};
        out.push_back(std::move(refused));
    }
    return out;
}

} // namespace dynascope::dynamo
