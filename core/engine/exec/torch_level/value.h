// SPDX-License-Identifier: BSD-3-Clause
//
// Python values as torch-level calls take and give them. A node's value is an IValue everywhere else; what
// Python tells apart and IValue does not (dtypes, slices, Ellipsis, graphs, ...) travels in a capsule.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {
struct Program;
}

namespace dynascope::engine::torch_level {

/// A value type; copies share tensors. The accessors throw c10::Error with a message that names what is
/// needed.
class Value {
public:
    enum class Kind : std::uint8_t {
        None,
        Bool,
        Int,
        Float,
        Complex,
        String,
        Tensor,
        Dtype,
        Layout,
        MemoryFormat,
        Device,
        List,
        Tuple,
        Dict,  ///< items are key, value, key, value, ...
        Slice, ///< items are start, stop, step
        Ellipsis,
        Graph,
    };

    Value();
    // Out of line: inlined into a vector's copies, IValue's reference counts make g++ 12 warn wrongly.
    Value(const Value& other);
    Value(Value&& other) noexcept;
    Value& operator=(const Value& other);
    Value& operator=(Value&& other) noexcept;
    ~Value();
    Value(at::Tensor tensor); ///< None where it is undefined
    Value(bool value);
    Value(std::int64_t value);
    Value(int value)
        : Value(static_cast<std::int64_t>(value)) {}
    Value(double value);
    Value(c10::complex<double> value);
    Value(std::string text);
    Value(const char* text)
        : Value(std::string(text)) {}
    Value(c10::ScalarType dtype);
    Value(c10::Layout layout);
    Value(c10::MemoryFormat format);
    Value(c10::Device device);
    Value(const c10::Scalar& number);
    Value(const std::vector<std::int64_t>& sizes); ///< a tuple

    [[nodiscard]] static Value ints(const std::vector<std::int64_t>& sizes) { return Value(sizes); }
    [[nodiscard]] static Value list(std::vector<Value> items);
    [[nodiscard]] static Value tuple(std::vector<Value> items);
    [[nodiscard]] static Value dict(std::vector<Value> keysAndValues);
    [[nodiscard]] static Value slice(Value start, Value stop, Value step);
    [[nodiscard]] static Value ellipsis();
    [[nodiscard]] static Value graph(std::shared_ptr<const Program> program);

    [[nodiscard]] static Value from(const c10::IValue& value);
    [[nodiscard]] c10::IValue toIValue() const;

    [[nodiscard]] Kind kind() const { return m_kind; }
    [[nodiscard]] bool isNone() const { return m_kind == Kind::None; }
    [[nodiscard]] bool isTensor() const { return m_kind == Kind::Tensor; }
    [[nodiscard]] bool isBool() const { return m_kind == Kind::Bool; }
    [[nodiscard]] bool isInt() const { return m_kind == Kind::Int; }
    [[nodiscard]] bool isString() const { return m_kind == Kind::String; }
    /// A Python number, bool included.
    [[nodiscard]] bool isNumber() const { return m_kind >= Kind::Bool && m_kind <= Kind::Complex; }
    [[nodiscard]] bool isSequence() const { return m_kind == Kind::List || m_kind == Kind::Tuple; }

    [[nodiscard]] const at::Tensor& tensor() const;
    [[nodiscard]] std::optional<at::Tensor> optionalTensor() const;
    [[nodiscard]] bool flag() const;            ///< of a Bool, or an Int as Python takes it
    [[nodiscard]] std::int64_t integer() const; ///< of an Int, a Bool, or a tensor with one integer
    [[nodiscard]] double real() const;          ///< of any number but a Complex, or a tensor with one number
    [[nodiscard]] c10::Scalar scalar() const;   ///< of any number
    [[nodiscard]] const std::string& text() const;
    [[nodiscard]] c10::ScalarType dtype() const;
    [[nodiscard]] c10::Layout layout() const;
    [[nodiscard]] c10::MemoryFormat memoryFormat() const;
    [[nodiscard]] const std::vector<Value>& items() const;    ///< of a List, Tuple, Dict or Slice
    [[nodiscard]] std::vector<std::int64_t> integers() const; ///< of a sequence
    [[nodiscard]] std::vector<at::Tensor> tensors() const;    ///< of a sequence
    [[nodiscard]] const std::shared_ptr<const Program>& program() const;

    /// Python's name of the type: "int", "Tensor", "torch.dtype".
    [[nodiscard]] std::string_view typeName() const;

private:
    Kind m_kind = Kind::None;
    c10::IValue m_value; ///< dtypes, layouts and memory formats as IValue keeps them, which is an integer
    std::vector<Value> m_items;
    std::shared_ptr<const Program> m_program;
};

} // namespace dynascope::engine::torch_level
