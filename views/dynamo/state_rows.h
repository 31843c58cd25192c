// SPDX-License-Identifier: BSD-3-Clause
//
// What Dynamo held at a step, as rows: value stack, locals, cells, guards, side effects, symbols, with what
// the step before it changed.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/dynamo/recording.h"

#include <QString>
#include <vector>

namespace dynascope::views {

struct StateRow {
    QString name;
    QString kind; ///< of the tracker: "TensorVariable"
    QString text; ///< what it stands for
    QString note; ///< "step 12": where a guard or a store came from
    diff::Change change = diff::Change::Same;
    dynamo::StepIndex from = dynamo::noStep; ///< the step that the row came from, where that is known
    QString condition = {}; ///< of a breakpoint that halts where such a row appears; may be empty
    bool more = false;      ///< stands for earlier rows that are left out

    friend bool operator==(const StateRow&, const StateRow&) = default;
};

struct StateSection {
    QString title;
    QString none; ///< shown where there are no rows
    std::vector<StateRow> rows;
    std::size_t earlier = 0; ///< rows that are left out; the first row then says so

    [[nodiscard]] std::size_t count() const { return earlier == 0 ? rows.size() : rows.size() - 1 + earlier; }
};

/// How many guards, stores and facts are listed, the newest ones, unless the step before made more.
inline constexpr std::size_t newestRows = 200;

/// The state before a step's instruction, in the frame that the instruction belongs to, or in one that called
/// it: `level` frames out. The innermost frame is compared with the state at the step before it in the same
/// attempt, if there is one; what was popped since stands struck out.
[[nodiscard]] std::vector<StateSection> stateSections(const dynamo::Recording& recording,
                                                      dynamo::StepIndex step, std::size_t level = 0,
                                                      std::size_t most = newestRows);
/// Symbols of the shape environment, and what is known of them.
[[nodiscard]] std::vector<StateSection> symbolSections(const dynamo::Recording& recording,
                                                       dynamo::StepIndex step, std::size_t most = newestRows);
/// Of other sections the rows that changed.
[[nodiscard]] std::vector<StateSection> changedSections(const std::vector<StateSection>& sections);

/// The op of a step's instruction: "CALL".
[[nodiscard]] QString opOf(const dynamo::Recording& recording, dynamo::StepIndex step);
/// The op of the step before it in its frame, whose changes stateSections() marks; empty where it is the first.
[[nodiscard]] QString changedBy(const dynamo::Recording& recording, dynamo::StepIndex step);

/// "node max_1, guard L['x'], graph break: Data-dependent branching": what happened in the course of a step.
/// Empty where nothing did.
[[nodiscard]] QString happeningsText(const dynamo::Recording& recording, dynamo::StepIndex step);

} // namespace dynascope::views
