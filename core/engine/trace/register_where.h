// SPDX-License-Identifier: BSD-3-Clause
//
// One kernel for every operator that lacks something.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::engine {

/// Registers `kernel` for `key` of each operator that `lacks` answers for, for as long as what it returns lives. `label`
/// is what the dispatcher says of it.
template <typename Lacks>
[[nodiscard]] std::vector<c10::RegistrationHandleRAII> registerWhere(Lacks lacks, c10::DispatchKey key,
                                                                     const c10::KernelFunction& kernel,
                                                                     const std::string& label) {
    std::vector<c10::RegistrationHandleRAII> handles;
    c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        const auto op = dispatcher.findOp(name);
        if (op && lacks(*op))
            handles.push_back(dispatcher.registerImpl(name, key, kernel, std::nullopt, nullptr, label));
    }
    return handles;
}

} // namespace dynascope::engine
