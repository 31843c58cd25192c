// SPDX-License-Identifier: BSD-3-Clause
//
// Which arguments an op writes, by name alone: the schemas of PyTorch mark them, but a capture has no schemas
// and this library no PyTorch. tests/engine/tst_engine_alias_marks.cpp compares every schema of LibTorch.
#pragma once

#include "core/ir/node.h"

#include <string_view>
#include <vector>

namespace dynascope::replay {

struct WrittenArguments {
    /// Arguments that the op's schema marks as written ("Tensor(a!)").
    std::vector<const ir::Argument*> marked;
    /// Arguments that the op writes although its schema has no mark, as the running statistics of
    /// native_batch_norm: PyTorch's own search for mutations does not see them.
    std::vector<const ir::Argument*> unmarked;

    [[nodiscard]] bool empty() const { return marked.empty() && unmarked.empty(); }
};

/// Empty for anything but a call_function of an operator with overload ("torch.ops.aten.add_.Tensor"). The
/// pointers lie in the node.
[[nodiscard]] WrittenArguments writtenArguments(const ir::Node& node);

/// Whether the target is an operator with a schema: "torch.ops.aten.add.Tensor", but no higher-order op and
/// no Python function.
[[nodiscard]] bool hasSchema(const ir::Node& node);

/// "add_" of "torch.ops.aten.add_.Tensor"; the whole target where it is no operator.
[[nodiscard]] std::string_view operatorName(const ir::Node& node);

} // namespace dynascope::replay
