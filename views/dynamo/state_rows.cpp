// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/state_rows.h"

#include "core/base/words.h"
#include "core/dynamo/blocks.h"
#include "core/dynamo/describe.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace dynascope::views {

namespace {

using dynamo::FrameState;
using dynamo::Recording;
using dynamo::State;
using dynamo::StepIndex;
using dynamo::ValueId;

QString stepText(StepIndex step) {
    return step == dynamo::noStep ? QString() : tr("step %1").arg(step);
}

/// ", cap.py:33": the user's line at a step.
QString placeAt(const Recording& recording, StepIndex step) {
    const dynamo::Instruction* instruction =
        step < recording.steps().size() ? recording.instructionAt(step) : nullptr;
    if (!instruction || instruction->line == 0) return {};
    const dynamo::Code& code = recording.codeOf(recording.frames()[recording.steps()[step].frame]);
    return QStringLiteral(", %1:%2").arg(toQString(baseName(code.file))).arg(instruction->line);
}

/// A value's line in two parts: the tracker's class, and the rest.
StateRow rowOf(const Recording& recording, const State& state, ValueId id, const QString& name) {
    const QString whole = toQString(dynamo::valueText(recording, state, id));
    const qsizetype space = whole.indexOf(u' ');
    return {name, space < 0 ? whole : whole.left(space), space < 0 ? QString() : whole.mid(space + 1), {}};
}

StateRow changedRow(const Recording& recording, const State& state, ValueId id) {
    StateRow out = rowOf(recording, state, id, tr("changed in place"));
    const ValueId inner = dynamo::unwrapped(recording, state, id).id;
    if (const ValueId holder = dynamo::holderOf(recording, state, inner))
        out.note = tr("the items of %1").arg(toQString(dynamo::valueText(recording, state, holder)));
    return out;
}

/// A cell as what it holds: where a nested function captures an argument, the name still means the argument.
StateRow cellRow(const Recording& recording, const State& state, ValueId id, const QString& name) {
    const dynamo::ValueInfo cell = dynamo::unwrapped(recording, state, id);
    const ValueId contents = dynamo::cellContents(recording, state, cell.id);
    StateRow out =
        contents != 0 ? rowOf(recording, state, contents, name) : StateRow{name, tr("unbound"), {}, {}};
    const QString from = toQString(cell.text("contents_from"));
    out.note = from.isEmpty() ? tr("cell") : tr("cell, %1").arg(from);
    return out;
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
        std::vector<StateRow>& rows = isCell ? out.cells : out.locals;
        rows.push_back(isCell ? cellRow(recording, state, local.value, name)
                              : rowOf(recording, state, local.value, name));
        rows.back().condition = QStringLiteral("local ") + name;
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
        if (earlier != places.end() && row.change == diff::Change::Same) places.erase(earlier);
    }
    // What is left was popped, or makes room for another value in its place.
    for (auto row = places.rbegin(); row != places.rend(); ++row) {
        StateRow popped = row->second;
        popped.name = tr("popped");
        popped.change = diff::Change::Removed;
        rows.push_back(std::move(popped));
    }
}

/// Locals that were deleted since.
void addDeleted(std::vector<StateRow>& rows, const std::vector<StateRow>& before) {
    const auto now = byName(rows);
    for (const StateRow& row : before)
        if (now.find(row.name) == now.end()) {
            rows.push_back(row);
            rows.back().change = diff::Change::Removed;
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

/// The blocks around the instruction, the innermost first as on the value stack.
StateSection blockSection(const Recording& recording, const State& state, const FrameState& frame) {
    StateSection out{tr("Blocks"), tr("none"), {}};
    const std::vector<dynamo::Block> blocks = dynamo::blocksAt(recording, state, frame);
    for (std::size_t i = blocks.size(); i-- > 0;) {
        const dynamo::Block& block = blocks[i];
        const QString kind = toQString(dynamo::blockKindName(block.kind));
        // "with NAME, line 7, instructions ..."
        QString text = toQString(dynamo::blockText(recording, state, frame, block));
        if (text.startsWith(kind)) text = text.mid(kind.size()).trimmed();
        if (text.startsWith(u',')) text = text.mid(1).trimmed();
        StateRow row{kind, {}, text, {}};
        if (block.tracked) row.kind = block.restorable ? tr("can be entered again") : tr("tracked");
        out.rows.push_back(std::move(row));
    }
    if (const QString hindrance = toQString(dynamo::breakHindrance(recording, state)); !hindrance.isEmpty())
        out.rows.push_back({tr("a graph break"), tr("not resumable"), hindrance, {}});
    return out;
}

/// Lists are read from their new end: a list of thousands is at a step what it was at the one before, but for
/// its last rows.
class Newest {
public:
    Newest(std::optional<StepIndex> before, std::size_t most)
        : m_before(before)
        , m_most(most) {}

    [[nodiscard]] bool isNew(StepIndex made) const {
        return m_before && made != dynamo::noStep && made >= *m_before;
    }
    /// Whether another row that came at a step is listed.
    [[nodiscard]] bool wants(StepIndex made) const { return m_rows.size() < m_most || isNew(made); }
    void add(StateRow row, StepIndex made) {
        row.from = made;
        if (isNew(made)) row.change = diff::Change::Added;
        m_rows.push_back(std::move(row));
    }
    /// As a section that has `count` rows in all.
    [[nodiscard]] StateSection section(const QString& title, const QString& none, std::size_t count) {
        StateSection out{title, none, {}};
        if (count > m_rows.size()) {
            out.earlier = count - m_rows.size();
            StateRow more{tr("%1 earlier").arg(numberText(out.earlier)), {}, tr("Enter lists them"), {}};
            more.more = true;
            m_rows.push_back(std::move(more));
        }
        out.rows.assign(std::make_move_iterator(m_rows.rbegin()), std::make_move_iterator(m_rows.rend()));
        return out;
    }

private:
    std::optional<StepIndex> m_before;
    std::size_t m_most;
    std::vector<StateRow> m_rows; ///< the newest first
};

StateSection guardSection(const Recording& recording, const State& state, Newest newest) {
    for (std::size_t i = state.guards.size(); i-- > 0;) {
        const dynamo::GuardState& guard = state.guards[i];
        if (guard.gone) continue;
        if (!newest.wants(guard.step)) break;
        const QString source = toQString(recording.text(guard.name));
        StateRow row{source.isEmpty() ? toQString(recording.text(guard.source)) : source,
                     toQString(recording.text(guard.create)), toQString(recording.text(guard.who)),
                     stepText(guard.step) + placeAt(recording, guard.step)};
        if (!source.isEmpty() && !source.contains(u' ')) row.condition = QStringLiteral("guard on ") + source;
        newest.add(std::move(row), guard.step);
    }
    return newest.section(tr("Guards so far"), tr("none"), state.guardCount);
}

StateSection storeSection(const Recording& recording, const State& state, Newest newest) {
    for (std::size_t i = state.mutations.size(); i-- > 0 && newest.wants(dynamo::noStep);)
        newest.add(changedRow(recording, state, state.mutations[i]), dynamo::noStep);
    for (std::size_t i = state.stores.size(); i-- > 0 && newest.wants(state.stores[i].step);) {
        const dynamo::Store& store = state.stores[i];
        StateRow row = rowOf(recording, state, store.value,
                             toQString(dynamo::valueText(recording, state, store.object)) + u'.' +
                                 toQString(recording.text(store.name)));
        row.note = stepText(store.step);
        newest.add(std::move(row), store.step);
    }
    return newest.section(tr("Side effects"), tr("none"), state.stores.size() + state.mutations.size());
}

std::vector<StateRow> symbolRows(const Recording& recording, const State& state) {
    std::vector<StateRow> out;
    for (const dynamo::SymbolState& symbol : state.symbols)
        out.push_back({toQString(recording.text(symbol.name)), toQString(recording.text(symbol.hint)),
                       toQString(recording.text(symbol.range)), toQString(recording.text(symbol.sources))});
    return out;
}

StateSection factSection(const Recording& recording, const State& state, Newest newest) {
    for (std::size_t i = state.facts.size(); i-- > 0 && newest.wants(state.facts[i].step);) {
        const dynamo::Fact& fact = state.facts[i];
        newest.add({toQString(recording.text(fact.kind)),
                    {},
                    toQString(recording.text(fact.text)),
                    stepText(fact.step)},
                   fact.step);
    }
    return newest.section(tr("Facts"), tr("none"), state.facts.size());
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

std::vector<StateSection> stateSections(const Recording& recording, StepIndex step, std::size_t level,
                                        std::size_t most) {
    const dynamo::FrameInfo& info = recording.frames()[recording.steps()[step].frame];
    const std::optional<StepIndex> before = previousInFrame(recording, step);
    FrameRows earlier;
    if (before && level == 0) {
        const State* state = recording.stateAt(*before);
        if (const FrameState* frame = state ? state->frameState(info.id) : nullptr)
            earlier = frameRows(recording, *state, *frame);
    }
    const State* state = recording.stateAt(step);
    if (!state) return {};
    const std::vector<const FrameState*> frames = dynamo::callStack(*state);
    if (level >= frames.size()) return {};
    FrameRows now = frameRows(recording, *state, *frames[level]);
    if (before && level == 0) {
        markStack(now.stack, earlier.stack);
        const auto locals = byName(earlier.locals), cells = byName(earlier.cells);
        for (StateRow& row : now.locals)
            mark(row, locals);
        for (StateRow& row : now.cells)
            mark(row, cells);
        addDeleted(now.locals, earlier.locals);
        addDeleted(now.cells, earlier.cells);
    }
    for (StateRow& row : now.stack)
        row.note.clear();
    return {{tr("Value stack"), tr("empty"), std::move(now.stack)},
            blockSection(recording, *state, *frames[level]),
            {tr("Locals"), tr("none set"), std::move(now.locals)},
            {tr("Cells and free variables"), tr("none"), std::move(now.cells)},
            guardSection(recording, *state, {before, most}),
            storeSection(recording, *state, {before, most})};
}

std::vector<StateSection> symbolSections(const Recording& recording, StepIndex step, std::size_t most) {
    const std::optional<StepIndex> before = previousInFrame(recording, step);
    const State* state = recording.stateAt(step);
    if (!state) return {};
    return {{tr("Symbols"), tr("none: every size is a constant so far"), symbolRows(recording, *state)},
            factSection(recording, *state, {before, most})};
}

std::vector<StateSection> changedSections(const std::vector<StateSection>& sections) {
    std::vector<StateSection> out;
    for (const StateSection& section : sections) {
        StateSection changed{section.title, section.none, {}};
        for (const StateRow& row : section.rows)
            if (row.change != diff::Change::Same) changed.rows.push_back(row);
        if (!changed.rows.empty()) out.push_back(std::move(changed));
    }
    return out;
}

QString happeningsText(const Recording& recording, StepIndex step) {
    QStringList out;
    const dynamo::StepInfo& info = recording.steps()[step];
    if (info.has(dynamo::Happening::Node)) out << tr("adds to the graph");
    if (info.has(dynamo::Happening::Guard)) out << tr("adds guards");
    if (info.has(dynamo::Happening::SideEffect)) out << tr("side effect");
    if (info.has(dynamo::Happening::Symbol)) out << tr("makes a symbol");
    for (const std::uint32_t event : recording.eventsAt(step))
        out << eventText(recording.events()[event]);
    return out.join(QStringLiteral(", "));
}

QString opOf(const Recording& recording, StepIndex step) {
    const dynamo::Instruction* at = recording.instructionAt(step);
    return at ? toQString(at->op) : tr("this step");
}

QString changedBy(const Recording& recording, StepIndex step) {
    const std::optional<StepIndex> before = previousInFrame(recording, step);
    return before ? opOf(recording, *before) : QString();
}

} // namespace dynascope::views
