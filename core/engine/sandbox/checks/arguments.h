// SPDX-License-Identifier: BSD-3-Clause
//
// What the checks of arguments ask: arguments by name, ranges of elements, sizes that belong together. All of
// it throws c10::Error in PyTorch's words. Any thread.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine::checks {

using at::Tensor;

/// The arguments of one call, by their names in the schema. Borrows both.
class Arguments {
public:
    Arguments(const c10::FunctionSchema& schema, const c10::IValue* values)
        : m_schema(schema)
        , m_values(values) {}

    [[nodiscard]] const c10::IValue& operator[](std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const {
        return m_schema.argumentIndexWithName(name).has_value();
    }
    /// Undefined for None and for what the overload does not take.
    [[nodiscard]] Tensor tensor(std::string_view name) const;
    /// Undefined where an item is None; empty for what the overload does not take.
    [[nodiscard]] std::vector<Tensor> tensors(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name) const { return (*this)[name].toInt(); }
    [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view name) const {
        return (*this)[name].toIntVector();
    }
    [[nodiscard]] const std::string& op() const { return m_schema.name(); }

private:
    const c10::FunctionSchema& m_schema;
    const c10::IValue* m_values;
};

/// While it lives, kernels only look: below autograd, tracers and functionalization.
class Looking {
public:
    Looking()
        : m_keys(c10::DispatchKeySet({c10::DispatchKey::Functionalize, c10::DispatchKey::Fake,
                                      c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot})) {}

private:
    at::NoGradGuard m_noGrad;
    at::AutoDispatchBelowAutograd m_below;
    c10::impl::ExcludeDispatchKeyGuard m_keys;
};

/// Tensors around others: what stands in them is checked when the call reaches what they wrap.
inline constexpr c10::DispatchKeySet wrappers({c10::DispatchKey::Functionalize, c10::DispatchKey::Fake,
                                               c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched,
                                               c10::DispatchKey::FuncTorchGradWrapper});

[[nodiscard]] bool hasData(const Tensor& tensor);

/// Every element in [low, high), or `except`.
void checkRange(const Arguments& call, const char* name, std::int64_t low, std::int64_t high,
                std::optional<std::int64_t> except = std::nullopt);
/// A tensor that is given has that many elements; one of one dimension may be empty instead.
void checkCount(const Arguments& call, const char* name, std::int64_t count);
/// As checkCount(), but it must not be empty.
void checkCountExactly(const Arguments& call, const char* name, std::int64_t count);
void checkSameSizes(const Arguments& call, const char* name, const char* other);
/// As many dimensions, of the same sizes but for the last `free` ones.
void checkLeadingSizes(const Arguments& call, const char* name, const char* other, std::int64_t free);
void checkRank(const Arguments& call, const char* name, std::int64_t least, std::int64_t most);
/// The sizes of the last `dims` dimensions of a tensor, multiplied.
[[nodiscard]] std::int64_t plane(const Arguments& call, const char* name, std::int64_t dims);
/// A dimension of `tensor`, negative ones wrapped.
[[nodiscard]] std::int64_t dimension(const Arguments& call, const Tensor& tensor, std::int64_t dim);
/// For kernels that take a tensor's memory for its elements in order.
void checkContiguous(const Arguments& call, const char* name);
/// Both lists have as many tensors, and each has as many elements as its fellow.
void checkFellows(const Arguments& call, const char* name, const char* other);

} // namespace dynascope::engine::checks
