// SPDX-License-Identifier: BSD-3-Clause
//
// Which counting of compile ids a mention of one belongs to. Ids count from 0/0 in every process, and again
// after torch._dynamo.reset(), so that 0/0 alone may name several compiles.
#pragma once

#include "core/session/session.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

/// Numbers the runs of every rank, log after log. Not thread-safe.
class RunNumbers {
public:
    /// A record or message of a log.
    struct Mention {
        int rank = 0;
        session::CompileId id; ///< its run is what number() finds; may name no compile
        int attempt = -1;
        std::string_view once; ///< what an attempt writes once ("dynamo_start"); empty for anything else
        bool leads = false;    ///< may be written before the start of the compile that it names
        bool ends = false;     ///< what a compile writes once, at its end
        /// Where a backward that is compiled by itself, when it is first called, begins and ends; and that a
        /// compile made a backward graph, which then is compiled so.
        enum class Backward : std::uint8_t { None, Made, Begins, Ends } backward = Backward::None;
        /// The inputs of a backward graph, as they are printed: of one that was made, or that is compiled.
        std::string_view inputs;
        std::string_view process; ///< its number; the texts must outlive number() only
        std::size_t line = 0;     ///< from 1
    };
    /// A backward that may be of several runs.
    struct Unclear {
        session::CompileId id; ///< with the run that it was given to, the newest
        std::vector<int> runs; ///< that it may be of, ascending
        std::size_t line = 0;  ///< where it begins
    };

    /// Sets the run of each mention of one log, in its order. What an attempt writes once begins a run where
    /// it comes again, as do another process that compiles and another log. A compile that never starts, since
    /// the limit of recompiles is reached, ends all the same: the second end of an id is of the newest run. A
    /// backward that is compiled after its id began again goes to the run whose backward graph waits for it;
    /// where several wait, to the one whose graph has the same inputs, and where that does not tell to the newest: these are what is
    /// returned. Linear but for logarithms.
    std::vector<Unclear> number(std::vector<Mention>& log, const std::string& file);
    /// The same for a log in which no id can come twice: the number of its only run.
    int begin(int rank, const std::string& file, std::size_t line);

    /// By rank, then number.
    [[nodiscard]] std::vector<session::Run> runs() const;

private:
    int add(int rank, session::Run::Cause cause, const std::string& file, std::size_t line);

    std::map<int, std::vector<session::Run>> m_runs; ///< by rank
};

} // namespace dynascope::capture
