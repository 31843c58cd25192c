// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that change the thread's modes: gradients on or off, autocast.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <c10/core/ScalarType.h>
#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

/// The function of a target such as "torch._C._set_grad_enabled" or
/// "torch.amp.autocast_mode._enter_autocast"; nothing for others. Autocast for any device is autocast on the
/// CPU.
[[nodiscard]] std::optional<Function> modeFunction(std::string_view target);

/// Puts back, when it goes, whatever modes a graph left changed on this thread.
class ModeGuard {
public:
    ModeGuard();
    ModeGuard(const ModeGuard&) = delete;
    ModeGuard& operator=(const ModeGuard&) = delete;
    ~ModeGuard();

private:
    bool m_grad;
    bool m_autocast, m_cache;
    c10::ScalarType m_dtype;
    int m_nesting;
};

/// Autocast on the CPU for a scope.
class AutocastGuard {
public:
    AutocastGuard(bool enabled, std::optional<c10::ScalarType> dtype, bool cache);
    AutocastGuard(const AutocastGuard&) = delete;
    AutocastGuard& operator=(const AutocastGuard&) = delete;
    ~AutocastGuard();

private:
    Value m_before;
};

} // namespace dynascope::engine::torch_level
