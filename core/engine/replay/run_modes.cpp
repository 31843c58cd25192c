// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/run_modes.h"

#include "core/engine/exec/torch_level/functorch.h"
#include "core/engine/exec/torch_level/modes.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <c10/core/InferenceMode.h>
#include <optional>

namespace dynascope::engine {

namespace {

/// PyTorch has one setting for all threads; the engine runs one request at a time.
class NoOneDnn {
public:
    NoOneDnn()
        : m_before(at::globalContext().userEnabledMkldnn()) {
        at::globalContext().setUserEnabledMkldnn(false);
    }
    NoOneDnn(const NoOneDnn&) = delete;
    NoOneDnn& operator=(const NoOneDnn&) = delete;
    ~NoOneDnn() { at::globalContext().setUserEnabledMkldnn(m_before); }

private:
    bool m_before;
};

} // namespace

struct RunModes::Guards {
    std::optional<NoOneDnn> noOneDnn;
    torch_level::ModeGuard modes;
    torch_level::LayerGuard layers;
    std::optional<c10::InferenceMode> inference;
    at::AutoGradMode noGrad{false};
};

bool hasOperatorsOnly(const Program& program) {
    return std::none_of(program.code.begin(), program.code.end(), [](const Instruction& instruction) {
        return instruction.kind == Instruction::Kind::Function;
    });
}

RunModes::RunModes(bool inference, bool oneDnn)
    : m_guards(std::make_unique<Guards>()) {
    if (!oneDnn) m_guards->noOneDnn.emplace();
    if (inference) m_guards->inference.emplace(true);
}

RunModes::~RunModes() = default;

} // namespace dynascope::engine
