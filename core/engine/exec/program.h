// SPDX-License-Identifier: BSD-3-Clause
//
// A graph made ready to run: targets resolved to dispatcher operators or torch-level functions, constants
// bound, and for each node what dies after it. Graphs come from strangers: only operators on the allow list
// are resolved.
#pragma once

#include "core/engine/exec/torch_level/call.h"
#include "core/engine/sandbox/allow_list.h"
#include "core/engine/sandbox/argument_checks.h"
#include "core/ir/graph.h"
#include "core/ranks/collectives.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// One argument of an operator, with a value per node to draw on.
struct Operand {
    enum class Kind : std::uint8_t {
        Constant, ///< `constant`
        Value,    ///< the value of node `node`
        List,     ///< `items`
        Tuple,    ///< torch-level only, as the rest
        Slice,
        Dict,
    };
    Kind kind = Kind::Constant;
    c10::IValue constant;
    ir::NodeIndex node = ir::npos;
    std::vector<Operand> items;
    /// As the schema declares it, without Optional; null in the graph's result and in torch-level calls.
    c10::TypePtr type;
};

struct Instruction {
    enum class Kind : std::uint8_t {
        Input,
        Attribute,
        Operator, ///< `op`, chosen when the graph was compiled
        GetItem,  ///< an integer index
        Function, ///< a torch-level call, whose operators are chosen when it runs
        Constant, ///< the first operand: a subgraph
    };
    Kind kind = Kind::Operator;
    std::optional<c10::OperatorHandle> op;
    CallCheck check; ///< of `op`'s arguments, before each call
    torch_level::Function function;
    std::vector<Operand> operands;
    std::vector<std::string> keywords; ///< of a Function: names of the last operands
    std::size_t position = 0;          ///< of an Input: which one
    std::string attribute;             ///< of an Attribute; in a subgraph with the subgraph's name before it
    /// Nodes whose values nobody reads afterwards. Dropping them matters beyond memory: resize_ asks whether
    /// a storage has other users.
    std::vector<ir::NodeIndex> dies;
};

/// Why a node cannot run.
struct Unsupported {
    ir::NodeIndex node = ir::npos; ///< in the outermost graph
    std::string name;              ///< of the node; in a subgraph "cond_true_0.add"
    std::string target;
    Obstacle obstacle = Obstacle::Unknown;
    std::string reason; ///< without the target
};

/// Immutable after compile(); safe to share.
struct Program {
    ir::GraphPtr graph;
    std::vector<Instruction> code; ///< one per node up to, not including, the output
    Operand result;
    std::size_t inputs = 0;
    /// Process groups that it calls, those of subgraphs included; of a subgraph's own program none. Who runs it has
    /// them there first (enterMirrorGroups).
    std::vector<ranks::GroupUse> groups;
    /// If not empty the program cannot run; the rest then serves coverage only.
    std::vector<Unsupported> unsupported;
};

[[nodiscard]] Program compile(ir::GraphPtr graph);

/// The operator of a target such as "torch.ops.aten.add.Tensor", or why there is none.
struct Resolved {
    std::optional<c10::OperatorHandle> op;
    OperatorVerdict verdict;
};
[[nodiscard]] Resolved resolve(std::string_view target);

} // namespace dynascope::engine
