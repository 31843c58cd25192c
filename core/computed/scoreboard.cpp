// SPDX-License-Identifier: BSD-3-Clause
//
// The scoreboard of a phase: made on demand from the table before the op.
#include "core/computed/functional_recording.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace dynascope::computed {

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

} // namespace

/// One scoreboard: the table at the phase first, then what of it is shown.
class FunctionalRecording::Board {
public:
    Board(const FunctionalRecording& recording, int op, const OpPhase& phase)
        : m_recording(recording)
        , m_op(op)
        , m_phase(phase)
        , m_written(recording.m_written[std::size_t(op)])
        , m_before(recording.tableBefore(std::size_t(op)))
        , m_after(m_before)
        , m_own(recording.canonical(recording.source(op).name)) {
        using Kind = OpPhase::Kind;
        recording.advance(m_after, std::size_t(op));
        const bool writing = m_written >= 0;
        m_output = recording.source(op).op == ir::Op::Output;
        m_committed = writing && (phase.kind == Kind::Commit || phase.kind == Kind::Apply);
        // The return reads everything at once.
        m_done = writing ? phase.kind == Kind::Apply || phase.kind == Kind::WriteBack
                         : m_output || phase.kind != Kind::Read;
        recording.source(op).forEachInput(
            [&](const std::string& input) { m_inputs.insert(recording.canonical(input)); });
        if (writing) findTarget();
        for (const EmittedNode& e : step().emitted)
            if (e.why == Emission::Operator) m_emitted = e.node;
        makeTable();
    }

    [[nodiscard]] Scoreboard make() const {
        Scoreboard board;
        const auto begun =
            std::partition_point(m_recording.m_groups.begin(), m_recording.m_groups.end(), [&](int group) {
                return m_recording.m_members.at(group).front() < m_table.rows.size();
            });
        const auto count = std::size_t(begun - m_recording.m_groups.begin());
        for (std::size_t number = 0; number < count; ++number)
            addStorage(int(number), count <= fewStorages, board);
        return board;
    }

private:
    [[nodiscard]] const OpStep& step() const { return m_recording.step(m_op); }
    [[nodiscard]] bool isRead(const std::string& value) const { return m_inputs.contains(value); }

    /// The written tensor: the in-place result, else an input on that storage that the op left current.
    void findTarget() {
        if (const Held* held = m_recording.find(m_after, m_own); held && held->row.storage == m_written) {
            m_target = m_own;
            return;
        }
        for (const std::string& input : m_inputs)
            if (const Held* held = m_recording.find(m_after, input);
                held && held->row.storage == m_written &&
                held->row.generation == held->row.storageGeneration) {
                m_target = input;
                return;
            }
    }

    template <typename F>
    void change(std::size_t at, const F& fn) {
        Held held = *m_table.rows[at];
        fn(held.row);
        m_table.rows[at] = std::make_shared<const Held>(std::move(held));
    }

    /// As it stands at this phase: before the op, what it read made current, what it wrote queued.
    void makeTable() {
        m_table = m_done ? m_after : m_before;
        const OpPhase& first = m_recording.phases(m_op).front();
        const OpPhase* read = first.kind == OpPhase::Kind::Read && !first.emitted.empty() ? &first : nullptr;
        if (m_phase.kind == OpPhase::Kind::Read && read)
            for (const std::string& input : m_inputs)
                if (const Held* held = m_recording.find(m_before, input);
                    held && held->row.generation < held->row.storageGeneration)
                    m_regenerated.insert(input);
        if (m_done) return;
        if (read) makeCurrent(*read);
        if (!m_committed) return;
        for (const std::size_t member : m_recording.members(m_table, m_written))
            change(member, [&](ScoreRow& row) {
                ++row.storageGeneration;
                if (row.value == m_target && !m_emitted.empty()) row.current = m_emitted;
            });
    }

    void makeCurrent(const OpPhase& read) {
        for (const std::string& input : m_inputs) {
            const Held* now = m_recording.find(m_table, input);
            if (!now || now->row.generation == now->row.storageGeneration) continue;
            change(m_recording.m_position.at(input), [&](ScoreRow& row) {
                const Held* then = m_recording.find(m_after, input);
                if (m_written >= 0 && input == m_target)
                    row.current = step().emitted[read.emitted.back()].node;
                else if (then && !m_output)
                    row.current = then->row.current;
                row.generation = row.storageGeneration;
            });
        }
    }

    [[nodiscard]] bool isInput(const std::string& value) const {
        const int made = m_recording.opOf(value);
        return made >= 0 && m_recording.source(made).op == ir::Op::Placeholder;
    }

    [[nodiscard]] bool isReadLater(const std::string& value) const {
        const auto reads = m_recording.m_reads.find(value);
        return reads != m_recording.m_reads.end() && reads->second.back() > m_op;
    }

    [[nodiscard]] static std::vector<double> valuesIn(const Table& table, int group) {
        const auto known = table.storages.find(group);
        return known == table.storages.end() ? std::vector<double>() : known->second->values;
    }

    /// The storage that is `number`-th in order of appearance, with the values on it that matter.
    void addStorage(int number, bool isFew, Scoreboard& board) const {
        const int group = m_recording.m_groups[std::size_t(number)];
        std::vector<const Held*> shown;
        const Held* base = nullptr;
        bool active = false;
        for (const std::size_t member : m_recording.members(m_table, group)) {
            const Held& held = *m_table.rows[member];
            if (held.row.views.empty() && !base) base = &held;
            const bool touched = isRead(held.row.value) || held.row.value == m_own;
            active |= touched;
            // An input goes on living with the caller.
            const bool lives = isFew && isInput(held.row.value);
            if (touched || lives || isReadLater(held.row.value)) shown.push_back(&held);
        }
        if (shown.empty()) return;
        const bool isIdle = !active && m_recording.m_lastGeneration.at(group) == 0 && shown.size() < 2;
        // What the op touches is never left out.
        if ((isIdle && !isFew) || (!active && group != m_written && board.storages.size() >= mostStorages)) {
            ++board.hiddenStorages;
            return;
        }
        StorageState storage = storageState(number, group, *shown.front(), base ? *base : *shown.front());
        for (const Held* held : shown)
            board.views.push_back(viewState(*held, storage, group));
        board.storages.push_back(std::move(storage));
    }

    [[nodiscard]] StorageState storageState(int number, int group, const Held& first,
                                            const Held& base) const {
        StorageState storage;
        storage.group = number;
        storage.base = first.row.base;
        storage.origin = m_recording.m_origin.at(group);
        storage.isInput = isInput(storage.origin);
        storage.generation = first.row.storageGeneration;
        storage.lastGeneration = m_recording.m_lastGeneration.at(group);
        const bool isWritten = m_committed && group == m_written;
        const std::vector<double> now = valuesIn(isWritten ? m_after : m_table, group);
        storage.count = std::max(sizeOf(base.row), std::int64_t(now.size()));
        for (std::size_t i = 0; i < now.size(); ++i)
            storage.cells.push_back({std::int64_t(i), now[i], now[i], false, Cell::State::Current});
        if (isWritten) markWritten(group, storage);
        return storage;
    }

    void markWritten(int group, StorageState& storage) const {
        const Held* held = m_recording.find(m_after, m_target);
        for (const std::int64_t cell : held ? held->row.cells : std::vector<std::int64_t>())
            if (std::size_t(cell) < storage.cells.size())
                storage.cells[std::size_t(cell)].state = Cell::State::Written;
        const std::vector<double> old = valuesIn(m_before, group);
        for (std::size_t i = 0; i < std::min(old.size(), storage.cells.size()); ++i) {
            Cell& cell = storage.cells[i];
            cell.before = old[i];
            cell.changed = !sameNumber(cell.before, cell.value);
            if (cell.changed) cell.state = Cell::State::Written;
        }
        if (m_done) return;
        storage.pending = true;
        storage.pendingText = m_emitted;
        for (const QueuedUpdate& update : step().updates)
            if (update.storage == group && !update.views.empty())
                storage.pendingText = update.value + " through " + chainText(update.views);
    }

    [[nodiscard]] TensorViewState viewState(const Held& held, const StorageState& storage, int group) const {
        const ScoreRow& row = held.row;
        const bool isWritten = m_committed && group == m_written;
        TensorViewState view;
        view.value = row.value;
        view.current = row.current;
        view.chain = chainText(row.views);
        view.group = storage.group;
        view.generation = row.generation;
        view.behind = row.storageGeneration - row.generation;
        view.syncing = isWritten && !m_done && view.value == m_target;
        if (view.behind > 0)
            view.changedBy = !held.changedBy.empty() ? held.changedBy
                             : m_committed           ? m_recording.source(m_op).name
                                                     : std::string();
        view.active = isRead(view.value) || view.value == m_own;
        view.readNow = m_regenerated.contains(view.value);
        if (const auto reads = m_recording.m_reads.find(view.value); reads != m_recording.m_reads.end()) {
            const auto next = std::upper_bound(reads->second.begin(), reads->second.end(), m_op);
            if (next != reads->second.end()) view.nextRead = m_recording.source(*next).name;
        }
        view.count = std::max(sizeOf(row), std::int64_t(row.cells.size()));
        std::tie(view.firstCell, view.lastCell) = extentOf(row);
        for (std::size_t i = 0; i < std::min(row.cells.size(), row.values.size()); ++i) {
            const std::int64_t index = row.cells[i];
            Cell cell{index, row.values[i], row.values[i], false, Cell::State::Current};
            const bool known = index >= 0 && std::size_t(index) < storage.cells.size();
            const double there = known ? storage.cells[std::size_t(index)].value : cell.value;
            if (isWritten && view.value == m_target) {
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
        return view;
    }

    const FunctionalRecording& m_recording;
    const int m_op;
    const OpPhase& m_phase;
    const int m_written; ///< the group that the op writes, or -1
    const Table m_before;
    Table m_after, m_table;
    const std::string m_own; ///< the value that the op gives
    bool m_output = false, m_committed = false, m_done = false;
    std::set<std::string> m_inputs, m_regenerated;
    std::string m_target, m_emitted;
};

namespace {

/// All of a few cells; of many those that are written or stale, with their numbers, else the first ones.
template <typename Text>
std::string cellsText(const std::vector<Cell>& cells, const Text& text) {
    constexpr std::size_t few = 64, most = 32, first = 8;
    std::string out;
    if (cells.size() <= few) {
        for (const Cell& cell : cells)
            out += ' ' + text(cell);
        return out;
    }
    std::size_t told = 0, left = 0;
    for (const Cell& cell : cells) {
        if (cell.state != Cell::State::Written && cell.state != Cell::State::Stale) continue;
        if (told++ < most)
            out += " [" + std::to_string(cell.index) + "] " + text(cell);
        else
            ++left;
    }
    if (left > 0) out += " … " + std::to_string(left) + " more like these";
    for (std::size_t i = 0; told == 0 && i < first; ++i)
        out += ' ' + text(cells[i]);
    return out + (told == 0 ? " …" : "") + " of " + std::to_string(cells.size()) + " cells";
}

} // namespace

Scoreboard FunctionalRecording::scoreboard(int op, int phase) const {
    if (op < 0 || op >= opCount()) return {};
    const auto& all = phases(op);
    return Board(*this, op, all[std::size_t(std::clamp(phase, 0, int(all.size()) - 1))]).make();
}

std::string scoreboardText(const Scoreboard& board) {
    std::string out;
    const auto number = [](auto n) { return std::to_string(n); };
    for (const StorageState& storage : board.storages) {
        out += "storage " + number(storage.group) + ", base " + storage.base + ", generation " +
               number(storage.generation) + " of " + number(storage.lastGeneration) + ':';
        out += cellsText(storage.cells, [](const Cell& cell) {
            return (cell.changed ? cellText(cell.before) + "→" : std::string()) + cellText(cell.value);
        });
        out += '\n';
        if (storage.pending) out += "  pending: " + storage.pendingText + '\n';
    }
    for (const TensorViewState& view : board.views) {
        out += view.value + " (storage " + number(view.group) + ", " +
               (view.chain.empty() ? "base" : view.chain) + ") is " + view.current + ", generation " +
               number(view.generation) + ", " +
               (view.behind > 0 ? number(view.behind) + " behind" : std::string("current")) + ':';
        out += cellsText(view.cells, [](const Cell& cell) {
            return cellText(cell.value) + (cell.state == Cell::State::Stale ? "!" : "");
        });
        out += '\n';
    }
    if (board.hiddenStorages > 0) out += number(board.hiddenStorages) + " other storages\n";
    return out;
}

} // namespace dynascope::computed
