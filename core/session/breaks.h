// SPDX-License-Identifier: BSD-3-Clause
//
// Graph breaks of a whole session, grouped by distinct reason and ranked by what they cost.
#pragma once

#include "core/session/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

/// A way out of a graph break. `kind` is one short word for a chip.
struct WayOut {
    std::string kind;  ///< "remove", "setting", "rewrite", "move out", "report", "leave", "read"
    std::string title; ///< "Remove the call"
    std::string text;  ///< one or two sentences
    std::string code;  ///< a setting or snippet to copy; may be empty
};

/// Of a way out that is a setting of torch._dynamo.config with a value: the setting as `dynascope-cli capture
/// --set` takes it ("capture_scalar_outputs=True", "reorderable_logging_functions+=print"). Empty for others.
[[nodiscard]] std::string settingToTry(const WayOut& way);

/// A file of an installed package or of Python itself, as its path says: nothing that the program's author edits.
[[nodiscard]] bool isInstalled(std::string_view file);
/// Where the program calls what breaks the graph, if that is in a package or in Python itself; null otherwise.
[[nodiscard]] const ir::SourceLocation* callerInProgram(const GraphBreak& graphBreak);

struct BreakOccurrence {
    std::size_t compile = 0; ///< index into Session::compiles
    std::size_t index = 0;   ///< into Compile::breaks
};

/// All breaks of one cause at one user line. The same text at two lines is two groups.
struct BreakGroup {
    std::string reason; ///< short, for a table: "Builtin print cannot be traced"
    ir::SourceLocation location;
    std::vector<BreakOccurrence> occurrences;
    /// Compile time of the frames that exist only because of these breaks: an upper bound, since a later
    /// break would have cut the graph as well. Seconds.
    double secondsAfter = 0;
    /// Bytes of the tensors that the resumed frames take in, summed; symbolic sizes count by their hints.
    std::uint64_t bytesHandedOver = 0;
    std::vector<std::size_t> framesAfter; ///< indices into Session::compiles
    std::vector<WayOut> waysOut;          ///< best first; empty for a break that the live bar asked for
    std::size_t skips = 0;                ///< occurrences after which the whole function runs eagerly
    std::size_t skipsRest = 0;            ///< occurrences after which the rest of the function does
};

/// What became of the code after the breaks of a group, in a sentence or two, as far as the capture shows it.
[[nodiscard]] std::string afterwards(const BreakGroup& group);

struct BreakSummary {
    std::vector<BreakGroup> groups; ///< by secondsAfter, descending
    std::size_t breaks = 0;
    std::size_t compiles = 0, recompiles = 0;
    double compileSeconds = 0, secondsAfterBreaks = 0;
};

/// Breaks that Dynamo made again after a restart are counted once. Linear in the session's size.
[[nodiscard]] BreakSummary summarizeBreaks(const Session& session);
/// Which group to look at first: the costliest that the program can do something about, else the costliest. An index;
/// 0 where there is none.
[[nodiscard]] std::size_t firstToChange(const BreakSummary& summary);

/// How the calls of one frame were cut into graphs: rows for the "how the breaks cut f" picture.
struct CutPiece {
    std::size_t compile = 0;      ///< index into Session::compiles
    std::vector<std::string> ops; ///< up to four op names of its graph, first distinct ones
    double seconds = 0;
    int breakLine = 0;            ///< line of the break that ends it; 0 if it returns
    std::size_t group = SIZE_MAX; ///< into BreakSummary::groups
};
struct CutRow {
    std::size_t root = 0; ///< index into Session::compiles: whose graph was cut
    std::string
        label; ///< "Compiled first"; with several functions "loss_of", "loss_of, again", "loss_of, the rest again"
    std::string detail; ///< "x f32[8, 8]"
    std::vector<CutPiece> pieces;
};
[[nodiscard]] std::vector<CutRow> cutRows(const Session& session, const BreakSummary& summary);

} // namespace dynascope::session
