// SPDX-License-Identifier: BSD-3-Clause
//
// What every operator of PyTorch that a graph may name does with arguments that lie: a table, which
// operator_classes.inc holds, a line for each name. Looked up when a graph is compiled. Any thread.
#pragma once

#include "core/engine/sandbox/argument_checks.h"

#include <span>
#include <string>
#include <string_view>

namespace dynascope::engine {

/// It checks its arguments itself, whatever they are.
struct SafeOperator {};
/// Never called; "is refused: " comes before the reason.
struct RefusedOperator {
    std::string_view reason;
};

/// A line of the table. An operator is safe, safe after a check, or refused.
struct OperatorClass {
    std::string_view name;         ///< with namespace, for all overloads: "aten::add"
    ArgumentCheck check = nullptr; ///< before each call
    std::string_view refusal;      ///< why it is never called; empty where it is

    constexpr OperatorClass(std::string_view operatorName, SafeOperator)
        : name(operatorName) {}
    constexpr OperatorClass(std::string_view operatorName, ArgumentCheck family)
        : name(operatorName)
        , check(family) {}
    constexpr OperatorClass(std::string_view operatorName, RefusedOperator refused)
        : name(operatorName)
        , refusal(refused.reason) {}
};

/// Null for an operator that nobody classed.
[[nodiscard]] const OperatorClass* operatorClass(std::string_view name);
/// Sorted by name, each name once.
[[nodiscard]] std::span<const OperatorClass> operatorClasses();

/// Whether LibTorch or the engine registered it. Operators that a plugin registers are its author's business:
/// it runs as this process does, and its user loaded it.
[[nodiscard]] bool isBuiltInOperator(std::string_view name);
/// Takes what is registered now for what is built in, once: to be called before plugins are loaded.
void rememberBuiltInOperators();

} // namespace dynascope::engine
