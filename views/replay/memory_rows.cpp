// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/memory_rows.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using replay::HeldFor;
using replay::MemoryChange;
using replay::MemoryUse;

/// "85 to 250", for a column about nodes.
QString shortLife(const ReplayMemory& memory, const HeldFor& held) {
    if (held.workspace) return QString::number(held.node);
    if (held.last >= memory.of().recording.nodes.size()) return tr("%1 to end").arg(held.node);
    return tr("%1 to %2").arg(held.node).arg(held.last);
}

/// "nodes 85 to 250", as the reader counts them on the axis.
QString lifeText(const ReplayMemory& memory, const HeldFor& held) {
    if (held.use == MemoryUse::Caller) return tr("before and after");
    if (held.workspace) return tr("node %1 only").arg(held.node);
    if (held.last >= memory.of().recording.nodes.size()) return tr("node %1 to the end").arg(held.node);
    return tr("nodes %1 to %2").arg(held.node).arg(held.last);
}

QString lastReader(const ReplayMemory& memory, const HeldFor& held) {
    const auto& nodes = memory.of().recording.nodes;
    return held.last < nodes.size() ? toQString(nodes[held.last].name) : QString();
}

std::vector<double> nodeStarts(const ReplayMemory& memory, bool measured) {
    const std::size_t nodes = memory.of().recording.nodes.size();
    std::vector<double> took(nodes, measured ? 0 : 1);
    if (measured)
        for (const replay::NodeTime& time : memory.of().run.nodes)
            took[time.node] = time.us.median;
    std::vector<double> out{0};
    for (const double one : took)
        out.push_back(out.back() + one);
    if (out.size() == 1) out.push_back(1);
    return out;
}

} // namespace

const ir::Node* ReplayMemory::node(std::size_t life) const {
    const std::uint32_t at = memory.held[life].node;
    if (at >= of().recording.nodes.size()) return nullptr;
    const ir::NodeIndex index = of().graph->find(of().recording.nodes[at].name);
    return index == ir::npos ? nullptr : &of().graph->node(index);
}

QString ReplayMemory::nodeName(std::size_t life) const {
    const std::uint32_t at = memory.held[life].node;
    return at < of().recording.nodes.size() ? toQString(of().recording.nodes[at].name) : QString();
}

QString ReplayMemory::shownName(std::size_t life) const {
    const std::uint32_t at = memory.held[life].node;
    if (at >= of().recording.nodes.size()) return {};
    const ir::NodeIndex index = of().graph->find(of().recording.nodes[at].name);
    const bool known = index < of().names.size() && !of().names[index].empty();
    return known ? toQString(of().names[index]) : nodeName(life);
}

QString memoryUseName(MemoryUse use) {
    switch (use) {
    case MemoryUse::SavedForBackward:
        return tr("saved for backward");
    case MemoryUse::ForwardTemporary:
        return tr("forward temporary");
    case MemoryUse::ForwardOutput:
        return tr("forward output");
    case MemoryUse::BackwardTemporary:
        return tr("backward temporary");
    case MemoryUse::Gradient:
        return tr("gradient");
    case MemoryUse::Caller:
        return tr("input or parameter");
    }
    return {};
}

QString memoryUseShort(MemoryUse use) {
    switch (use) {
    case MemoryUse::SavedForBackward:
        return tr("saved");
    case MemoryUse::ForwardTemporary:
    case MemoryUse::BackwardTemporary:
        return tr("temporary");
    case MemoryUse::ForwardOutput:
        return tr("output");
    case MemoryUse::Gradient:
        return tr("gradient");
    case MemoryUse::Caller:
        return tr("input");
    }
    return {};
}

QString memoryUseMeaning(MemoryUse use) {
    switch (use) {
    case MemoryUse::SavedForBackward:
        return tr("Made in forward and kept until backward has read it: what checkpointing can save.");
    case MemoryUse::ForwardTemporary:
        return tr("Read by later nodes of forward only; its place is used again after the last of them.");
    case MemoryUse::ForwardOutput:
        return tr("Returned to the caller; lives to the end.");
    case MemoryUse::BackwardTemporary:
        return tr("Read by later nodes of backward only.");
    case MemoryUse::Gradient:
        return tr("A result of backward; lives to the end.");
    case MemoryUse::Caller:
        return tr("The caller's memory, not the arena's: no plan makes it smaller.");
    }
    return {};
}

Tone memoryUseTone(MemoryUse use) {
    switch (use) {
    case MemoryUse::SavedForBackward:
        return Tone::Saved;
    case MemoryUse::ForwardTemporary:
        return Tone::Temporary;
    case MemoryUse::ForwardOutput:
        return Tone::Output;
    case MemoryUse::BackwardTemporary:
        return Tone::Write;
    case MemoryUse::Gradient:
        return Tone::Gradient;
    case MemoryUse::Caller:
        return Tone::None;
    }
    return Tone::None;
}

MemoryChart::Look memoryLook(const HeldFor& held) {
    const bool callers = held.use == MemoryUse::Caller;
    return {callers ? -1 : int(held.use), !callers && (held.workspace || !held.planned), diff::Change::Same};
}

static constexpr qsizetype longestName = 400; // in a tool tip

QString memoryTip(const ReplayMemory& memory, std::size_t life) {
    const HeldFor& held = memory.memory.held[life];
    const session::MemoryLife& block = memory.memory.timeline.lives[life];
    const ir::Node* node = memory.node(life);
    QString out =
        QStringLiteral("<p style='white-space:pre'><b>%1</b>   %2")
            .arg(shownText(memory.shownName(life), longestName).toHtmlEscaped(), bytesText(block.bytes));
    if (node) {
        QString what = toQString(node->target);
        if (node->meta && node->meta->tensor) what += u' ' + toQString(node->meta->tensor->shortForm());
        out += u'\n' + shownText(what, longestName).toHtmlEscaped();
    }
    out += u'\n' + lifeText(memory, held) + QStringLiteral(", ") + memoryUseName(held.use);
    if (held.workspace) out += QStringLiteral(", ") + tr("workspace of its operator");
    if (!held.planned && held.use != MemoryUse::Caller)
        out += QStringLiteral(", ") + tr("of the heap at each replay");
    if (node && node->location())
        out += u'\n' + shownText(placeText(*node->location()), longestName).toHtmlEscaped();
    return out + QStringLiteral("</p><p>") + memoryUseMeaning(held.use);
}

Facts memoryFacts(const ReplayMemory& memory, std::size_t life) {
    const HeldFor& held = memory.memory.held[life];
    const session::MemoryLife& block = memory.memory.timeline.lives[life];
    const ir::Node* node = memory.node(life);
    const QString name = memory.nodeName(life);
    Facts out;
    out.title = memory.shownName(life);
    out.subtitle = {quiet(tr("%1, %2").arg(bytesText(block.bytes), memoryUseName(held.use)))};
    Section where;
    where.title = tr("Storage");
    where.facts.push_back(fact(tr("Bytes"), {mono(numberText(block.bytes))}));
    if (held.use == MemoryUse::Caller)
        where.facts.push_back(fact(tr("Place"), {text(tr("with the caller"))}));
    else if (held.planned)
        where.facts.push_back(fact(tr("Place"), {mono(numberText(block.place)), quiet(tr(" in the arena"))},
                                   tr("Bytes from the beginning of the arena: the same at every replay")));
    else
        where.facts.push_back(fact(tr("Place"), {text(tr("of the heap"))},
                                   tr("Its node runs eagerly: what it allocates cannot be foreseen")));
    where.facts.push_back(fact(tr("Lives"), {text(lifeText(memory, held))}));
    if (const QString last = lastReader(memory, held); !held.workspace && !last.isEmpty() && last != name)
        where.facts.push_back(fact(tr("Last reader"), {monoLink(last, QStringLiteral("node:") + last)},
                                   tr("After it the place is free for others")));
    where.facts.push_back(paragraph({quiet(memoryUseMeaning(held.use))}));
    if (held.workspace)
        where.facts.push_back(paragraph({quiet(
            tr("Workspace: allocated by the operator for itself and given back before it returned."))}));
    out.sections.push_back(std::move(where));
    Section made;
    made.title = tr("Made by");
    made.facts.push_back(fact(tr("Node"), {monoLink(name, QStringLiteral("node:") + name)}));
    if (node) {
        if (!node->target.empty()) made.facts.push_back(fact(tr("Target"), {mono(toQString(node->target))}));
        if (node->meta && node->meta->tensor)
            made.facts.push_back(fact(tr("Value"), {mono(toQString(node->meta->tensor->shortForm()))}));
        if (node->location())
            made.facts.push_back(
                fact(tr("Line"), {monoLink(placeText(*node->location()), QStringLiteral("line:") + name)}));
    }
    out.sections.push_back(std::move(made));
    return out;
}

std::vector<double> memoryPositions(const ReplayMemory& memory, bool measured) {
    return replay::momentPositions(memory.memory.nodeAt, nodeStarts(memory, measured));
}

double memoryBoundary(const ReplayMemory& memory, bool measured) {
    if (memory.memory.firstBackward >= memory.of().recording.nodes.size()) return -1;
    return nodeStarts(memory, measured)[memory.memory.firstBackward];
}

std::vector<TableColumn> aliveColumns() {
    return {{tr("Node"), tr("The node that made the storage; Return shows it in its graph"), 240},
            {tr("Size"), tr("As the allocator gives it"), 90, true},
            {tr("Kind"), tr("What the storage is for; the colour says of which half"), 110},
            {tr("Nodes"), tr("From the node that makes it to the last one that reads it"), 120},
            {tr("Line"), tr("The line of the program that makes it"), 200}};
}

std::vector<std::size_t> aliveAt(const ReplayMemory& memory, std::size_t moment) {
    std::vector<std::size_t> out;
    const auto& lives = memory.memory.timeline.lives;
    for (std::size_t i = 0; i < lives.size(); ++i)
        if (memory.memory.held[i].use != MemoryUse::Caller && lives[i].begin <= moment &&
            moment < lives[i].end)
            out.push_back(i);
    std::stable_sort(out.begin(), out.end(),
                     [&](std::size_t a, std::size_t b) { return lives[a].bytes > lives[b].bytes; });
    return out;
}

std::vector<TableRow> aliveRows(const ReplayMemory& memory, const std::vector<std::size_t>& lives) {
    std::vector<TableRow> out;
    using Look = TableCell::Look;
    const std::uint64_t most =
        lives.empty() ? 1 : std::max<std::uint64_t>(memory.memory.timeline.lives[lives.front()].bytes, 1);
    for (const std::size_t life : lives) {
        const HeldFor& held = memory.memory.held[life];
        const std::uint64_t bytes = memory.memory.timeline.lives[life].bytes;
        const ir::Node* node = memory.node(life);
        const ir::SourceLocation* at = node ? node->location() : nullptr;
        TableRow row{{memory.nodeName(life), Look::Mono},
                     {bytesText(bytes), Look::Mono},
                     {memoryUseShort(held.use), Look::Chip, memoryUseTone(held.use),
                      memoryUseName(held.use) + QStringLiteral(": ") + memoryUseMeaning(held.use)},
                     {shortLife(memory, held), Look::Mono},
                     {at ? placeText(*at) : QString(), Look::Link}};
        row[std::size_t(AliveColumn::Bytes)].sort = qulonglong(bytes);
        row[std::size_t(AliveColumn::Bytes)].share = double(bytes) / double(most);
        row[std::size_t(AliveColumn::Life)].sort = held.node;
        out.push_back(std::move(row));
    }
    return out;
}

diff::Change changeState(MemoryChange::Kind kind) {
    switch (kind) {
    case MemoryChange::Kind::Same:
        return diff::Change::Same;
    case MemoryChange::Kind::Moved:
        return diff::Change::Moved;
    case MemoryChange::Kind::Lifetime:
    case MemoryChange::Kind::Resized:
        return diff::Change::Changed;
    case MemoryChange::Kind::Removed:
        return diff::Change::Removed;
    case MemoryChange::Kind::Added:
        return diff::Change::Added;
    }
    return diff::Change::Same;
}

std::vector<TableColumn> changeColumns() {
    return {{tr("Node"), tr("The node that makes the storage, by its name in both recordings"), 240},
            {tr("What"), tr("What is different"), 130},
            {tr("Before"), tr("Size in the other recording"), 90, true},
            {tr("Now"), tr("Size in this recording"), 90, true},
            {tr("Lives"), tr("From which node to which, before and now"), 320}};
}

std::vector<TableRow> changeRows(const ReplayMemory& before, const ReplayMemory& now,
                                 const std::vector<MemoryChange>& changes) {
    using Look = TableCell::Look;
    struct Words {
        const char* text;
        Tone tone;
        const char* tip;
    };
    const auto words = [](MemoryChange::Kind kind) -> Words {
        switch (kind) {
        case MemoryChange::Kind::Moved:
            return {"↕ moved", Tone::None, "The same, at another place in the arena"};
        case MemoryChange::Kind::Lifetime:
            return {"~ lifetime", Tone::Warn, "Another node reads it last"};
        case MemoryChange::Kind::Resized:
            return {"~ size", Tone::Warn, "As large as another shape or dtype makes it"};
        case MemoryChange::Kind::Removed:
            return {"− gone", Tone::Bad, "Only the other recording has it"};
        case MemoryChange::Kind::Added:
            return {"+ new", Tone::Good, "Only this recording has it"};
        default:
            return {"= same", Tone::None, "At the same place, as large and as long"};
        }
    };
    std::vector<TableRow> out;
    for (const MemoryChange& change : changes) {
        const bool was = change.before != SIZE_MAX, is = change.now != SIZE_MAX;
        const auto bytes = [](const ReplayMemory& of, std::size_t life) {
            return of.memory.timeline.lives[life].bytes;
        };
        const QString lived = was ? lifeText(before, before.memory.held[change.before]) : QString();
        const QString lives = is ? lifeText(now, now.memory.held[change.now]) : QString();
        const Words said = words(change.kind);
        TableRow row{{is ? now.nodeName(change.now) : before.nodeName(change.before), Look::Mono},
                     {tr(said.text), Look::Chip, said.tone, tr(said.tip)},
                     {was ? bytesText(bytes(before, change.before)) : QString(), Look::Mono},
                     {is ? bytesText(bytes(now, change.now)) : QString(), Look::Mono},
                     {lived == lives || lived.isEmpty() ? lives
                      : lives.isEmpty()                 ? lived
                                                        : tr("%1, now %2").arg(lived, lives),
                      Look::Text}};
        if (was) row[2].sort = qulonglong(bytes(before, change.before));
        if (is) row[3].sort = qulonglong(bytes(now, change.now));
        out.push_back(std::move(row));
    }
    return out;
}

} // namespace dynascope::views
