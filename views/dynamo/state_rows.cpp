// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/state_rows.h"

#include "core/base/words.h"
#include "core/dynamo/describe.h"
#include "views/models/labels.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <optional>

namespace dynascope::views {

namespace {

using dynamo::FrameState;
using dynamo::Recording;
using dynamo::State;
using dynamo::StepIndex;
using dynamo::ValueId;

QString tr(const char* text) {
    return QCoreApplication::translate("DynamoState", text);
}

QString stepText(StepIndex step) {
    return step == dynamo::noStep ? QString() : tr("step %1").arg(step);
}

/// A value's line in two parts: the tracker's class, and the rest.
StateRow rowOf(const Recording& recording, const State& state, ValueId id, const QString& name) {
    const QString whole = toQString(dynamo::valueText(recording, state, id));
    const qsizetype space = whole.indexOf(u' ');
    return {name, space < 0 ? whole : whole.left(space), space < 0 ? QString() : whole.mid(space + 1), {}};
}

void mark(StateRow& row, const std::map<QString, StateRow>& before) {
    const auto earlier = before.find(row.name);
    if (earlier == before.end())
        row.change = diff::Change::Added;
    else if (earlier->second.text != row.text || earlier->second.kind != row.kind)
        row.change = diff::Change::Changed;
}

struct FrameRows {
    std::vector<StateRow> stack, locals, cells;
};

FrameRows frameRows(const Recording& recording, const State& state, const FrameState& frame) {
    FrameRows out;
    for (std::size_t i = frame.stack.size(); i-- > 0;) {
        const std::size_t depth = frame.stack.size() - 1 - i;
        out.stack.push_back(
            rowOf(recording, state, frame.stack[i], depth == 0 ? tr("top") : QString::number(depth)));
        out.stack.back().note = QString::number(i); // its place from the bottom, by which it is found again
    }
    for (const dynamo::Local& local : frame.locals) {
        if (local.value == 0) continue;
        const QString name = toQString(recording.text(local.name));
        const bool isCell = dynamo::unwrapped(recording, state, local.value).kind == "CellVariable";
        (isCell ? out.cells : out.locals).push_back(rowOf(recording, state, local.value, name));
    }
    return out;
}

std::map<QString, StateRow> byName(const std::vector<StateRow>& rows) {
    std::map<QString, StateRow> out;
    for (const StateRow& row : rows)
        out.emplace(row.name, row);
    return out;
}

void markStack(std::vector<StateRow>& rows, const std::vector<StateRow>& before) {
    std::map<QString, StateRow> places;
    for (const StateRow& row : before)
        places.emplace(row.note, row);
    for (StateRow& row : rows) {
        const auto earlier = places.find(row.note);
        if (earlier == places.end())
            row.change = diff::Change::Added;
        else if (earlier->second.text != row.text || earlier->second.kind != row.kind)
            row.change = diff::Change::Changed;
    }
}

/// The step before this one that the same attempt took in the same frame; nothing where this is the frame's
/// first.
std::optional<StepIndex> previousInFrame(const Recording& recording, StepIndex step) {
    const std::uint32_t frame = recording.steps()[step].frame;
    const StepIndex first = recording.frames()[frame].first;
    for (StepIndex at = step; at > 0 && at > first;)
        if (recording.steps()[--at].frame == frame) return at;
    return {};
}

std::vector<StateRow> guardRows(const Recording& recording, const State& state,
                                std::optional<StepIndex> before) {
    std::vector<StateRow> out;
    for (std::size_t i = 0; i < state.guards.size(); ++i) {
        const dynamo::GuardState& guard = state.guards[i];
        if (guard.gone) continue;
        const QString source = toQString(recording.text(guard.name));
        StateRow row{source.isEmpty() ? toQString(recording.text(guard.source)) : source,
                     toQString(recording.text(guard.create)), toQString(recording.text(guard.who)),
                     stepText(guard.step)};
        row.from = guard.step;
        if (before && guard.step != dynamo::noStep && guard.step >= *before) row.change = diff::Change::Added;
        out.push_back(std::move(row));
    }
    return out;
}

std::vector<StateRow> storeRows(const Recording& recording, const State& state,
                                std::optional<StepIndex> before) {
    std::vector<StateRow> out;
    for (std::size_t i = 0; i < state.stores.size(); ++i) {
        const dynamo::Store& store = state.stores[i];
        StateRow row = rowOf(recording, state, store.value,
                             toQString(dynamo::valueText(recording, state, store.object)) + u'.' +
                                 toQString(recording.text(store.name)));
        row.note = stepText(store.step);
        row.from = store.step;
        if (before && store.step != dynamo::noStep && store.step >= *before) row.change = diff::Change::Added;
        out.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < state.mutations.size(); ++i)
        out.push_back(rowOf(recording, state, state.mutations[i], tr("changed in place")));
    return out;
}

std::vector<StateRow> callRows(const Recording& recording, const State& state) {
    std::vector<StateRow> out;
    for (const FrameState* frame : dynamo::callStack(state)) {
        const dynamo::Code* code = recording.code(frame->code);
        StateRow row;
        row.name = code ? toQString(code->name) : tr("unknown code");
        if (code)
            row.kind =
                toQString(baseName(code->file)) + u':' + QString::number(dynamo::lineOf(recording, *frame));
        row.from = frame->step;
        row.note = out.empty() ? QString() : stepText(frame->step);
        out.push_back(std::move(row));
    }
    return out;
}

std::vector<StateRow> symbolRows(const Recording& recording, const State& state) {
    std::vector<StateRow> out;
    for (const dynamo::SymbolState& symbol : state.symbols)
        out.push_back({toQString(recording.text(symbol.name)), toQString(recording.text(symbol.hint)),
                       toQString(recording.text(symbol.range)), toQString(recording.text(symbol.sources))});
    return out;
}

QString eventText(const dynamo::EventInfo& event) {
    switch (event.tag) {
    case dynamo::Tag::Raised:
        return (event.handled ? tr("exception that the program handles: ") : tr("exception: ")) +
               toQString(event.type) + u' ' + toQString(event.text).section(u'\n', 0, 0);
    case dynamo::Tag::Break:
        return tr("graph break: ") +
               toQString(event.gbType.empty() ? event.text : event.gbType).section(u'\n', 0, 0);
    case dynamo::Tag::GraphEnd:
        return event.graphBreak ? tr("the graph ends here, by the break") : tr("the graph ends here");
    case dynamo::Tag::Comptime:
        return tr("comptime.") + toQString(event.type);
    default:
        return toQString(event.text).section(u'\n', 0, 0);
    }
}

} // namespace

std::vector<StateSection> stateSections(const Recording& recording, StepIndex step) {
    const dynamo::FrameInfo& info = recording.frames()[recording.steps()[step].frame];
    const std::optional<StepIndex> before = previousInFrame(recording, step);
    FrameRows earlier;
    if (before) {
        const State* state = recording.stateAt(*before);
        if (const FrameState* frame = state ? state->frameState(info.id) : nullptr)
            earlier = frameRows(recording, *state, *frame);
    }
    const State* state = recording.stateAt(step);
    const FrameState* frame = state ? state->frameState(info.id) : nullptr;
    if (!frame) return {};
    FrameRows now = frameRows(recording, *state, *frame);
    if (before) {
        markStack(now.stack, earlier.stack);
        const auto locals = byName(earlier.locals), cells = byName(earlier.cells);
        for (StateRow& row : now.locals)
            mark(row, locals);
        for (StateRow& row : now.cells)
            mark(row, cells);
    }
    for (StateRow& row : now.stack)
        row.note.clear();
    return {{tr("Call stack"), tr("empty"), callRows(recording, *state)},
            {tr("Value stack"), tr("empty"), std::move(now.stack)},
            {tr("Locals"), tr("none set"), std::move(now.locals)},
            {tr("Cells and free variables"), tr("none"), std::move(now.cells)},
            {tr("Guards so far"), tr("none"), guardRows(recording, *state, before)},
            {tr("Side effects"), tr("none"), storeRows(recording, *state, before)},
            {tr("Symbols"), tr("none: every size is a constant so far"), symbolRows(recording, *state)}};
}

QString happeningsText(const Recording& recording, StepIndex step) {
    QStringList out;
    const dynamo::StepInfo& info = recording.steps()[step];
    if (info.has(dynamo::Happening::Node)) out << tr("adds to the graph");
    if (info.has(dynamo::Happening::Guard)) out << tr("adds guards");
    if (info.has(dynamo::Happening::SideEffect)) out << tr("side effect");
    if (info.has(dynamo::Happening::Symbol)) out << tr("makes a symbol");
    for (const dynamo::EventInfo& event : recording.events())
        if (event.step == step) out << eventText(event);
    return out.join(QStringLiteral(", "));
}

} // namespace dynascope::views
