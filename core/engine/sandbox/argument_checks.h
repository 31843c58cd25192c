// SPDX-License-Identifier: BSD-3-Clause
//
// Operators whose kernels believe what they are told: indices that point into another tensor, sizes that
// belong together, enumerations. In PyTorch only its own code calls them; in a stranger's graph they would
// read and write foreign memory. Each family has one check of the arguments (checks/families.h), which comes
// before the call; which operator has which, operator_classes.inc says. Two things are checked for every
// operator: enumerations of dtypes, layouts and memory formats, and that tensors are ones that checks see
// through.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <cstdint>
#include <vector>

namespace dynascope::engine {

/// Throws (IndexError or RuntimeError in PyTorch's words) where the kernel would leave the memory of its
/// arguments. `arguments` are those of the schema, in order. Tensors without data (meta) pass.
using ArgumentCheck = void (*)(const c10::FunctionSchema& schema, const c10::IValue* arguments);

/// What is checked before the calls of one operator: looked up once, then held beside the operator.
class CallCheck {
public:
    /// Checks nothing.
    CallCheck() = default;
    explicit CallCheck(const c10::FunctionSchema& schema);

    /// Throws as ArgumentCheck does.
    void operator()(const c10::FunctionSchema& schema, const c10::IValue* arguments) const;
    /// Whether what the operator returned has to be waited for (collectives/kernels.h).
    [[nodiscard]] bool waits() const { return m_waits; }

private:
    enum class Enumeration : std::uint8_t { Dtype, Layout, MemoryFormat };
    struct Enumerator {
        std::uint16_t argument;
        Enumeration of;
    };

    static bool isKnown(Enumeration of, std::int64_t number);

    ArgumentCheck m_family = nullptr;
    std::vector<Enumerator> m_enumerators;
    bool m_waits = false;
};

/// callBoxed() after the check, and before what has to be waited for.
void callChecked(const c10::OperatorHandle& op, const CallCheck& check, torch::jit::Stack& stack);
/// The same for an operator that is called once.
void callChecked(const c10::OperatorHandle& op, torch::jit::Stack& stack);

} // namespace dynascope::engine
