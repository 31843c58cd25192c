// SPDX-License-Identifier: BSD-3-Clause
//
// Which functions of Python's operator module readable code spells as operators, and other spellings that the
// readers and printers share. Follows magic_methods and inplace_methods of torch/fx/graph.py.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::ir {

struct OperatorSpelling {
    std::string_view sign;
    std::string_view target;
};

// Longer signs come first, so that a reader may take the first that fits.
inline constexpr std::array binaryOperators{
    OperatorSpelling{"**", "operator.pow"},    OperatorSpelling{"//", "operator.floordiv"},
    OperatorSpelling{"<<", "operator.lshift"}, OperatorSpelling{">>", "operator.rshift"},
    OperatorSpelling{"==", "operator.eq"},     OperatorSpelling{"!=", "operator.ne"},
    OperatorSpelling{"<=", "operator.le"},     OperatorSpelling{">=", "operator.ge"},
    OperatorSpelling{"+", "operator.add"},     OperatorSpelling{"-", "operator.sub"},
    OperatorSpelling{"*", "operator.mul"},     OperatorSpelling{"/", "operator.truediv"},
    OperatorSpelling{"%", "operator.mod"},     OperatorSpelling{"&", "operator.and_"},
    OperatorSpelling{"|", "operator.or_"},     OperatorSpelling{"^", "operator.xor"},
    OperatorSpelling{"@", "operator.matmul"},  OperatorSpelling{"<", "operator.lt"},
    OperatorSpelling{">", "operator.gt"},
};

inline constexpr std::array unaryOperators{
    OperatorSpelling{"-", "operator.neg"},
    OperatorSpelling{"~", "operator.invert"},
    OperatorSpelling{"+", "operator.pos"},
};

inline constexpr std::array augmentedOperators{
    OperatorSpelling{"**=", "operator.ipow"},    OperatorSpelling{"//=", "operator.ifloordiv"},
    OperatorSpelling{"<<=", "operator.ilshift"}, OperatorSpelling{">>=", "operator.irshift"},
    OperatorSpelling{"+=", "operator.iadd"},     OperatorSpelling{"-=", "operator.isub"},
    OperatorSpelling{"*=", "operator.imul"},     OperatorSpelling{"/=", "operator.itruediv"},
    OperatorSpelling{"%=", "operator.imod"},     OperatorSpelling{"&=", "operator.iand"},
    OperatorSpelling{"|=", "operator.ior"},      OperatorSpelling{"^=", "operator.ixor"},
    OperatorSpelling{"@=", "operator.imatmul"},
};

inline constexpr std::string_view getitemTarget = "operator.getitem";
inline constexpr std::string_view setitemTarget = "operator.setitem";
inline constexpr std::string_view getattrTarget = "builtins.getattr";

/// The sign of a target in one of the tables, or an empty view.
template <typename Table>
[[nodiscard]] constexpr std::string_view signOf(const Table& table, std::string_view target) {
    for (const OperatorSpelling& entry : table)
        if (entry.target == target) return entry.sign;
    return {};
}

/// "torch.add" -> "torch.add", "builtins.max" -> "max", "operator.abs" -> "_operator_abs", "my.module.fn" ->
/// "my_module_fn": the global that readable code calls.
[[nodiscard]] std::string calleeOfTarget(std::string_view target);
/// The reverse, as far as it can be told.
[[nodiscard]] std::string targetOfCallee(std::string_view callee);

} // namespace dynascope::ir
