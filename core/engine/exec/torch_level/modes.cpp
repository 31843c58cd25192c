// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/modes.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <array>

namespace dynascope::engine::torch_level {

namespace {

namespace autocast = at::autocast;

/// Gives what leave() needs to put things back.
Value enter(bool enabled, std::optional<c10::ScalarType> dtype, bool cache) {
    Value before =
        Value::tuple({autocast::is_autocast_enabled(at::kCPU), autocast::get_autocast_dtype(at::kCPU),
                      autocast::is_autocast_cache_enabled()});
    if (dtype) autocast::set_autocast_dtype(at::kCPU, *dtype);
    autocast::set_autocast_enabled(at::kCPU, enabled);
    autocast::set_autocast_cache_enabled(cache);
    autocast::increment_nesting();
    return before;
}

void leave(const Value& before) {
    const std::vector<Value>& state = before.items();
    TORCH_CHECK(state.size() == 3, "an autocast is left that was not entered");
    if (autocast::decrement_nesting() == 0) autocast::clear_cache();
    autocast::set_autocast_enabled(at::kCPU, state[0].flag());
    autocast::set_autocast_dtype(at::kCPU, state[1].dtype());
    autocast::set_autocast_cache_enabled(state[2].flag());
}

Value enterAutocast(const Arguments& a) {
    std::optional<c10::ScalarType> dtype;
    if (!a["dtype"].isNone()) {
        dtype = a["dtype"].dtype();
    } else if (a["device_type"].text() == "cuda") {
        dtype = at::kHalf;
    }
    // Where casts are not cached around the graph, as in a trace, they are not cached in it.
    const Value& cache = a["cache_enabled"];
    return enter(a["enabled"].flag(), dtype,
                 autocast::is_autocast_cache_enabled() && (cache.isNone() || cache.flag()));
}

Value setGrad(const Arguments& a) {
    at::GradMode::set_enabled(a["mode"].flag());
    return {};
}

Value enterInference(const Arguments& a) {
    const bool before = at::GradMode::is_enabled();
    if (a["mode"].flag()) at::GradMode::set_enabled(false);
    return before;
}

constexpr std::array table{
    Entry{"torch._C._set_grad_enabled", "mode", setGrad},
    Entry{"torch.set_grad_enabled", "mode", setGrad},
    Entry{"torch.autograd.grad_mode.set_grad_enabled", "mode", setGrad},
    Entry{"torch.autograd.grad_mode._enter_inference_mode", "mode", enterInference},
    Entry{"torch.autograd.grad_mode._exit_inference_mode", "mode", setGrad},
    Entry{"torch.amp.autocast_mode._enter_autocast",
          "device_type, dtype=None, enabled=True, cache_enabled=None", enterAutocast},
    Entry{"torch.amp.autocast_mode._exit_autocast", "mode",
          [](const Arguments& a) {
              leave(a["mode"]);
              return Value();
          }},
    Entry{"torch.is_autocast_enabled", "device_type=None",
          [](const Arguments&) { return Value(autocast::is_autocast_enabled(at::kCPU)); }},
    Entry{"torch.get_autocast_dtype", "device_type=None",
          [](const Arguments&) { return Value(autocast::get_autocast_dtype(at::kCPU)); }},
    // Without Python there are no hooks for these to allow or forbid.
    Entry{"torch._C._autograd._saved_tensors_hooks_disable", "message, fail_if_non_empty=True",
          [](const Arguments&) { return Value(); }},
    Entry{"torch._C._autograd._saved_tensors_hooks_enable", "", [](const Arguments&) { return Value(); }},
    Entry{"torch._C._log_api_usage_once", "event", [](const Arguments&) { return Value(); }},
};

int nesting() {
    const int inner = autocast::increment_nesting();
    autocast::decrement_nesting();
    return inner - 1;
}

} // namespace

std::optional<Function> modeFunction(std::string_view target) {
    if (target == "torch.amp._enter_autocast" || target == "torch.amp._exit_autocast")
        return modeFunction("torch.amp.autocast_mode." + std::string(target.substr(10)));
    if (const Entry* entry = findEntry(table, target)) return functionOf(*entry);
    return std::nullopt;
}

ModeGuard::ModeGuard()
    : m_grad(at::GradMode::is_enabled())
    , m_autocast(autocast::is_autocast_enabled(at::kCPU))
    , m_cache(autocast::is_autocast_cache_enabled())
    , m_dtype(autocast::get_autocast_dtype(at::kCPU))
    , m_nesting(nesting()) {}

ModeGuard::~ModeGuard() {
    at::GradMode::set_enabled(m_grad);
    autocast::set_autocast_enabled(at::kCPU, m_autocast);
    autocast::set_autocast_cache_enabled(m_cache);
    autocast::set_autocast_dtype(at::kCPU, m_dtype);
    while (nesting() > m_nesting)
        if (autocast::decrement_nesting() == 0) autocast::clear_cache();
}

AutocastGuard::AutocastGuard(bool enabled, std::optional<c10::ScalarType> dtype, bool cache)
    : m_before(enter(enabled, dtype, cache)) {}

AutocastGuard::~AutocastGuard() {
    leave(m_before);
}

} // namespace dynascope::engine::torch_level
