// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cells/cell_call.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

namespace dynascope::engine {

using c10::IValue;

tl::expected<std::vector<IValue>, RunError>
callCells(const Functionalized& functional, const std::vector<IValue>& inputs, const TaskContext& task) {
    const at::AutoGradMode off(false);
    std::vector<c10::Storage> storages; // as they are before set_ may replace them
    for (const ResultAlias& alias : functional.aliases)
        storages.push_back(inputs.at(alias.input).toTensor().storage());
    auto results = run(compile(functional.graph), inputs, functional.attributes, task);
    if (!results) return results;
    try {
        for (std::size_t i = 0; i < storages.size(); ++i) {
            const ResultAlias& alias = functional.aliases[i];
            IValue& result = results->at(alias.result);
            if (alias.isInput)
                result = inputs[alias.input];
            else
                result = at::empty({0}, result.toTensor().options())
                             .set_(storages[i], alias.offset, alias.size, alias.stride);
        }
    } catch (const std::exception& error) {
        return tl::unexpected(RunError{errorText(error), ir::npos, false});
    }
    return results;
}

} // namespace dynascope::engine
