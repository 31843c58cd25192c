// SPDX-License-Identifier: BSD-3-Clause
//
// What each rank calls in a compile. Where ranks break the graph of a function in different places, in all that it was
// broken into: a call that one of them makes in the function another makes in a frame that resumes it, or that it
// calls.
#include "core/base/text.h"
#include "core/ranks/parts.h"

#include <algorithm>

namespace dynascope::ranks::detail {

namespace {

using session::Phase;

/// How far a graph is from what runs: the later the greater. 0 where it is none of forward, or of backward.
int levelOf(const session::Stage& stage, bool backward) {
    if (stage.phase == (backward ? Phase::PostGradBackward : Phase::PostGradForward)) return 3;
    if (backward ? stage.phase == Phase::Backward
                 : stage.phase == Phase::Forward || stage.phase == Phase::Inference)
        return 2;
    return !backward && stage.phase == Phase::Dynamo ? 1 : 0;
}

/// The last graph of forward, or of backward, that all ranks of a row have.
std::string graphThatRuns(const Reader& reader, const Row& row, bool backward) {
    std::string best;
    int bestLevel = 0;
    const session::Compile& compile = compileOf(reader, row, row.present.front());
    for (const std::string& label : row.common) {
        const session::StagePtr stage = stageOf(compile, label);
        const int level = stage ? levelOf(*stage, backward) : 0;
        if (level == 0 || level < bestLevel) continue;
        best = label;
        bestLevel = level;
    }
    return best;
}

/// With whom a rank sends and receives is its own.
std::string keyOf(const Collective& call, const std::string& group) {
    return call.call() + '|' + group + '|' + std::to_string(call.groupSize.value_or(-1)) + '|' +
           (call.pointToPoint ? std::string() : call.rest) + '|' + joined(call.inputs, ",") + '>' +
           joined(call.outputs, ",") + '\n';
}

/// What one rank calls in one compile of the program.
struct Calls {
    std::vector<Call> calls;
    std::vector<Move> moves;
    bool unreadable = false;

    void add(Reader& reader, std::size_t row, std::size_t rank, const session::StagePtr& stage) {
        const Reading& reading = reader.read(*stage, rank);
        unreadable = unreadable || !reading.form;
        for (std::size_t i = 0; i < reading.collectives.size(); ++i) {
            calls.push_back({reading.collectives[i], stage, row});
            if (!reading.transfers[i].empty())
                moves.push_back({&reading.collectives[i], &reading.transfers[i], stage});
        }
    }
};

/// The last graph of forward, or of backward, of one compile at `level` or before it; null where it has none.
session::StagePtr stageAt(const session::Compile& compile, bool backward, int level) {
    session::StagePtr out;
    int best = 0;
    for (const session::StagePtr& stage : compile.stages) {
        if (stage->content != session::Stage::Content::Graph || stage != stageOf(compile, stage->label()))
            continue;
        const int of = levelOf(*stage, backward);
        if (of == 0 || of < best || of > level) continue;
        best = of;
        out = stage;
    }
    return out;
}

/// Whether a rank's part has a graph, and how late the last of forward is.
int levelOf(const session::Compile& compile) {
    const session::StagePtr stage = stageAt(compile, false, 3);
    return stage ? levelOf(*stage, false) : 0;
}

/// Reads the lanes of rows. Those of a function that ranks broke apart in different places are at the function.
class LaneReader {
public:
    LaneReader(Reader& reader, std::vector<Row>& rows, const TaskContext& task, Report& out)
        : m_reader(reader)
        , m_rows(rows)
        , m_task(task)
        , m_out(out)
        , m_keys(reader.ranks().size(), "calls:")
        , m_names(m_keys.size()) {
        for (const Row& row : rows)
            m_all += row.present.size();
    }

    void run() {
        for (std::size_t i = 0; i < m_rows.size() && !m_task.cancelled(); ++i) {
            if (m_rows[i].parts.empty())
                readRow(i);
            else if (!m_rows[i].inner)
                readParts(i);
        }
        m_out.collectives = groupsOf(m_reader.ranks(), m_keys);
    }

private:
    void readRow(std::size_t index) {
        Row& row = m_rows[index];
        const std::array<std::string, 2> labels = {graphThatRuns(m_reader, row, false),
                                                   graphThatRuns(m_reader, row, true)};
        for (const std::size_t rank : row.present) {
            if (m_task.cancelled()) return;
            m_task.report("Reading the ranks' graphs", m_read++, m_all);
            Calls calls;
            for (const std::string& label : labels)
                if (const session::StagePtr stage = stageOf(compileOf(m_reader, row, rank), label))
                    calls.add(m_reader, index, rank, stage);
            take(row, rank, std::move(calls));
        }
        finish(row, labels[0].empty() && row.present.size() > 1 && !row.partial.empty()
                        ? "its ranks have no graph in common"
                        : "");
    }

    void readParts(std::size_t index) {
        Row& row = m_rows[index];
        int level = 3; // of the last graph that each part of each rank has, if it has any
        std::vector<std::vector<std::size_t>> parts;
        for (const std::size_t rank : row.present) {
            parts.push_back(partsOn(m_reader, m_rows, index, rank));
            for (const std::size_t part : parts.back())
                if (const int of = levelOf(compileOf(m_reader, m_rows[part], rank)); of > 0)
                    level = std::min(level, of);
        }
        for (std::size_t i = 0; i < row.present.size(); ++i) {
            if (m_task.cancelled()) return;
            m_task.report("Reading the ranks' graphs", m_read++, m_all);
            const std::size_t rank = row.present[i];
            const auto stage = [&](std::size_t part, bool backward) {
                return stageAt(compileOf(m_reader, m_rows[part], rank), backward, level);
            };
            Calls calls;
            for (const std::size_t part : parts[i])
                if (const session::StagePtr forward = stage(part, false))
                    calls.add(m_reader, part, rank, forward);
            // Backward runs them the other way round.
            for (std::size_t k = parts[i].size(); k-- > 0;)
                if (const session::StagePtr backward = stage(parts[i][k], true))
                    calls.add(m_reader, parts[i][k], rank, backward);
            take(row, rank, std::move(calls));
        }
        finish(row, {});
    }

    void take(Row& row, std::size_t rank, Calls calls) {
        m_unreadable = m_unreadable || calls.unreadable;
        if (!calls.moves.empty()) row.moves[rank] = std::move(calls.moves);
        std::string key;
        if (!calls.calls.empty()) m_keys[rank] += row.shown.id + ' ';
        for (const Call& call : calls.calls) {
            key += keyOf(call.what, call.what.group);
            const std::string number = std::to_string(m_names[rank].size());
            m_keys[rank] +=
                keyOf(call.what, m_names[rank].try_emplace(call.what.group, number).first->second);
        }
        const auto [at, isNew] = m_laneOf.try_emplace(std::move(key), row.shown.lanes.size());
        if (isNew) row.shown.lanes.push_back({{}, std::move(calls.calls)});
        row.shown.lanes[at->second].ranks.push_back(m_reader.ranks()[rank]);
    }

    void finish(Row& row, std::string_view why) {
        m_laneOf.clear();
        std::ranges::stable_sort(row.shown.lanes, std::ranges::greater(),
                                 [](const Lane& lane) { return lane.ranks.size(); });
        if (std::ranges::all_of(row.shown.lanes, [](const Lane& lane) { return lane.calls.empty(); }))
            row.shown.lanes.clear();
        if (m_unreadable)
            m_out.notes.push_back(row.shown.id +
                                  ": a graph cannot be read; its collectives are not compared");
        else if (!why.empty())
            m_out.notes.push_back(row.shown.id + ": " + std::string(why) + "; collectives are not compared");
        m_unreadable = false;
    }

    Reader& m_reader;
    std::vector<Row>& m_rows;
    const TaskContext& m_task;
    Report& m_out;
    std::vector<std::string> m_keys;                         ///< of all calls, by rank
    std::vector<std::map<std::string, std::string>> m_names; ///< of groups, by rank: by first use
    std::map<std::string, std::size_t> m_laneOf;             ///< of the row that is read
    bool m_unreadable = false;
    std::size_t m_read = 0, m_all = 0;
};

} // namespace

void readLanes(Reader& reader, std::vector<Row>& rows, const TaskContext& task, Report& out) {
    LaneReader(reader, rows, task, out).run();
}

} // namespace dynascope::ranks::detail
