// SPDX-License-Identifier: BSD-3-Clause
//
// What functionalization did, step by step: emitted nodes, alias state, updates and write-backs. Compact,
// since it is recorded for every node; scorecard_json.h spells it out.
#pragma once

#include "core/engine/exec/interpreter.h"
#include "core/engine/wire/pass.h"
#include "core/ir/graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

using wire::Emission; ///< why a node of the functional graph is there

/// One view operation of a chain. A node that made the view tells its arguments.
struct ViewStep {
    std::string name;         ///< "select_int", or the whole text where `node` is -1
    std::int32_t node = -1;   ///< of the functional graph: the view's first emission
    std::int64_t result = -1; ///< which result of a multi-output view
};

/// Values of small storages, where they were asked for. Cells count through the storage's base in row-major
/// order.
struct CellValues {
    std::vector<std::int32_t> cells; ///< that a view sees, in its own row-major order; empty for a storage
    std::vector<double> values;
};

/// One line of the scorecard: a tensor that a source node read or made, as it stands after that node.
struct TensorScore {
    ir::NodeIndex value = 0;      ///< the source node that holds the tensor
    std::uint32_t storage = 0;    ///< tensors with the same number share a storage
    std::int32_t current = -1;    ///< the functional node that holds the tensor's own value
    std::uint32_t generation = 0; ///< of the tensor: stale while below its storage's
    std::uint32_t chain = 0;      ///< index into Functionalized::chains
    std::uint32_t geometry = 0;   ///< index of its first number in Functionalized::numbers
    std::uint16_t dim = 0;        ///< numbers are dim sizes, dim strides and the offset
    bool regenerated = false;     ///< this step replayed its chain
};

/// A storage as it stands after a step that touched it.
struct StorageScore {
    std::uint32_t storage = 0;
    std::int32_t base = -1; ///< the functional node that holds the base
    std::uint32_t generation = 0;
    std::uint32_t pending = 0; ///< updates that wait for the next reader
};

/// A write that a step queued on a storage.
struct ScoreUpdate {
    std::uint32_t storage = 0;
    std::uint32_t from = 0, to = 0; ///< the storage's generations
    std::int32_t value = -1;        ///< the functional node with the written value
    std::uint32_t chain = 0;        ///< through which views it was written
};

/// What one source node did. Each range ends where the next step's begins.
struct FunctionalStep {
    ir::NodeIndex source = 0; ///< the output node for the work at the end
    std::uint32_t firstEmitted = 0, endEmitted = 0;
    std::uint32_t firstRow = 0, endRow = 0;
    std::uint32_t firstStorage = 0, endStorage = 0;
    std::uint32_t firstUpdate = 0, endUpdate = 0;
};

/// A changed input and how its new value gets there.
struct WriteBack {
    std::size_t input = 0;           ///< position among the inputs
    std::string name;                ///< of the placeholder
    std::uint64_t bytes = 0;         ///< copied; 0 where only the geometry changes
    std::vector<std::string> how;    ///< in order: "resize_", "as_strided_", "copy_", "set_"
    std::vector<std::int32_t> nodes; ///< in the graph, one for each of `how`; empty where the caller writes
    std::int32_t output = -1;        ///< which result of the graph holds the value, where the caller writes
    std::vector<std::int64_t> size, stride; ///< the input's geometry after the call, where it changes
    std::int64_t offset = 0;
    bool wholeStorage = false;           ///< the value is the input's whole storage, flat
    std::vector<std::string> sharedWith; ///< other inputs in the memory that is written
};

/// A result that shares memory with an input.
struct ResultAlias {
    std::size_t result = 0, input = 0; ///< positions among the results, and among the inputs
    bool isInput = false;              ///< the very tensor
    std::vector<std::int64_t> size, stride;
    std::int64_t offset = 0; ///< in the storage that the input lies in before the call
};

struct Functionalized {
    ir::GraphPtr graph;
    Attributes attributes;           ///< constants that the graph reads
    std::vector<Emission> emissions; ///< one per node of the graph but the output
    std::vector<FunctionalStep> steps;
    std::vector<TensorScore> rows;
    std::vector<StorageScore> storages;
    std::vector<ScoreUpdate> updates;
    std::vector<ViewStep> views;
    /// View chains from the base on, as indices into `views`; the first is empty.
    std::vector<std::vector<std::uint32_t>> chains;
    std::vector<std::int64_t> numbers; ///< geometries
    std::map<std::uint32_t, CellValues> cellsOfRow;
    std::map<std::uint32_t, CellValues> cellsOfStorage; ///< by index into `storages`
    std::vector<WriteBack> writeBacks;
    std::vector<ResultAlias> aliases; ///< of functionalization over cells only
};

} // namespace dynascope::engine
