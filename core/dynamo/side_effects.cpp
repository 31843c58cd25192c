// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/side_effects.h"

#include "core/base/words.h"
#include "core/capture/json.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/documents.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace dynascope::dynamo {

namespace json = capture::json;
using json::element;

namespace {

using Phase = ReplayStep::Phase;
using Texts = std::vector<std::string>;

/// What one changed object asks for: what is loaded beforehand, and the stores in the order in which they are
/// collected, which is the reverse of the one in which they are carried out.
struct Plan {
    struct Part {
        std::string text;
        Texts instructions;
    };
    bool known = true; ///< a kind of object that the rules are written for
    Part load;
    std::vector<Part> stores;
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::string nameOf(const TrackedObject& object) {
    if (!object.source.empty()) return object.source;
    if (!object.cell.empty()) return "cell " + object.cell;
    return "new " + (object.type.empty() ? object.kind : object.type);
}

std::string constantLoad(std::string_view text) {
    return "LOAD_CONST '" + std::string(text) + '\'';
}

Plan::Part storeOf(const TrackedObject& object, const PendingStore& store) {
    const std::string place = nameOf(object) + '.' + store.name;
    if (object.kind == "NewGlobalVariable") return {"global " + store.name, {"STORE_GLOBAL " + store.name}};
    if (store.deleted && !store.instanceDict) return {"del " + place, {"DELETE_ATTR " + store.name}};
    if (object.user && store.instanceDict)
        return {store.deleted ? "del " + place + ", around descriptors" : place + ", around descriptors",
                {"CALL", "POP_TOP"}};
    if (object.user && object.ownSetattr)
        return {"object.__setattr__ for " + place + ", not the class's own", {"CALL", "POP_TOP"}};
    return {place, {"STORE_ATTR " + store.name}};
}

/// What has to be loaded for it, if there is more to it than the value. The function that is called may lie
/// in a temporary by then.
void addLoads(const TrackedObject& object, const PendingStore& store, Texts& out) {
    if (object.user && (store.instanceDict || (object.ownSetattr && !store.deleted)))
        out.push_back(constantLoad(store.name));
}

Plan attributePlan(const TrackedObject& object) {
    Plan out;
    const bool list = contains(object.base, "List");
    const bool dict = contains(object.base, "Dict");
    if (object.baseChanged && (list || dict)) {
        const std::string own = object.type.empty() ? "its class's" : object.type + "'s";
        if (list)
            out.stores.push_back(
                {nameOf(object) + ": list.clear, list.extend; never " + own + " own methods",
                 {"LOAD_METHOD clear|LOAD_ATTR clear", "LOAD_METHOD extend|LOAD_ATTR extend", "POP_TOP"}});
        else
            out.stores.push_back({nameOf(object) + ": dict.clear, dict.__setitem__ for each item; never " +
                                      own + " own methods",
                                  {"LOAD_METHOD clear|LOAD_ATTR clear",
                                   "LOAD_METHOD __setitem__|LOAD_ATTR __setitem__", "POP_TOP"}});
    }
    for (auto store = object.stores.rbegin(); store != object.stores.rend(); ++store) {
        addLoads(object, *store, out.load.instructions);
        out.stores.push_back(storeOf(object, *store));
    }
    return out;
}

Plan planOf(const TrackedObject& object, std::span<const std::string> loads) {
    Plan out;
    const std::string name = nameOf(object);
    if (object.kind == "ListVariable") {
        out.load.instructions = {"BUILD_LIST|LOAD_CONST|BUILD_", "BUILD_SLICE"};
        out.stores.push_back({name + "[:] = its new items", {"STORE_SUBSCR"}});
    } else if (object.kind == "DequeVariable") {
        out.load.instructions = {"LOAD_METHOD extend|LOAD_ATTR extend", "LOAD_METHOD clear|LOAD_ATTR clear"};
        out.stores = {{name + ".extend(its new items)", {"CALL", "POP_TOP"}},
                      {name + ".clear()", {"CALL", "POP_TOP"}}};
    } else if (!object.user && (contains(object.kind, "Dict") || contains(object.kind, "Set")) &&
               object.mutation.starts_with("Value")) {
        // A dict in which nothing is new is left alone; it is cleared only if something went or moved.
        if (loads.empty()) return out;
        out.load.instructions = {"LOAD_METHOD update|LOAD_ATTR update"};
        out.stores.push_back({name + ".update(its new items)", {"CALL", "POP_TOP"}});
        if (std::any_of(loads.begin(), loads.end(),
                        [](const std::string& text) { return contains(text, " clear"); })) {
            out.load.instructions.emplace_back("LOAD_METHOD clear|LOAD_ATTR clear");
            out.stores.push_back({name + ".clear()", {"CALL", "POP_TOP"}});
        }
    } else if (object.kind == "CellVariable" && !object.cell.empty()) {
        if (!object.stores.empty())
            out.stores.push_back({"cell " + object.cell, {"STORE_DEREF " + object.cell}});
    } else if (object.mutation.starts_with("Attribute")) {
        const bool frozen = contains(object.kind, "FrozenDataClass");
        if (frozen && object.isNew() && loads.empty())
            return out; // stored as soon as it was built: from 2.9 on
        out = attributePlan(object);
    } else {
        out.known = false;
    }
    return out;
}

Texts buildOf(const TrackedObject& object) {
    if (!object.isNew() || contains(object.kind, "Tensor")) return {};
    if (object.kind == "CellVariable") return object.cell.empty() ? Texts{"LOAD_ATTR make_cell"} : Texts{};
    if (object.user) return {"LOAD_ATTR __new__|LOAD_ATTR object_new|LOAD_METHOD __new__", "CALL"};
    return {};
}

/// Whether the instructions are among the others, in that order. "A|B" is either; a name alone is any
/// argument.
bool follows(std::span<const std::string> generated, std::span<const std::string> expected) {
    auto at = generated.begin();
    for (const std::string& alternatives : expected) {
        const auto fits = [&](const std::string& text) {
            std::string_view left = alternatives;
            while (!left.empty()) {
                const std::size_t bar = std::min(left.find('|'), left.size());
                const std::string_view one = left.substr(0, bar);
                if (text == one || (one.find(' ') == std::string_view::npos && text.starts_with(one)))
                    return true;
                left.remove_prefix(std::min(bar + 1, left.size()));
            }
            return false;
        };
        at = std::find_if(at, generated.end(), fits);
        if (at == generated.end()) return false;
        ++at;
    }
    return true;
}

struct Generated {
    ValueId value = 0;
    Texts code;
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
                                  way == "INSTANCE_DICT", deleted});
        }
    }
    judge(out);
    return out;
}

/// Fills a report's steps from what was generated, and compares.
class Comparison {
public:
    explicit Comparison(SideEffectReport& report)
        : m_report(report) {}

    void run(const element& replay) {
        const std::vector<Generated> built = parts(replay, "built");
        compareModified(built);
        for (const Generated& part : built)
            addBuild(part);
        std::vector<Generated> loads = parts(replay, "loads");
        const std::vector<Generated> stores = parts(replay, "stores");
        std::vector<ReplayStep> last;
        for (const Generated& part : loads)
            addLoad(part, stores, last);
        checkOrder(stores, texts(replay, "emitted"));
        // Collected first, carried out last.
        std::move(last.rbegin(), last.rend(), std::back_inserter(m_report.steps));
        for (const ReplayStep& step : m_report.steps)
            if (!step.agrees) m_report.faults.push_back(step.text + " is not done as expected");
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
            m_report.faults.emplace_back("Dynamo takes other objects for changed than the rules do");
    }

    void addBuild(const Generated& part) {
        const std::size_t index = indexOf(part.value);
        if (index == SIZE_MAX) return;
        const TrackedObject& object = m_report.objects[index];
        const Texts expected = buildOf(object);
        if (expected.empty() && part.code.empty()) return;
        const bool agrees = follows(part.code, expected);
        m_report.steps.push_back(
            {Phase::Build, index, "build " + nameOf(object), expected, part.code, agrees});
    }

    void addLoad(const Generated& part, const std::vector<Generated>& stores, std::vector<ReplayStep>& last) {
        const std::size_t index = indexOf(part.value);
        std::vector<const Generated*> own;
        for (const Generated& store : stores)
            if (store.value == part.value) own.push_back(&store);
        if (index == SIZE_MAX) {
            if (!part.code.empty())
                m_report.steps.push_back({Phase::Load, index, "load", {}, part.code, true});
            for (const Generated* store : own)
                last.push_back({Phase::Store, index, "store", {}, store->code, true});
            return;
        }
        const TrackedObject& object = m_report.objects[index];
        const Plan plan = planOf(object, part.code);
        if (!part.code.empty() || !plan.load.instructions.empty())
            m_report.steps.push_back({Phase::Load, index, "load what " + nameOf(object) + " is to hold",
                                      plan.load.instructions, part.code,
                                      !plan.known || follows(part.code, plan.load.instructions)});
        for (std::size_t i = 0; i < std::max(own.size(), plan.stores.size()); ++i) {
            ReplayStep step{Phase::Store, index, nameOf(object), {}, {}, !plan.known};
            if (i < own.size()) step.generated = own[i]->code;
            if (i < plan.stores.size()) {
                step.text = plan.stores[i].text;
                step.expected = plan.stores[i].instructions;
                step.agrees = i < own.size() && follows(step.generated, step.expected);
            }
            last.push_back(std::move(step));
        }
    }

    /// Every store comes after every load, in reverse.
    void checkOrder(const std::vector<Generated>& stores, const Texts& emitted) {
        Texts wanted;
        for (auto store = stores.rbegin(); store != stores.rend(); ++store)
            wanted.insert(wanted.end(), store->code.begin(), store->code.end());
        if (wanted != emitted)
            m_report.faults.emplace_back("the stores are not the collected ones in reverse order");
    }

    SideEffectReport& m_report;
};

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
        return object.live ? say(true, "the frame made it, so that it is built anew")
                           : say(true, "the frame made it; nothing that outlives the graph reaches it, so "
                                       "that it is forgotten");
    }
    if (object.user && object.stores.empty()) {
        return object.baseChanged ? say(true, "what its " + object.base + " holds was changed")
                                  : say(false, "neither its attributes nor its contents were changed");
    }
    if (object.mutation.starts_with("Attribute")) {
        return object.stores.empty() ? say(false, "none of its attributes was stored")
                                     : say(true, "to be stored: " + count(object.stores.size(), "attribute"));
    }
    return object.flag ? say(true, "its contents were changed") : say(false, "its contents were not changed");
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
            if (!out.empty() && out.back().attempt == document.attempt && out.back().steps.empty())
                Comparison(out.back()).run(object);
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
