// SPDX-License-Identifier: BSD-3-Clause
//
// A run of CUDA-graph trees as rows: its events, and what was found about each input that a function writes.
#pragma once

#include "core/replay/tree_run.h"
#include "views/base/row_table.h"

namespace dynascope::views {

/// "#9" of a recording, "warm-up 2" of a warm-up, "no node".
[[nodiscard]] QString treeNodeName(replay::NodeId node);
/// "f1": its name, or what it is called by.
[[nodiscard]] QString treeFunctionName(const replay::TreeRun& run, replay::FunctionId function);
/// What a step was, in two or three words: "call f1", "new generation".
[[nodiscard]] QString treeEventName(const replay::TreeRun& run, std::size_t step);
/// What came of it: "record", "re-record", "replay"; empty for what is no call.
[[nodiscard]] QString treeActionName(const replay::TreeStep& step);
[[nodiscard]] Tone treeActionTone(const replay::TreeStep& step);
/// Why it went as it did; a sentence or two, empty where there is nothing to say.
[[nodiscard]] QString treeWhy(const replay::TreeRun& run, std::size_t step);
/// The name of an input, "input 3" where it has none; "output 1 of #9".
[[nodiscard]] QString treeInputName(const replay::TreeRun& run, replay::FunctionId function,
                                    std::size_t input);
[[nodiscard]] QString treeOutputName(replay::OutputAt output);
/// "fast", "slow" or empty.
[[nodiscard]] QString mutationPathName(replay::TreeStep::MutationPath path);

enum class EventColumn { Number, Event, Action, Node, Check, Why };
[[nodiscard]] std::vector<TableColumn> eventColumns();
[[nodiscard]] std::vector<TableRow> eventRows(const replay::TreeRun& run);

/// Why recordings were made anew, one row for each input that stood elsewhere or output that was still alive,
/// of each recording that did not fit.
struct Rerecord {
    std::size_t step = 0;
    const replay::InvariantCheck* cause = nullptr;  ///< of the run
    std::size_t moved = SIZE_MAX, alive = SIZE_MAX; ///< into the lists of the cause
};
/// Of the steps before `position`. Points into `run`.
[[nodiscard]] std::vector<Rerecord> rerecordsOf(const replay::TreeRun& run, std::size_t position);
enum class RerecordColumn { Event, Function, Recording, Invariant, What, Recorded, Now, Counts };
[[nodiscard]] std::vector<TableColumn> rerecordColumns();
[[nodiscard]] std::vector<TableRow> rerecordRows(const replay::TreeRun& run,
                                                 const std::vector<Rerecord>& list);

/// What is known of one input of one function after the steps before a position.
struct RunInput {
    replay::FunctionId function = 0;
    std::size_t input = 0;
    bool fixed = false, written = false;
    std::array<std::size_t, 4> found{}; ///< by category: how often the slow path found it
    std::size_t lookedAt = SIZE_MAX;    ///< the last step that did
    std::size_t lost = 0; ///< how often it was found to be any other tensor after it had been a recorded one
    replay::MutationCategory last = replay::MutationCategory::None;
};
struct RunFunction {
    std::size_t slow = 0, fast = 0; ///< checks
};
struct RunCategories {
    std::vector<RunInput> inputs;       ///< by function and ordinal
    std::vector<RunFunction> functions; ///< by function
};
/// Linear in the steps and their inputs.
[[nodiscard]] RunCategories runCategories(const replay::TreeRun& run, std::size_t position);

enum class RunInputColumn { Function, Input, Category, Slow, Fast, Found, Lost, Last, WrittenBy, Why };
[[nodiscard]] std::vector<TableColumn> runInputColumns();
[[nodiscard]] std::vector<TableRow> runInputRows(const replay::TreeRun& run, const RunCategories& categories);

} // namespace dynascope::views
