// SPDX-License-Identifier: BSD-3-Clause
//
// A trace as a table: a column for each level of the compiler, from the line of the program to the lines of
// generated code, and a band of rows for each compile.
#pragma once

#include "views/workspace/trace.h"

#include <QString>
#include <array>
#include <optional>
#include <vector>

namespace dynascope::views {

enum class Level : std::uint8_t { Source, Dynamo, Aot, PostGrad, Kernels, Code };
inline constexpr std::size_t levelCount = 6;
/// The level of a stage's nodes; Kernels for generated code.
[[nodiscard]] Level levelOf(session::Phase phase);

/// A cell of the table.
struct ProvenanceItem {
    enum class Kind : std::uint8_t {
        Heading, ///< the stages that the nodes below are of
        Note,    ///< why a level is empty
        Line,
        Node,
        Kernel,
        Code,
    };
    Kind kind = Kind::Note;
    QString text, detail;
    session::LinkEvidence evidence = session::LinkEvidence::Selected;
    bool recorded = false;                   ///< PyTorch wrote the link down; else it is our alignment
    bool asked = false;                      ///< what was asked about
    std::vector<int> stages;                 ///< Node: all that have it alike, in order. Kernel, Code: one
    std::string name;                        ///< Node: the same in all of `stages`
    ir::OpKind opKind = ir::OpKind::Compute; ///< Node
    std::string file;                        ///< Line
    std::uint32_t line = 0, last = 0;        ///< Line, Kernel, Code: from 1
};

struct ProvenanceRow {
    int compile = -1; ///< into Session::compiles
    QString band;     ///< heads the rows of a compile, across all columns; then there are no items
    std::array<std::optional<ProvenanceItem>, levelCount> items;
};

/// `asked` tells which items were asked about. Bands only where `banded`. Reads graphs that the traces have
/// read already.
[[nodiscard]] std::vector<ProvenanceRow> provenanceRows(const session::Session& session,
                                                        const std::vector<CompileTrace>& traces,
                                                        const Subject& asked, bool banded);

/// How many links of these rows are recorded, and how many are our alignment; what was asked about is
/// neither.
struct EvidenceCounts {
    std::size_t recorded = 0, aligned = 0;
};
[[nodiscard]] EvidenceCounts countEvidence(const std::vector<ProvenanceRow>& rows);

} // namespace dynascope::views
