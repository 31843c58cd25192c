// SPDX-License-Identifier: BSD-3-Clause
//
// What can be found of a capture, as a table that is small enough to be kept: compiles, graph breaks, recompiles, guards,
// stages, FX nodes and kernels, with what the filter language asks of them. Immutable once made; any thread.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/session/session.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::find {

enum class Kind : std::uint32_t { Compile, Break, Recompile, Guard, Stage, Node, Kernel };
inline constexpr std::array kinds{Kind::Compile, Kind::Break, Kind::Recompile, Kind::Guard,
                                  Kind::Stage,   Kind::Node,  Kind::Kernel};
[[nodiscard]] std::string_view kindName(Kind kind); ///< "compile", "break", ...

/// An index into Entries::texts, whose first text is empty.
using TextId = std::uint32_t;

/// One row. All members are numbers of 32 bits, so that a list of rows is kept as it lies in memory.
struct Entry {
    Kind kind = Kind::Compile;
    std::uint32_t compile = 0; ///< into Entries::compiles
    TextId stage = 0;          ///< of nodes, kernels and stages: its label, "aot_joint_graph"
    /// What became of a node since the stage before ("added", "changed", "removed", "same"; empty where there is none), how a
    /// compile ended, "break", "recompile".
    TextId status = 0;
    TextId name = 0;   ///< of a node, kernel, stage, function, guard's type, or kind of break
    TextId op = 0;     ///< of a node: "call_function", and its kind, "writes"
    TextId target = 0; ///< of a node
    TextId meta = 0;   ///< of a node: "f32[4, 5][5, 1]cpu"
    TextId module = 0; ///< of a node: qualified name of its module, parameter or buffer
    TextId places = 0; ///< of the program, innermost last; see Places
    TextId text = 0;   ///< a guard's check, a break's explanation, the reason of a recompile
    friend bool operator==(const Entry&, const Entry&) = default;
};
static_assert(sizeof(Entry) == 11 * sizeof(std::uint32_t));

/// What rows share of their compile.
struct EntryCompile {
    std::string name; ///< "0/0", with rank and run where they are needed to tell it
    std::string id;   ///< "0/0"
    std::string function, status;
    int rank = 0;
    double seconds = 0;
};

struct Entries {
    std::vector<std::string> texts{std::string()};
    std::vector<EntryCompile> compiles;
    std::vector<Entry> rows; ///< by compile; of a compile breaks first, then stage by stage
    std::size_t unread = 0;  ///< stages whose graph cannot be read, and of which there are no nodes

    [[nodiscard]] const std::string& of(TextId id) const { return texts[id]; }
};

/// Reads every graph and holds each against the one that it was made from. What was cancelled is incomplete.
[[nodiscard]] Entries entriesOf(const session::Session& session, const TaskContext& task = {});

/// Entry::places as text and back; total.
[[nodiscard]] std::string packPlaces(const ir::StackTrace& places);
[[nodiscard]] ir::StackTrace unpackPlaces(std::string_view text);

/// Entries as bytes, and back. An Error where they are none, or were written by another version.
[[nodiscard]] std::string packEntries(const Entries& entries);
[[nodiscard]] Result<Entries> unpackEntries(std::string_view bytes);

} // namespace dynascope::find
