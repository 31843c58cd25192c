// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of examine(). Used by core/ranks only.
#pragma once

#include "core/ranks/graph_form.h"
#include "core/ranks/ranks.h"
#include "core/ranks/transfers.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

namespace dynascope::ranks::detail {

/// A graph's text, read once however many ranks have it.
struct Reading {
    std::string digest;            ///< of the text, without what is a rank's own
    std::optional<GraphForm> form; ///< nothing where the text cannot be read as a graph
    std::vector<Collective> collectives;
    std::vector<Transfers> transfers; ///< of each of them
};

/// A call that sends or receives, or whose splits are known.
struct Move {
    const Collective* call = nullptr; ///< and `what`: of the Reader
    const Transfers* what = nullptr;
    session::StagePtr stage;
};

/// Reads the stages of a session. For one thread.
class Reader {
public:
    Reader(const session::Session& session, const std::vector<int>& ranks);

    [[nodiscard]] const session::Session& session() const { return m_session; }
    [[nodiscard]] const std::vector<int>& ranks() const { return m_ranks; }
    [[nodiscard]] int device(std::size_t rank) const {
        return m_devices[rank];
    } ///< own; -1 where none is named
    /// Of a program that half of the ranks or fewer ran later, into the same folder: no part of their common run.
    [[nodiscard]] bool isOfRunApart(const session::Compile& compile) const {
        return m_apart.contains(compile.id.run);
    }
    /// A sentence for each such run.
    [[nodiscard]] std::vector<std::string> runsApart() const;
    /// `rank` is an index into ranks(). Valid as long as this.
    [[nodiscard]] const Reading& read(const session::Stage& stage, std::size_t rank);
    /// A text without what is a rank's own: device, addresses, object ids.
    [[nodiscard]] std::string shared(std::string_view text, std::size_t rank) const;

private:
    const session::Session& m_session;
    const std::vector<int>& m_ranks;
    std::vector<int> m_devices;
    std::map<int, std::vector<const session::Run*>> m_apart;              ///< by their number
    std::unordered_map<std::string, std::unique_ptr<Reading>> m_readings; ///< by digest
};

/// One compile, with what is needed to judge it.
struct Row {
    CompileRow shown;
    std::size_t frame = 0; ///< as session::RankedCompile has it
    /// The same, but what ranks call between the parts of a function that others inline there has that one's.
    std::size_t function = 0;
    bool inner = false; ///< resumes a function, or is called between its parts
    /// By rank, where ranks break the graph of this function in different places: equal for those that break it in the
    /// same ones. Only their graphs are compared with each other; calls are those of all parts.
    std::vector<std::size_t> parts;
    std::vector<std::size_t> present; ///< ranks that have it, as indices into Report::ranks
    /// Labels of the last attempts' graphs that all of `present` have, in pipeline order.
    std::vector<std::string> common;
    /// Of the others: label, and which of `present` have it.
    std::vector<std::pair<std::string, std::vector<std::size_t>>> partial;
    std::map<std::size_t, std::vector<Move>>
        moves;                ///< by rank, as an index into Report::ranks; those that have any
    bool ranksNumber = false; ///< numbers were read as "the rank's own" to make ranks alike
};

[[nodiscard]] const session::Compile& compileOf(const Reader& reader, const Row& row, std::size_t rank);
/// Of the last attempt; null where there is none.
[[nodiscard]] session::StagePtr stageOf(const session::Compile& compile, std::string_view label);

[[nodiscard]] std::vector<Row> rowsOf(const Reader& reader);
/// Fills Row::common and Row::partial from the graphs of Row::present.
void findLabels(const Reader& reader, Row& row);
/// Which row a rank's own compile id is of. `rank` is an index.
class RowsByOwnId {
public:
    RowsByOwnId(const Reader& reader, const std::vector<Row>& rows);
    /// `none` for what is in no row.
    [[nodiscard]] std::size_t find(std::size_t rank, std::string_view id) const;
    /// What the report calls it: `id` for what is in no row.
    [[nodiscard]] std::string name(std::size_t rank, std::string id) const;

private:
    const std::vector<Row>& m_rows;
    std::vector<std::map<std::string, std::size_t, std::less<>>> m_rowOf; ///< by rank
};
/// Finds the functions that ranks break apart in different places.
void findParts(const Reader& reader, std::vector<Row>& rows);
/// The parts of a row's function on one rank: indices of rows in the order in which they first ran. Of another frame
/// the compile of the same number as the row's, or else its last one before.
[[nodiscard]] std::vector<std::size_t> partsOn(const Reader& reader, const std::vector<Row>& rows,
                                               std::size_t row, std::size_t rank);
/// Ranks whose graphs of a row can be compared with each other, most first: indices of ranks.
[[nodiscard]] std::vector<std::vector<std::size_t>> comparable(const Row& row);
/// Ranks by their number, of indices.
[[nodiscard]] std::vector<int> numbersOf(const Reader& reader, std::span<const std::size_t> indices);
/// A reason for ranks of a row, at the compile's own line until something better is known.
[[nodiscard]] Reason reasonAt(const Reader& reader, const Row& row, RanksVerdict verdict,
                              std::span<const std::size_t> ranks);
/// "calls" after one rank, "call" after several.
[[nodiscard]] std::string verb(std::size_t ranks, std::string_view plural);
/// Whether ranks that make these two calls of one process group meet in them, whatever they reduce by.
[[nodiscard]] bool fit(const Collective& a, const Collective& b);
/// " at train.py:40", " near train.py:40", or nothing.
[[nodiscard]] std::string placeWords(const Collective& collective);

/// Whether Dynamo's ranks talk to each other while they compile, by settings and records.
[[nodiscard]] bool compilerCollectives(const session::Session& session);

/// Leaves off where `task` is cancelled.
void readLanes(Reader& reader, std::vector<Row>& rows, const TaskContext& task, Report& out);
void judgeLanes(const Reader& reader, std::vector<Row>& rows, Report& out);
/// Compiles that ranks meet in another order at first.
void judgeOrder(const Reader& reader, const std::vector<Row>& rows, Report& out);
/// Says which ids are not those of the others, and where graphs break apart.
void noteIds(const Reader& reader, const std::vector<Row>& rows, Report& out);
void judgeTransfers(const Reader& reader, std::vector<Row>& rows, Report& out);
void judgeGraphs(Reader& reader, Row& row, Report& out);
void judgeCode(const Reader& reader, const Row& row, Report& out);
void judgeCompiling(const Reader& reader, const std::vector<Row>& rows, bool compilerCollectives,
                    Report& out);
void judgeCaches(const Reader& reader, const std::vector<Row>& rows, Report& out);
void judgeDevices(const Reader& reader, Report& out);
void readRecords(const Reader& reader, const std::vector<Row>& rows, Report& out);

/// Ranks with the same key together. `keys` by index; an empty key is of no group.
[[nodiscard]] RankGroups groupsOf(const std::vector<int>& ranks, const std::vector<std::string>& keys);

} // namespace dynascope::ranks::detail
