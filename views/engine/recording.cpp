// SPDX-License-Identifier: BSD-3-Clause
//
// What a recording says at each phase: tables after each op, worked out once, and a scoreboard on demand.
#include "views/engine/functional_run.h"
#include "views/engine/op_story.h"
#include "views/models/labels.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <set>

namespace dynascope::views {

namespace {

constexpr std::size_t fewStorages = 12; ///< up to here all are shown
constexpr std::size_t mostStorages = 48;

/// Elements by shape; 0 where that is not known.
std::int64_t sizeOf(const ScoreRow& row) {
    std::int64_t count = row.shape.empty() ? std::int64_t(row.cells.size()) : 1;
    for (const std::int64_t size : row.shape)
        if (size < 0 || __builtin_mul_overflow(count, size, &count)) return 0;
    return count;
}

/// First and last element of its memory that a tensor reaches.
std::pair<std::int64_t, std::int64_t> extentOf(const ScoreRow& row) {
    std::int64_t least = row.offset, most = row.offset;
    for (std::size_t d = 0; d < std::min(row.shape.size(), row.stride.size()); ++d) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(std::max<std::int64_t>(row.shape[d] - 1, 0), row.stride[d], &reach) ||
            __builtin_add_overflow(reach < 0 ? least : most, reach, reach < 0 ? &least : &most))
            return {row.offset, row.offset};
    }
    return {least, most};
}

/// NaN equals NaN here.
bool sameNumber(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool sameView(const ScoreRow& a, const ScoreRow& b) {
    return a.storage == b.storage && a.current == b.current && a.generation == b.generation &&
           a.views == b.views;
}

} // namespace

Recording::Recording(FunctionalRun run)
    : m_run(std::move(run)) {
    workOut();
}

const ir::Node& Recording::source(int op) const {
    return m_run.source->node(ir::NodeIndex(op));
}

ir::NodeIndex Recording::find(const std::string& node) const {
    return m_run.graph ? m_run.graph->find(node) : ir::npos;
}

QString Recording::nameOf(const std::string& node) const {
    const auto at = m_run.program.names.find(node);
    return at == m_run.program.names.end() ? toQString(node) : at->second;
}

QString Recording::statementText(int op) const {
    const auto& of = m_run.program.statementOf;
    const ir::Node& node = source(op);
    if (node.op == ir::Op::CallFunction && std::size_t(op) < of.size() && of[std::size_t(op)] >= 0)
        return m_run.program.statements[std::size_t(of[std::size_t(op)])].text;
    return callText(node);
}

int Recording::opOf(const std::string& node) const {
    const ir::NodeIndex i = m_run.source->find(node);
    return i == ir::npos ? -1 : int(i);
}

bool Recording::isDead(const std::string& name) const {
    const ir::NodeIndex i = find(name);
    if (i == ir::npos || !m_run.graph->users(i).empty()) return false;
    const ir::Node& node = m_run.graph->node(i);
    if (node.op == ir::Op::Placeholder || node.op == ir::Op::Output) return false;
    return ir::opKind(node) != ir::OpKind::Write;
}

int Recording::deadCount(int op) const {
    const auto& emitted = step(op).emitted;
    return int(
        std::count_if(emitted.begin(), emitted.end(), [&](const EmittedNode& e) { return isDead(e.node); }));
}

int Recording::keptCount() const {
    if (!m_run.graph) return 0;
    // As dce removes them: from the end, so that a dead node's inputs may die with it.
    const ir::Graph& graph = *m_run.graph;
    std::vector<char> live(graph.size());
    int kept = 0;
    for (std::size_t i = graph.size(); i-- > 0;) {
        const ir::Node& node = graph.node(ir::NodeIndex(i));
        const auto users = graph.users(ir::NodeIndex(i));
        live[i] = node.op == ir::Op::Placeholder || node.op == ir::Op::Output ||
                  ir::opKind(node) == ir::OpKind::Write ||
                  std::any_of(users.begin(), users.end(), [&](ir::NodeIndex u) { return live[u] != 0; });
        kept += live[i];
    }
    return kept;
}

std::pair<int, int> Recording::emittedAt(const std::string& node) const {
    const auto at = m_where.find(node);
    return at == m_where.end() ? std::pair(-1, -1) : at->second;
}

const std::string& Recording::canonical(const std::string& value) const {
    const auto at = m_canonical.find(value);
    return at == m_canonical.end() ? value : at->second;
}

void Recording::workOut() {
    const ir::Graph& source = *m_run.source;
    const std::size_t count = m_run.steps.size();
    m_phases.resize(count);
    m_written.resize(count, -1);

    Table table;
    for (std::size_t op = 0; op < count; ++op) {
        const ir::Node& node = source.node(ir::NodeIndex(op));
        OpStep& step = m_run.steps[op];
        node.forEachInput([&](const std::string& input) {
            auto& reads = m_reads[canonical(input)];
            if (reads.empty() || reads.back() != int(op)) reads.push_back(int(op));
        });
        if (node.op == ir::Op::Placeholder) step.emitted.clear(); // itself
        // An in-place op returns the tensor that it wrote.
        const auto own = std::find_if(step.rows.begin(), step.rows.end(),
                                      [&](const ScoreRow& row) { return row.value == node.name; });
        if (own != step.rows.end())
            for (const ScoreRow& row : step.rows) {
                if (row.value == node.name || !sameView(row, *own)) continue;
                m_canonical[node.name] = canonical(row.value);
                break;
            }
        for (const ScoreRow& row : step.rows) {
            const std::string& value = canonical(row.value);
            if (m_origin.emplace(row.storage, value).second) m_groups.push_back(row.storage);
            if (const auto [at, isNew] = m_position.emplace(value, m_position.size()); isNew)
                m_members[row.storage].push_back(at->second);
        }
        if (op % tableInterval == 0) m_tables.push_back(table);
        m_written[op] = advance(table, op);
        findPhases(op);
    }
    for (const auto& [group, storage] : table.storages)
        m_lastGeneration[group] = storage->generation;
}

void Recording::findPhases(std::size_t op) {
    const OpStep& step = m_run.steps[op];
    const ir::Node& node = m_run.source->node(ir::NodeIndex(op));
    auto& phases = m_phases[op];
    if (node.op == ir::Op::Placeholder) {
        phases.push_back(OpPhase{OpPhase::Kind::Wrap, {}});
        return;
    }
    const bool output = node.op == ir::Op::Output, writing = m_written[op] >= 0;
    std::vector<std::size_t> read, made, apply, back;
    bool leading = true;
    for (std::size_t i = 0; i < step.emitted.size(); ++i) {
        const Emission why = step.emitted[i].why;
        leading &= why == Emission::Regeneration;
        if (why == Emission::WriteBack)
            back.push_back(i);
        else if (leading || (output && back.empty()))
            read.push_back(i);
        else if (why == Emission::Operator || !writing)
            made.push_back(i);
        else
            apply.push_back(i);
    }
    if (output || writing || !read.empty()) phases.push_back(OpPhase{OpPhase::Kind::Read, std::move(read)});
    if (!output) phases.push_back(OpPhase{OpPhase::Kind::Emit, std::move(made)});
    if (writing) {
        phases.push_back(OpPhase{OpPhase::Kind::Commit, {}});
        phases.push_back(OpPhase{OpPhase::Kind::Apply, std::move(apply)});
    }
    if (!back.empty()) phases.push_back(OpPhase{OpPhase::Kind::WriteBack, std::move(back)});
    for (std::size_t p = 0; p < phases.size(); ++p)
        for (const std::size_t i : phases[p].emitted)
            m_where.emplace(step.emitted[i].node, std::pair(int(op), int(p)));
}

QString Recording::chainText(const std::vector<std::string>& views) {
    QStringList parts;
    for (const std::string& view : views)
        parts << toQString(view);
    return parts.join(QStringLiteral(" → "));
}

Scoreboard Recording::scoreboard(int op, int phase) const {
    Scoreboard board;
    if (op < 0 || op >= opCount()) return board;
    const Table before = tableBefore(std::size_t(op));
    Table after = before;
    advance(after, std::size_t(op));

    const auto& all = phases(op);
    phase = std::clamp(phase, 0, int(all.size()) - 1);
    const OpPhase::Kind kind = all[std::size_t(phase)].kind;
    const bool writing = writes(op), output = source(op).op == ir::Op::Output;
    const int written = m_written[std::size_t(op)];
    const bool committed = writing && (kind == OpPhase::Kind::Commit || kind == OpPhase::Kind::Apply);
    // The return reads everything at once.
    const bool done = writing ? kind == OpPhase::Kind::Apply || kind == OpPhase::Kind::WriteBack
                              : output || kind != OpPhase::Kind::Read;

    std::set<std::string> inputs;
    source(op).forEachInput([&](const std::string& input) { inputs.insert(canonical(input)); });
    const std::string& own = canonical(source(op).name);
    // The written tensor: the in-place result, else an input on that storage that the op left current.
    std::string target;
    if (writing) {
        if (const Held* held = find(after, own); held && held->row.storage == written) target = own;
        for (const std::string& input : inputs)
            if (const Held* held = find(after, input); target.empty() && held &&
                                                       held->row.storage == written &&
                                                       held->row.generation == held->row.storageGeneration)
                target = input;
    }

    const OpPhase* read = all.front().kind == OpPhase::Kind::Read ? &all.front() : nullptr;
    std::set<std::string> regenerated;
    if (kind == OpPhase::Kind::Read && !read->emitted.empty())
        for (const std::string& input : inputs)
            if (const Held* held = find(before, input);
                held && held->row.generation < held->row.storageGeneration)
                regenerated.insert(input);
    Table table = done ? after : before;
    const auto change = [&](std::size_t at, const auto& fn) {
        Held held = *table.rows[at];
        fn(held.row);
        table.rows[at] = std::make_shared<const Held>(std::move(held));
    };
    if (!done && read && !read->emitted.empty())
        for (const std::string& input : inputs) {
            const Held* now = find(table, input);
            if (!now || now->row.generation == now->row.storageGeneration) continue;
            change(m_position.at(input), [&](ScoreRow& row) {
                const Held* then = find(after, input);
                if (writing && input == target)
                    row.current = step(op).emitted[read->emitted.back()].node;
                else if (then && !output)
                    row.current = then->row.current;
                row.generation = row.storageGeneration;
            });
        }
    std::string emitted;
    for (const EmittedNode& e : step(op).emitted)
        if (e.why == Emission::Operator) emitted = e.node;
    if (committed && !done)
        for (const std::size_t member : members(table, written)) {
            change(member, [&](ScoreRow& row) {
                ++row.storageGeneration;
                if (row.value == target && !emitted.empty()) row.current = emitted;
            });
        }

    const auto isInput = [&](const std::string& value) {
        const int made = opOf(value);
        return made >= 0 && source(made).op == ir::Op::Placeholder;
    };
    const auto lastUse = [&](const std::string& value) {
        const auto reads = m_reads.find(value);
        return reads == m_reads.end() ? -1 : reads->second.back();
    };
    const auto begun = std::partition_point(m_groups.begin(), m_groups.end(), [&](int group) {
        return m_members.at(group).front() < table.rows.size();
    });
    const auto groupCount = std::size_t(begun - m_groups.begin());
    for (std::size_t number = 0; number < groupCount; ++number) {
        const int group = m_groups[number];
        std::vector<const Held*> shown;
        bool active = false;
        for (const std::size_t member : members(table, group)) {
            const Held& held = *table.rows[member];
            const bool touched = inputs.contains(held.row.value) || held.row.value == own;
            active |= touched;
            // An input goes on living with the caller.
            const bool lives = groupCount <= fewStorages && isInput(held.row.value);
            if (touched || lives || lastUse(held.row.value) > op) shown.push_back(&held);
        }
        if (shown.empty()) continue;
        if ((!active && m_lastGeneration.at(group) == 0 && shown.size() < 2 && groupCount > fewStorages) ||
            board.storages.size() >= mostStorages) {
            ++board.hiddenStorages;
            continue;
        }
        const Held* base = nullptr;
        for (const std::size_t member : members(table, group)) {
            if (table.rows[member]->row.views.empty() && !base) base = table.rows[member].get();
        }

        StorageState storage;
        storage.group = int(number);
        storage.base = shown.front()->row.base;
        storage.origin = m_origin.at(group);
        storage.isInput = isInput(storage.origin);
        storage.generation = shown.front()->row.storageGeneration;
        storage.lastGeneration = m_lastGeneration.at(group);

        const bool isWritten = committed && group == written;
        const auto valuesIn = [group](const Table& in) {
            const auto known = in.storages.find(group);
            return known == in.storages.end() ? std::vector<double>() : known->second->values;
        };
        const std::vector<double> now = valuesIn(isWritten ? after : table);
        storage.count = sizeOf(base ? base->row : shown.front()->row);
        storage.count = std::max(storage.count, std::int64_t(now.size()));
        for (std::size_t i = 0; i < now.size(); ++i)
            storage.cells.push_back({std::int64_t(i), now[i], now[i], false, Cell::State::Current});
        if (isWritten) {
            const std::vector<double> old = valuesIn(before);
            const Held* held = find(after, target);
            for (const std::int64_t cell : held ? held->row.cells : std::vector<std::int64_t>())
                if (std::size_t(cell) < storage.cells.size())
                    storage.cells[std::size_t(cell)].state = Cell::State::Written;
            for (std::size_t i = 0; i < std::min(old.size(), storage.cells.size()); ++i) {
                Cell& cell = storage.cells[i];
                cell.before = old[i];
                cell.changed = !sameNumber(cell.before, cell.value);
                if (cell.changed) cell.state = Cell::State::Written;
            }
            if (!done) {
                storage.pending = true;
                storage.pendingText = toQString(emitted);
                for (const QueuedUpdate& update : step(op).updates)
                    if (update.storage == group && !update.views.empty())
                        storage.pendingText = QObject::tr("%1 through %2")
                                                  .arg(toQString(update.value), chainText(update.views));
            }
        }

        for (const Held* held : shown) {
            ViewState view;
            view.value = held->row.value;
            view.current = held->row.current;
            view.chain = chainText(held->row.views);
            view.group = int(number);
            view.generation = held->row.generation;
            view.behind = held->row.storageGeneration - held->row.generation;
            view.syncing = isWritten && !done && view.value == target;
            if (view.behind > 0)
                view.changedBy = !held->changedBy.empty() ? held->changedBy
                                 : committed              ? source(op).name
                                                          : std::string();
            view.active = inputs.contains(view.value) || view.value == own;
            view.readNow = regenerated.contains(view.value);
            if (const auto reads = m_reads.find(view.value); reads != m_reads.end()) {
                const auto next = std::upper_bound(reads->second.begin(), reads->second.end(), op);
                if (next != reads->second.end()) view.nextRead = source(*next).name;
            }
            view.count = std::max(sizeOf(held->row), std::int64_t(held->row.cells.size()));
            const auto [least, most] = extentOf(held->row);
            view.firstCell = least;
            view.lastCell = most;
            for (std::size_t i = 0; i < held->row.cells.size(); ++i) {
                const std::int64_t index = held->row.cells[i];
                Cell cell{index, held->row.values[i], held->row.values[i], false, Cell::State::Current};
                const bool known = index >= 0 && std::size_t(index) < storage.cells.size();
                const double there = known ? storage.cells[std::size_t(index)].value : cell.value;
                if (isWritten && view.value == target) {
                    cell.state = Cell::State::Written;
                    cell.value = there;
                } else if (view.behind > 0) {
                    if (!sameNumber(cell.value, there)) cell.state = Cell::State::Stale;
                } else {
                    cell.value = there; // current: it sees what the storage holds
                    if (view.readNow) cell.state = Cell::State::Regenerated;
                }
                view.cells.push_back(cell);
            }
            board.views.push_back(std::move(view));
        }
        board.storages.push_back(std::move(storage));
    }
    return board;
}

} // namespace dynascope::views
