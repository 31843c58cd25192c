// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/state.h"

#include <algorithm>

namespace dynascope::dynamo {

namespace {

constexpr std::size_t mostGraphs = 1U << 16U;
constexpr std::size_t mostSymbols = 1U << 13U;
constexpr std::size_t mostLocals = 1U << 12U;
constexpr std::size_t mostBlocks = 256;

/// A value is written after those that it refers to, five levels at most; all else comes in order.
constexpr std::size_t mostAhead = 8;

/// Makes room for element `id`, counted from 1.
template <typename Vector, typename T>
bool reserve(Vector& vector, std::uint32_t id, const T& missing) {
    if (id == 0 || id > vector.size() + mostAhead) return false;
    while (vector.size() < id)
        vector.push(missing);
    return true;
}

NodeState missingNode() {
    NodeState out;
    out.gone = true;
    return out;
}

GuardState missingGuard() {
    GuardState out;
    out.gone = true;
    return out;
}

void setLocal(std::vector<Local>& locals, TextId name, ValueId value) {
    const auto found =
        std::find_if(locals.begin(), locals.end(), [name](const Local& local) { return local.name == name; });
    if (value == 0) {
        if (found != locals.end()) locals.erase(found);
    } else if (found != locals.end()) {
        found->value = value;
    } else if (locals.size() < mostLocals) {
        locals.push_back({name, value});
    }
}

void takeBlocks(Numbers& numbers, std::vector<BlockState>& blocks) {
    const std::uint64_t same = numbers.next();
    blocks.resize(std::min<std::uint64_t>(same, blocks.size()));
    for (std::uint64_t left = numbers.next(); left > 0 && !numbers.done() && blocks.size() < mostBlocks;
         --left) {
        BlockState block;
        // 0 is none, which becomes UINT32_MAX.
        block.pushedBy = numbers.nextId() - 1;
        block.target = numbers.nextId() - 1;
        block.height = numbers.nextId();
        block.context = numbers.nextId();
        if (numbers.good()) blocks.push_back(block);
    }
}

} // namespace

State::Change State::apply(Tag tag, std::string_view payload, PayloadPlace at, StepIndex step) {
    Numbers numbers(payload);
    switch (tag) {
    case Tag::Frame:
        return {addFrame(numbers)};
    case Tag::Step:
        return {takeStep(payload, step)};
    case Tag::Leave:
        return {leave(numbers.nextId())};
    case Tag::Value: {
        const std::uint32_t id = numbers.nextId();
        if (!reserve(values, id, PayloadPlace{})) return {};
        values.edit(id - 1) = at;
        return {id};
    }
    case Tag::Graph:
        switchGraph(numbers);
        return {};
    case Tag::Node:
        return {addNode(numbers, at)};
    case Tag::NodeGone:
        removeNode(numbers.nextId());
        return {};
    case Tag::NodeName: {
        const std::uint32_t id = numbers.nextId();
        const TextId name = numbers.nextId();
        if (id == 0 || id > nodes.size()) return {};
        nodes.edit(id - 1).name = name;
        return {id};
    }
    case Tag::Guard:
        return {addGuard(numbers)};
    case Tag::GuardGone: {
        const std::uint32_t id = numbers.nextId();
        if (id == 0 || id > guards.size() || guards[id - 1].gone) return {};
        guards.edit(id - 1).gone = true;
        if (guardCount > 0) --guardCount;
        return {id};
    }
    case Tag::Attribute: {
        Store store;
        store.object = numbers.nextId();
        store.name = numbers.nextId();
        store.value = numbers.nextId();
        store.step = active;
        if (!numbers.good()) return {};
        stores.push(store);
        return {store.object};
    }
    case Tag::Mutation: {
        const ValueId value = numbers.nextId();
        mutations.push(value);
        return {value};
    }
    case Tag::EffectsReset:
        stores.clear();
        return {};
    case Tag::Symbol:
        setSymbol(numbers);
        return {};
    case Tag::Fact: {
        Fact fact;
        fact.kind = numbers.nextId();
        fact.text = numbers.nextId();
        fact.step = active;
        facts.push(fact);
        return {};
    }
    default:
        return {};
    }
}

std::uint32_t State::addFrame(Numbers numbers) {
    FrameState made;
    const std::uint32_t id = numbers.nextId();
    made.parent = numbers.nextId();
    made.code = numbers.nextId();
    made.depth = numbers.nextId();
    made.kind = numbers.nextId();
    // A parent comes before its children, so that a walk to the root ends.
    if (!numbers.good() || made.parent >= id || !reserve(frames, id, FrameState{})) return 0;
    frames.edit(id - 1) = std::move(made);
    return id;
}

std::uint32_t State::takeStep(std::string_view payload, StepIndex step) {
    if (payload.empty()) return 0;
    const auto flags = static_cast<unsigned char>(payload.front());
    Numbers numbers(payload.substr(1));
    if ((flags & 1U) != 0) frame = numbers.nextId();
    if (frame == 0 || frame > frames.size()) return 0;
    FrameState& now = frames.edit(frame - 1);
    now.instruction = (flags & 2U) != 0 ? numbers.nextId() : now.instruction + 1;
    now.step = active = step;
    if ((flags & 4U) != 0) {
        const std::uint64_t same = numbers.next();
        now.stack.resize(std::min<std::uint64_t>(same, now.stack.size()));
        for (std::uint64_t left = numbers.next(); left > 0 && !numbers.done(); --left)
            now.stack.push_back(numbers.nextId());
    }
    if ((flags & 8U) != 0) {
        for (std::uint64_t left = numbers.next(); left > 0 && !numbers.done(); --left) {
            const TextId name = numbers.nextId();
            setLocal(now.locals, name, numbers.nextId());
        }
    }
    if ((flags & 16U) != 0) takeBlocks(numbers, now.blocks);
    return frame;
}

std::uint32_t State::leave(std::uint32_t id) {
    const FrameState* left = frameState(id);
    if (left == nullptr) return 0;
    if (const FrameState* caller = frameState(left->parent)) active = caller->step;
    return id;
}

std::uint32_t State::addGuard(Numbers numbers) {
    const std::uint32_t id = numbers.nextId();
    GuardState guard;
    for (TextId* text : {&guard.source, &guard.name, &guard.create, &guard.who})
        *text = numbers.nextId();
    guard.step = active;
    if (!numbers.good() || id <= guards.size() || !reserve(guards, id, missingGuard())) return 0;
    guards.edit(id - 1) = guard;
    ++guardCount;
    return id;
}

void State::switchGraph(Numbers numbers) {
    const std::uint32_t id = numbers.nextId();
    const std::uint32_t depth = numbers.nextId();
    if (!numbers.good() || id >= mostGraphs || id > graphs.size() + 64) return;
    if (id >= graphs.size()) graphs.resize(id + 1);
    graphs[id].depth = depth;
    graph = id;
}

std::uint32_t State::addNode(Numbers numbers, PayloadPlace at) {
    NodeState made;
    const std::uint32_t id = numbers.nextId();
    made.graph = numbers.nextId();
    made.before = numbers.nextId();
    static_cast<void>(numbers.nextId());
    made.name = numbers.nextId();
    made.place = at;
    made.step = active;
    if (!numbers.good() || made.graph >= graphs.size()) return 0;
    if (id > 0 && id <= nodes.size() && !nodes[id - 1].gone) {
        // Its arguments were replaced.
        nodes.edit(id - 1).place = at;
        return 0;
    }
    if (id <= nodes.size() || !reserve(nodes, id, missingNode())) return 0;
    GraphState& home = graphs[made.graph];
    const bool known = made.before > 0 && made.before < id && !nodes[made.before - 1].gone &&
                       nodes[made.before - 1].graph == made.graph;
    if (!known) made.before = 0;
    made.after = known ? nodes[made.before - 1].after : home.first;
    if (made.before != 0) {
        nodes.edit(made.before - 1).after = id;
    } else {
        home.first = id;
    }
    if (made.after != 0) {
        nodes.edit(made.after - 1).before = id;
    } else {
        home.last = id;
    }
    nodes.edit(id - 1) = made;
    ++home.nodes;
    return id;
}

void State::removeNode(std::uint32_t id) {
    if (id == 0 || id > nodes.size() || nodes[id - 1].gone) return;
    const NodeState old = nodes[id - 1];
    GraphState& home = graphs[old.graph];
    (old.before != 0 ? nodes.edit(old.before - 1).after : home.first) = old.after;
    (old.after != 0 ? nodes.edit(old.after - 1).before : home.last) = old.before;
    nodes.edit(id - 1).gone = true;
    --home.nodes;
}

void State::setSymbol(Numbers numbers) {
    SymbolState symbol;
    for (TextId* text : {&symbol.name, &symbol.hint, &symbol.range, &symbol.sources})
        *text = numbers.nextId();
    const auto found = std::find_if(symbols.begin(), symbols.end(),
                                    [&](const SymbolState& known) { return known.name == symbol.name; });
    if (found != symbols.end()) {
        *found = symbol;
    } else if (symbols.size() < mostSymbols) {
        symbols.push_back(symbol);
    }
}

} // namespace dynascope::dynamo
