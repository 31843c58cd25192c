// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a functional graph does what its source does, seen by running both.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/torch_values.h"
#include "core/engine/functionalize/scorecard.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// Does what the caller of a graph does with its leading results (WriteBackBy::Caller), and gives the others.
/// `inputs` are written. Throws what PyTorch throws.
[[nodiscard]] std::vector<c10::IValue> writtenBack(std::vector<c10::IValue> results,
                                                   std::vector<at::Tensor>& inputs,
                                                   const std::vector<WriteBack>& writeBacks);

/// How two programs compared.
enum class EagerAgreement {
    Same,    ///< on the inputs given and, if the source runs on them, on others of the same shapes
    Differs, ///< or the result fails
    Unknown, ///< the source itself fails on the inputs given
};
struct EagerCheck {
    EagerAgreement agreement = EagerAgreement::Unknown;
    std::string difference; ///< "output #0: cell [0] is -1, expected -2"
};

/// Runs `source` and what functionalization made of it without gradients, on copies of the inputs and on
/// other numbers (floating cells drawn anew, the others moved by one, so that indices stay in range), and
/// compares results, inputs and whole storages after the call. Strides are left out: functionalization does
/// not keep them. Cancelled: Unknown.
[[nodiscard]] EagerCheck checkAgainstEager(const Program& source, const Functionalized& result,
                                           const TorchValues& values, const TaskContext& task);

} // namespace dynascope::engine
