// SPDX-License-Identifier: BSD-3-Clause
//
// One FX node. Nodes are immutable once a Graph holds them and are shared between graphs: a pass that leaves
// a node alone hands on the same object, so pointer equality means "the same node, untouched".
#pragma once

#include "core/ir/argument.h"
#include "core/ir/meta.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::ir {

/// torch.fx.Node.op.
enum class Op : std::uint8_t { Placeholder, CallFunction, CallMethod, CallModule, GetAttr, Output };

[[nodiscard]] std::string_view opName(Op op); ///< "call_function", ...
[[nodiscard]] std::optional<Op> opFromName(std::string_view name);

/// A place in the user's program. `line` counts from 1; 0 means "not known".
struct SourceLocation {
    std::string file;
    std::uint32_t line = 0;
    std::string function;
    std::string code; ///< the source line as captured, trimmed; may be empty

    friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// Innermost frame last, as Python prints a traceback.
using StackTrace = std::vector<SourceLocation>;

struct Node {
    std::string name; ///< unique in its graph
    Op op = Op::CallFunction;
    /// "torch.ops.aten.add.Tensor", "operator.add", method or attribute name, placeholder target
    std::string target;
    std::vector<Argument> args;
    std::vector<std::pair<std::string, Argument>> kwargs;

    std::string typeExpr; ///< "torch.Tensor" of `%x : torch.Tensor [...]`; empty where absent
    std::optional<ValueMeta> meta;
    /// Shared, because neighbours usually come from the same line. Null where the text has no File comment.
    std::shared_ptr<const StackTrace> stack;
    /// What the source comment says besides the place: "recompute: MUST_SAVE", "Annotation: {...}".
    std::string note;
    /// Description of a placeholder, "PlainAOTInput(idx=0)". An output has one line for each value it
    /// returns.
    std::string comment;
    std::uint32_t sourceLine = 0; ///< line of the text this node was read from, from 1; 0 if it was not read
    /// num_users as printed where that is not the number of users in the graph (an excerpt), else UINT32_MAX.
    std::uint32_t printedUsers = UINT32_MAX;

    /// Innermost user frame, or null.
    [[nodiscard]] const SourceLocation* location() const {
        return stack && !stack->empty() ? &stack->back() : nullptr;
    }
    /// Calls `fn(const std::string&)` for each node name used by args, then kwargs; repeats included.
    template <typename Fn>
    void forEachInput(Fn&& fn) const {
        for (const Argument& a : args)
            a.forEachNode(fn);
        for (const auto& [key, a] : kwargs)
            a.forEachNode(fn);
    }
};

using NodePtr = std::shared_ptr<const Node>;

/// What a node does, for colour and filters (DESIGN: op kinds).
enum class OpKind : std::uint8_t {
    InputOutput, ///< placeholder of a value, output
    Parameter,   ///< placeholder or get_attr of a parameter or buffer; linear ops use Linear
    Linear,      ///< mm, addmm, linear, convolution, attention
    Compute,     ///< everything else that makes a new tensor
    View,        ///< moves no data
    Write, ///< mutates an input in place, by name or by schema convention (trailing "_", copy_, setitem,
           ///< out=)
    FunctionalWrite, ///< the functional form of a write: *_scatter, copy, index_put, ...
    Factory,         ///< makes a tensor from no tensor, random ones included
    HigherOrder,     ///< higher-order op, call_module
};

/// By name alone; no schema is needed. Unknown targets are Compute.
[[nodiscard]] OpKind opKind(const Node& node);
[[nodiscard]] std::string_view opKindName(OpKind kind); ///< "writes in place", "view", ...

/// "aten.add.Tensor" for "torch.ops.aten.add.Tensor"; leaves other targets as they are.
[[nodiscard]] std::string shortTarget(std::string_view target);

} // namespace dynascope::ir
