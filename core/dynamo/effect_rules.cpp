// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/effect_rules.h"

#include <algorithm>

namespace dynascope::dynamo {

namespace {

using Texts = std::vector<std::string>;
using Need = EffectPlan::Need;
using Part = EffectPlan::Part;

constexpr std::string_view sameItems = "it holds the same items as before: nothing has to be stored";

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::string constantLoad(std::string_view text) {
    return "LOAD_CONST '" + std::string(text) + '\'';
}

/// Python 3.12 loads methods as attributes.
std::string method(std::string_view name) {
    const std::string text(name);
    return "LOAD_METHOD " + text + "|LOAD_ATTR " + text;
}

/// Whether contents that were written have to be stored.
Need needOf(ContainerContents contents) {
    return contents == ContainerContents::Same     ? Need::May
           : contents == ContainerContents::Unsaid ? Need::Unsaid
                                                   : Need::Must;
}

Part storeOf(const TrackedObject& object, const PendingStore& store) {
    const std::string place = effectName(object) + '.' + store.name;
    Part out;
    out.lost = (store.deleted ? "the deletion of " : "the new value of ") + store.name;
    if (store.deleted) { // of what the frame itself had stored there is nothing to delete
        out.need = object.isNew() || store.existed == false ? Need::May
                   : store.existed                          ? Need::Must
                                                            : Need::Unsaid;
    }
    const bool called = object.user && (store.instanceDict || (object.ownSetattr && !store.deleted));
    if (called) out.loaded = constantLoad(store.name);
    if (object.kind == "NewGlobalVariable") {
        out.text = (store.deleted ? "del global " : "global ") + store.name;
        out.instructions = {(store.deleted ? "DELETE_GLOBAL " : "STORE_GLOBAL ") + store.name};
        out.lost = (store.deleted ? "the deletion of global " : "the new value of global ") + store.name;
    } else if (object.kind == "CellVariable" && store.deleted) {
        out.text = "del " + place;
        out.instructions = {"DELETE_ATTR|CALL"};
    } else if (called) {
        out.text = store.instanceDict ? (store.deleted ? "del " : "") + place + ", around descriptors"
                                      : "object.__setattr__ for " + place + ", not the class's own";
        out.instructions = {"CALL", "POP_TOP"};
    } else {
        out.text = (store.deleted ? "del " : "") + place;
        out.instructions = {(store.deleted ? "DELETE_ATTR " : "STORE_ATTR ") + store.name};
    }
    return out;
}

/// What a subclass of a container holds.
void planContents(const TrackedObject& object, EffectPlan& out) {
    if (!object.baseChanged) return;
    const std::string name = effectName(object);
    const std::string own = object.type.empty() ? "its class's" : object.type + "'s";
    Part part;
    part.lost = "what its " + object.base + " holds";
    if (has(object.base, "List")) {
        part.text = name + ": list.clear, list.extend; never " + own + " own methods";
        part.instructions = {method("clear"), method("extend"), "POP_TOP"};
    } else if (has(object.base, "Dict")) {
        part.text = name + ": dict.clear, dict.__setitem__ for each item; never " + own + " own methods";
        part.instructions = {method("clear"), method("__setitem__"), "POP_TOP"};
        if (!object.isNew()) part.need = needOf(object.contents);
    } else if (has(object.base, "Deque")) {
        part.text = name + ": the new items of the deque";
        part.instructions = {method("extend") + '|' + method("append")};
    } else if (has(object.base, "Set") && !has(object.base, "rozen")) {
        // PyTorch has no code for this up to now; should it come, any way to fill a set is one.
        part.text = name + ": the new items of the set";
        part.instructions = {method("update") + '|' + method("add")};
        part.need = needOf(object.contents);
    } else {
        // Tuples, frozen sets, exceptions and constants get what they hold when they are built.
        if (!object.isNew()) out.known = false;
        return;
    }
    if (part.need == Need::May)
        out.nothing = object.isNew() ? "it holds nothing: nothing has to be stored" : sameItems;
    out.stores.push_back(std::move(part));
}

EffectPlan attributePlan(const TrackedObject& object, std::span<const std::string> loads) {
    EffectPlan out;
    planContents(object, out);
    for (auto store = object.stores.rbegin(); store != object.stores.rend(); ++store) {
        Part part = storeOf(object, *store);
        // One that is missing is told as a store.
        if (std::find(loads.begin(), loads.end(), part.loaded) != loads.end())
            out.load.instructions.push_back(part.loaded);
        if (part.need == Need::May && out.nothing.empty())
            out.nothing = store->name + " was not there before the graph: nothing has to be deleted";
        out.stores.push_back(std::move(part));
    }
    return out;
}

EffectPlan containerPlan(const TrackedObject& object, std::span<const std::string> loads) {
    EffectPlan out;
    const std::string name = effectName(object);
    const std::string lost = "what it holds";
    const bool clears =
        std::any_of(loads.begin(), loads.end(), [](const std::string& text) { return has(text, " clear"); });
    const Need need = needOf(object.contents);
    if (need == Need::May) out.nothing = sameItems;
    if (!loads.empty() || need == Need::Must) out.load.instructions = {method("update")};
    out.stores.push_back(
        {name + ".update(its new items)", {"CALL", "POP_TOP"}, need, method("update"), lost});
    // It has to be cleared only if something went or moved.
    const Need clear = object.contents == ContainerContents::Other ? Need::Must : Need::May;
    if (clears) out.load.instructions.push_back(method("clear"));
    out.stores.push_back(
        {name + ".clear()", {"CALL", "POP_TOP"}, clear, method("clear"), "what went from it or moved in it"});
    return out;
}

EffectPlan byLoads(std::string text, std::string_view function) {
    EffectPlan out;
    out.doneByLoads = true;
    out.load = {
        std::move(text), {"LOAD_ATTR " + std::string(function), "CALL", "POP_TOP"}, Need::Must, {}, {}};
    return out;
}

bool isFrozenDataClass(const TrackedObject& object) {
    return has(object.kind, "FrozenDataClass");
}

} // namespace

std::string effectName(const TrackedObject& object) {
    if (!object.source.empty()) return object.source;
    if (!object.cell.empty()) return "cell " + object.cell;
    return "new " + (object.type.empty() ? object.kind : object.type);
}

EffectPlan effectPlan(const TrackedObject& object, std::span<const std::string> loads) {
    EffectPlan out;
    const std::string name = effectName(object);
    if (object.kind == "ListVariable") {
        out.load.instructions = {"BUILD_LIST|LOAD_CONST|BUILD_", "BUILD_SLICE"};
        out.stores.push_back(
            {name + "[:] = its new items", {"STORE_SUBSCR"}, Need::Must, {}, "what it holds"});
    } else if (object.kind == "DequeVariable") {
        out.load.instructions = {method("extend"), method("clear")};
        out.stores = {
            {name + ".extend(its new items)", {"CALL", "POP_TOP"}, Need::Must, {}, "what it holds"},
            {name + ".clear()", {"CALL", "POP_TOP"}, Need::Must, {}, "what went from it or moved in it"}};
    } else if (!object.user && (has(object.kind, "Dict") || has(object.kind, "Set")) &&
               object.mutation.starts_with("Value")) {
        out = containerPlan(object, loads);
    } else if (object.kind.ends_with("IteratorVariable") && object.mutation.starts_with("Value")) {
        out = byLoads("take from " + name + " what the graph took", "iter_next");
        out.load.lost = "how far it has come";
    } else if (object.kind == "TorchFunctionModeStackVariable") {
        out = byLoads("put modes on the stack of torch functions", "set_torch_function_mode_stack");
        out.load.lost = "the modes that were put on it or taken from it";
    } else if (object.kind == "RandomVariable") {
        out.load.instructions = {"LOAD_ATTR setstate|LOAD_METHOD setstate"};
        out.stores.push_back(
            {name + ".setstate(its new state)", {"CALL", "POP_TOP"}, Need::Must, {}, "its state"});
    } else if (object.kind == "CellVariable" && !object.cell.empty()) {
        if (!object.stores.empty())
            out.stores.push_back({"cell " + object.cell,
                                  {"STORE_DEREF " + object.cell},
                                  Need::Must,
                                  {},
                                  "the new contents of the cell"});
    } else if (object.mutation.starts_with("Attribute")) {
        // Of a frozen one attributes are stored as soon as it was built: from 2.9 on.
        if (isFrozenDataClass(object) && object.isNew() && loads.empty()) return out;
        out = attributePlan(object, loads);
    } else {
        out.known = false;
    }
    return out;
}

std::vector<std::string> buildInstructions(const TrackedObject& object, bool loadedLater) {
    if (!object.isNew() || has(object.kind, "Tensor")) return {};
    if (object.kind == "CellVariable") return object.cell.empty() ? Texts{"LOAD_ATTR make_cell"} : Texts{};
    if (!object.user) return {};
    const bool built = object.kind == "NamedTupleVariable" || object.kind == "StructSequenceVariable";
    if (built && object.stores.empty()) return {}; // from 2.13 on where it is used
    Texts out{"LOAD_ATTR __new__|LOAD_ATTR object_new|LOAD_METHOD __new__", "CALL"};
    if (isFrozenDataClass(object) && !loadedLater)
        for (const PendingStore& store : object.stores)
            out.insert(out.end(), {constantLoad(store.name), "CALL", "POP_TOP"});
    return out;
}

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

} // namespace dynascope::dynamo
