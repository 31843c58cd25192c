// SPDX-License-Identifier: BSD-3-Clause
//
// What PyTorch's flight recorder says of one process: the collectives that it called, in order, how far each one
// got, and from where it was called. core/capture/flight_reader.h reads it; here it is joined to what the ranks
// compiled. Any thread.
#pragma once

#include "core/ranks/ranks.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dynascope::ranks {

struct FlightEntry {
    std::string group; ///< name of the process group: "0"
    std::uint64_t sequence =
        0;             ///< n-th collective of its group, from 1; of point-to-point calls another count
    std::string name;  ///< "gloo:all_reduce", "nccl:send 0->1"
    std::string state; ///< "scheduled", "started", "completed"
    std::vector<std::string> inputs, outputs; ///< "Float[8, 32]"
    bool pointToPoint = false;
    /// Completed, or retired: Gloo's never say "completed". One that failed is retired as well.
    bool finished = false;
    std::uint64_t createdNs = 0; ///< when it was called, since 1970; 0 where the dump does not say
    ir::StackTrace frames;       ///< innermost first; empty where the dump has none

    /// "all_reduce": the name without its backend.
    [[nodiscard]] std::string kind() const;
};

struct FlightDump {
    int rank = -1;    ///< by the file's name; -1 where that says none
    std::string file; ///< that it was read from
    std::string version;
    /// When it was written, since 1970, as Dynascope's recorder adds it; 0 in any other dump.
    std::uint64_t dumpedNs = 0;
    std::vector<FlightEntry> entries;
    std::map<std::string, std::vector<int>>
        members; ///< ranks by process group, as far as the dump lists them
};

/// A rank in a collective that did not end.
struct Waiting {
    int rank = 0;
    std::string collective; ///< "all_reduce"
    std::uint64_t sequence = 0;
    std::string group;
    std::string compile; ///< "2/1"; empty where it was not found to be of one
    std::string node;    ///< of the graph after Inductor's passes; may be empty
    std::string file;    ///< the program's; empty where unknown
    std::uint32_t line = 0;
    std::uint32_t outputLine = 0; ///< of the output code, from 1; 0 where it was not called from there
    std::vector<int> missing;     ///< members of the group that never reached it
    std::string text;             ///< all of it as a sentence, without a full stop
    std::size_t at = none;        ///< into Session::compiles
    session::StagePtr stage;      ///< of `node`; may be null
};

/// Where an entry was called from.
struct FlightPlace {
    std::string compile, node, file;
    std::uint32_t line = 0, outputLine = 0;
    std::size_t at = none;
    session::StagePtr stage;
};

/// Finds the places of entries in what one session's ranks compiled: by the file and line of output code in their
/// frames, else by the program's line and the kind of collective, else by the first line of a function that was
/// compiled once, which is what code that Dynamo made has. For one thread; refers to both.
class FlightPlaces {
public:
    FlightPlaces(const session::Session& session, const Report& report);
    [[nodiscard]] FlightPlace find(int rank, const FlightEntry& entry) const;

private:
    struct Code {
        std::size_t compile = none;
        session::StagePtr stage;
        std::map<std::uint32_t, Collective> lines; ///< of the code, from 1; the node of each
        session::StagePtr graph;                   ///< of those nodes; null where they do not fit the lines
    };
    [[nodiscard]] FlightPlace inCode(const Code& code, const ir::SourceLocation& frame) const;
    void setCompile(FlightPlace& place, const CompileRow& row, int rank) const;
    [[nodiscard]] FlightPlace byFunction(int rank, const FlightEntry& entry,
                                         const FlightPlace& otherwise) const;
    void addCode(std::size_t compile, const session::StagePtr& stage);

    const session::Session& m_session;
    const Report& m_report;
    std::map<std::pair<int, std::string>, Code> m_codes; ///< by rank and file name
};

/// Adds what the dumps say: `report.waiting`, reasons for ranks that will never go on and for calls of one number that
/// are not the same call, and the verdict that follows. Time grows with the entries but for a logarithm.
void addFlight(const session::Session& session, const std::vector<FlightDump>& dumps, Report& report);

} // namespace dynascope::ranks
