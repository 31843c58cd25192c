// SPDX-License-Identifier: BSD-3-Clause
//
// The method "pass": a graph through one pass or several, and what each of them did, node by node.
#pragma once

#include "core/engine/wire/wire.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace dynascope::wire {

/// Why functionalization put a node into its graph.
enum class Emission : std::uint8_t {
    Operator,     ///< the functional form of the source node itself
    Inverse,      ///< carries a pending update from a view back to its base
    Regeneration, ///< replays a view chain on the new base
    WriteBack,    ///< copies the final value into a changed input
};
/// "operator", "inverse", "regeneration", "write_back".
[[nodiscard]] std::string_view emissionName(Emission emission);
/// Nothing for the words of another pass.
[[nodiscard]] std::optional<Emission> emissionOf(std::string_view name);

struct EmittedNode {
    std::string node; ///< of the result; empty: none
    std::string why;  ///< in a few words; of functionalize an emissionName()
};

/// The source's node in a new form. Names are empty where there is no such node.
struct ChangedNode {
    std::string before, after, why;
};

/// A node of the source that the result lacks.
struct RemovedNode {
    std::string node;
    std::string replacement; ///< the result's node that its readers now read; empty where nothing reads it
    std::string why;
};

/// A part of a functionalize step, in the order in which the step went through them.
struct StepPhase {
    std::string phase;                    ///< "sync", "emit", "commit", "write_back"
    std::vector<std::string> nodes;       ///< of the result; none of a commit
    std::optional<int> storage, from, to; ///< of a commit: which storage, and its generations
};

/// One line of the scorecard: a tensor that a step read or made, as it stands after it. A tensor that no
/// later step lists keeps its row; it turns stale when its storage's generation rises.
struct ScoreRow {
    std::string value;              ///< the source node that holds the tensor
    std::string base, current;      ///< functional nodes: the storage's content, and the tensor's own
    std::vector<std::string> views; ///< its view chain from the base on: "select(dim 1, index 0)"
    int storage = 0;                ///< numbered from 0 in order of first sight
    int generation = 0, storageGeneration = 0;
    int pendingUpdates = 0;   ///< of the storage
    bool stale = false;       ///< a later write to the storage is not in `current` yet
    bool regenerated = false; ///< this step rebuilt it from the base
    std::vector<std::int64_t> shape, stride;
    std::int64_t offset = 0; ///< in elements
    /// With `cells` of the request, of small storages: the base's cells that it sees, in its own row-major
    /// order, and what it sees there, stale values included. As many of one as of the other.
    std::vector<std::int64_t> cells;
    std::vector<double> values;
};

/// A storage that a step touched, as it stands after it.
struct StorageRow {
    int storage = 0;
    std::string base; ///< the functional node that holds its content
    int generation = 0;
    int pendingUpdates = 0;     ///< that wait for the next reader
    std::vector<double> values; ///< with `cells`: its content, row-major; else empty
};

struct InverseCall {
    std::string node; ///< functional
    std::string text; ///< "select_scatter(mul, add, 1, 0)"
};

/// A write that a step queued on a storage.
struct QueuedUpdate {
    int storage = 0, from = 0, to = 0; ///< generations
    std::string value;                 ///< the functional node with the written value
    std::vector<std::string> views;    ///< that it was written through
    std::vector<InverseCall> inverse;  ///< the nodes that carry it back
};

/// What the scorecard says of a step of functionalize.
struct StepScorecard {
    std::vector<StepPhase> phases;
    std::vector<QueuedUpdate> updates;
    std::vector<StorageRow> storages;
    std::vector<ScoreRow> scorecard;
};

/// What normalize_ir says of a node: groups are storages, numbered from 1 in order of first sight.
struct StepAliases {
    std::vector<int> groups, mutates; ///< of its result; that it writes into
    bool isInputAlias = false, isInputMutation = false, isMutation = false;
    bool partialMutation = false; ///< writes through an index, or through what came from one
    std::string dtype, device;    ///< of the first result tensor; empty where there is none
};

/// What a pass did at one source node.
struct PassStep {
    std::string pass;
    std::string source, target; ///< of the graph before; empty for work on the graph as a whole
    std::uint64_t end = 0;      ///< size of the result after the step: the graph so far is that prefix of it
    std::string why;            ///< a sentence; empty where there is nothing to say
    std::vector<EmittedNode> emitted;
    std::vector<ChangedNode> changed;
    std::vector<RemovedNode> removed;
    std::optional<StepScorecard> scorecard; ///< of functionalize, with `scorecard` of the request
    std::optional<StepAliases> aliases;     ///< of normalize_ir, likewise
};

struct Geometry {
    std::vector<std::int64_t> shape, stride;
    std::int64_t offset = 0; ///< in elements
};

/// A changed input and how its new value gets there.
struct WriteBack {
    std::string input;
    std::uint64_t position = 0;     ///< among the inputs
    std::uint64_t bytes = 0;        ///< copied; 0 where only the geometry changes
    std::vector<std::string> how;   ///< in order: "resize_", "as_strided_", "copy_", "set_"
    std::vector<std::string> nodes; ///< of the graph, one for each of `how`; none where the caller writes
    std::optional<std::uint64_t> output; ///< which result holds the value, where the caller writes
    std::optional<Geometry> geometry;    ///< the input's after the call, where it changes
    bool wholeStorage = false;           ///< the value is all of the input's storage, flat
    std::vector<std::string> sharedWith; ///< other inputs in the memory that is written
};

struct FunctionalizeSummary {
    /// "pytorch": PyTorch's own kernels and graph; "cells": storages as flat cells, where PyTorch's graph
    /// would part from eager. Warnings name the cause.
    std::string method;
    std::vector<WriteBack> writeBacks; ///< one for each changed input
};

struct PassSummary {
    std::string pass;
    std::uint64_t nodesBefore = 0, nodesAfter = 0;
    double microseconds = 0;
    std::vector<std::string> warnings, notes;
    std::vector<std::pair<std::string, std::string>> provenance; ///< node before, node after
    std::optional<FunctionalizeSummary> functionalize;
    std::optional<std::int64_t> mutationsLeft; ///< of normalize_ir
};

struct RunDifference {
    std::string aspect; ///< "output_values", "eager", ...
    std::string text;   ///< one sentence
};

struct PassOptions {
    /// What passes read by name (PassContext::options).
    std::map<std::string, std::string> options;
    std::optional<std::string> remove;    ///< "mutations", "mutations_and_views"
    std::optional<std::string> writeBack; ///< "graph", "caller"
    std::optional<bool> faithful;         ///< PyTorch's graph, right or wrong
    std::optional<bool> cells;            ///< values of storages with at most 64 cells
};

struct PassRequest {
    RunOn on;
    std::vector<std::string> passes; ///< run in this order
    PassOptions options;
    int runs = 1;           ///< for the median time; 1 to 100
    bool scorecard = false; ///< what each step did to storages
    bool verify = false;    ///< run source and result on the same inputs and compare
    bool shapes = false;    ///< give `meta`
};

struct PassReply {
    std::string graph;              ///< text of the result, as str(graph) has it
    Any attributes = Any::object(); ///< its constants by name, for RunOn::attributes
    /// With `shapes`: "f32[4, 5][5, 1]cpu" by node, as the source says where the node is its own, else at the
    /// example inputs' sizes; nodes whose shape is not known are left out.
    std::optional<std::map<std::string, std::string>> meta;
    std::uint64_t nodesBefore = 0, nodesAfter = 0;
    double medianMicroseconds = 0;
    std::vector<std::string> warnings; ///< what may be unsound here, and what was done about it
    std::vector<std::string> notes;    ///< what the result alone does not show
    std::optional<bool> verified;      ///< nothing where eager itself raises, or nothing was checked
    std::optional<std::vector<RunDifference>> differences; ///< with `verify`
    std::optional<std::vector<std::string>> deviations;    ///< known ones of PyTorch, where it is false
    std::vector<PassSummary> passes;
    std::vector<PassStep> steps; ///< one for each source node, of all passes in order
};

} // namespace dynascope::wire
