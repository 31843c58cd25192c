// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/steps_state.h"
#include "core/dynamo/blocks.h"
#include "core/dynamo/describe.h"
#include "core/engine/wire/wire.h"

#include <array>
#include <utility>

namespace dynascope::cli {

using namespace dynamo;
using nlohmann::json;

namespace {

constexpr int deepest = 6;

json number(StepIndex step) {
    return step == noStep ? json() : json(step);
}

json valueJson(const Recording& recording, const State& state, ValueId id, int depth = 0) {
    const ValueInfo value = recording.value(state, id);
    json out = {{"id", id}, {"kind", value.kind}};
    for (const ValueInfo::Field& field : value.fields) {
        const std::string name(field.name);
        if (field.number) {
            out[name] = *field.number;
        } else if (field.values.empty()) {
            out[name] = field.text;
        } else if (depth >= deepest) {
            out[name] = field.values;
        } else if (field.values.size() == 1 && name != "items" && name != "keys") {
            out[name] = valueJson(recording, state, field.values.front(), depth + 1);
        } else {
            json items = json::array();
            for (const ValueId item : field.values)
                items.push_back(depth == 0 ? valueJson(recording, state, item, deepest) : json(item));
            out[name] = std::move(items);
        }
    }
    if (const auto node = value.number("node"); node > 0 && node <= state.nodes.size())
        out["node"] = recording.text(state.nodes[node - 1].name);
    return out;
}

json blockJson(const Recording& recording, const State& state, const Block& block) {
    json out = {{"kind", blockKindName(block.kind)},
                {"first", block.first},
                {"last", block.last},
                {"height", block.height},
                {"tracked", block.tracked},
                {"restorable", block.restorable}};
    if (block.target != UINT32_MAX) out["target"] = block.target;
    if (block.context != 0) out["context"] = valueJson(recording, state, block.context, deepest);
    return out;
}

json happeningsJson(const StepInfo& step) {
    static constexpr std::array<std::pair<Happening, std::string_view>, 8> words{{
        {Happening::Node, "node"},
        {Happening::Guard, "guard"},
        {Happening::SideEffect, "side_effect"},
        {Happening::GraphBreak, "graph_break"},
        {Happening::Exception, "exception"},
        {Happening::GraphEnd, "graph_end"},
        {Happening::Comptime, "comptime"},
        {Happening::Symbol, "symbol"},
    }};
    json out = json::array();
    for (const auto& [what, word] : words)
        if (step.has(what)) out.push_back(word);
    return out;
}

json stepJson(const Recording& recording, StepIndex index) {
    const StepInfo& step = recording.steps()[index];
    const FrameInfo& frame = recording.frames()[step.frame];
    const AttemptInfo& attempt = recording.attempts()[frame.attempt];
    const Code& code = recording.codeOf(frame);
    json out = {{"step", index},
                {"compile_id", attempt.compileId},
                {"run", attempt.run},
                {"attempt", attempt.number},
                {"depth", frame.depth},
                {"function", code.name},
                {"file", code.file},
                {"instruction", step.instruction},
                {"happened", happeningsJson(step)}};
    if (const Instruction* instruction = recording.instructionAt(index)) {
        out["op"] = instruction->op;
        out["argument"] = instruction->text;
        out["offset"] = instruction->offset;
        out["line"] = instruction->line;
    }
    return out;
}

json eventJson(const EventInfo& event) {
    static constexpr std::array<std::pair<Tag, std::string_view>, 5> kinds{{
        {Tag::Raised, "exception"},
        {Tag::Break, "graph_break"},
        {Tag::GraphEnd, "graph_end"},
        {Tag::Comptime, "comptime"},
        {Tag::Fault, "fault"},
    }};
    json out = {
        {"step", number(event.step)}, {"type", event.type}, {"text", event.text}, {"gb_type", event.gbType}};
    for (const auto& [tag, kind] : kinds)
        if (event.tag == tag) out["kind"] = kind;
    if (event.tag == Tag::GraphEnd) out["graph_break"] = event.graphBreak;
    if (event.tag == Tag::Raised) out["handled"] = event.handled;
    json stack = json::array();
    for (const StackEntry& entry : event.stack)
        stack.push_back({{"file", entry.file}, {"line", entry.line}, {"name", entry.name}});
    out["stack"] = std::move(stack);
    return out;
}

} // namespace

json summaryJson(const Recording& recording) {
    json compiles = json::array(), attempts = json::array(), events = json::array();
    for (const CompileInfo& compile : recording.compiles())
        compiles.push_back({{"compile_id", compile.id},
                            {"run", compile.run},
                            {"function", compile.function},
                            {"file", compile.file},
                            {"first_line", compile.firstLine},
                            {"status", compile.status},
                            {"error", compile.error},
                            {"guards", compile.guards},
                            {"recompile_reasons", compile.recompileReasons}});
    for (const AttemptInfo& attempt : recording.attempts())
        attempts.push_back({{"compile_id", attempt.compileId},
                            {"run", attempt.run},
                            {"attempt", attempt.number},
                            {"first_step", number(attempt.first)},
                            {"last_step", number(attempt.last)},
                            {"ended", attempt.ended},
                            {"damaged", attempt.damaged}});
    for (const EventInfo& event : recording.events())
        events.push_back(eventJson(event));
    json records;
    for (const auto& [tag, many] : recording.recordCounts())
        records[static_cast<unsigned char>(tag) < 128 ? std::string(1, tag)
                                                      : std::to_string(static_cast<unsigned char>(tag))] =
            many;
    return {{"header", wire::parsed(recording.header())}, // as the recorder wrote it
            {"steps", recording.steps().size()},
            {"bytes", recording.bytes()},
            {"records", std::move(records)},
            {"compiles", std::move(compiles)},
            {"attempts", std::move(attempts)},
            {"events", std::move(events)},
            {"warnings", recording.warnings()}};
}

json stepsJson(const Recording& recording, StepIndex first, StepIndex count) {
    json out = json::array();
    for (StepIndex i = first; i < recording.steps().size() && i - first < count; ++i)
        out.push_back(stepJson(recording, i));
    return out;
}

json stateJson(const Recording& recording, const State& state, StepIndex index) {
    json out = stepJson(recording, index);
    json calls = json::array(), stack = json::array(), blocks = json::array(), locals = json::object(),
         guards = json::array(), stores = json::array(), mutated = json::array(), symbols = json::array(),
         facts = json::array(), events = json::array();
    for (const FrameState* caller : callStack(state))
        if (const Code* code = recording.code(caller->code))
            calls.push_back(
                {{"function", code->name}, {"file", code->file}, {"line", lineOf(recording, *caller)}});
    if (const FrameState* now = state.frameState(state.frame)) {
        for (const ValueId value : now->stack)
            stack.push_back(valueJson(recording, state, value));
        for (const Local& local : now->locals)
            locals[std::string(recording.text(local.name))] = valueJson(recording, state, local.value);
        for (const Block& block : blocksAt(recording, state, *now))
            blocks.push_back(blockJson(recording, state, block));
    }
    for (std::size_t i = 0; i < state.guards.size(); ++i) {
        const GuardState& guard = state.guards[i];
        if (!guard.gone)
            guards.push_back({{"source_kind", recording.text(guard.source)},
                              {"name", recording.text(guard.name)},
                              {"create_fn", recording.text(guard.create)},
                              {"added_by", recording.text(guard.who)},
                              {"step", number(guard.step)}});
    }
    for (std::size_t i = 0; i < state.stores.size(); ++i) {
        const Store& store = state.stores[i];
        stores.push_back({{"object", valueJson(recording, state, store.object, deepest)},
                          {"name", recording.text(store.name)},
                          {"value", valueJson(recording, state, store.value, deepest)},
                          {"step", number(store.step)}});
    }
    for (std::size_t i = 0; i < state.mutations.size(); ++i)
        mutated.push_back(valueJson(recording, state, state.mutations[i], deepest));
    for (std::size_t i = 0; i < state.mutations.size(); ++i)
        if (const ValueId holder =
                holderOf(recording, state, unwrapped(recording, state, state.mutations[i]).id))
            mutated[i]["items_of"] = valueText(recording, state, holder);
    for (const SymbolState& symbol : state.symbols)
        symbols.push_back({{"name", recording.text(symbol.name)},
                           {"hint", recording.text(symbol.hint)},
                           {"range", recording.text(symbol.range)},
                           {"sources", recording.text(symbol.sources)}});
    for (std::size_t i = 0; i < state.facts.size(); ++i)
        facts.push_back(
            {{"kind", recording.text(state.facts[i].kind)}, {"text", recording.text(state.facts[i].text)}});
    for (const EventInfo& event : recording.events())
        if (event.step == index) events.push_back(eventJson(event));
    out["call_stack"] = std::move(calls);
    out["stack"] = std::move(stack);
    out["locals"] = std::move(locals);
    out["blocks"] = std::move(blocks);
    out["graph"] = graphText(recording, state);
    out["nodes"] = state.currentGraph() ? state.currentGraph()->nodes : 0;
    out["guards"] = std::move(guards);
    out["stores"] = std::move(stores);
    out["mutated"] = std::move(mutated);
    out["symbols"] = std::move(symbols);
    out["facts"] = std::move(facts);
    out["events"] = std::move(events);
    return out;
}

} // namespace dynascope::cli
