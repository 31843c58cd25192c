// SPDX-License-Identifier: BSD-3-Clause
//
// A torch-level call and its binding to a Python signature.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/torch_level/value.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::engine::torch_level {

/// What calls that run graphs need. Either may be null.
struct Context {
    const TaskContext* task = nullptr;
    const std::map<std::string, at::Tensor>* attributes = nullptr;
};

struct Call {
    std::vector<Value> args;
    std::vector<std::pair<std::string, Value>> kwargs;
    const Context* context = nullptr; ///< may be null

    [[nodiscard]] const Value* keyword(std::string_view name) const;
    /// Removes a keyword argument; gives its value, or None where there was none.
    Value take(std::string_view name);
};

/// What a target does. Throws c10::Error.
using Function = std::function<Value(const Call&)>;

/// The values of a call by parameter name.
class Arguments {
public:
    Arguments(const class Signature& signature, std::vector<Value> values, const Context* context)
        : m_signature(signature)
        , m_values(std::move(values))
        , m_context(context) {}

    /// The parameter must exist.
    [[nodiscard]] const Value& operator[](std::string_view name) const;
    /// In the order of the signature.
    [[nodiscard]] const std::vector<Value>& values() const { return m_values; }
    [[nodiscard]] const Context* context() const { return m_context; }

private:
    const Signature& m_signature;
    std::vector<Value> m_values;
    const Context* m_context;
};

/// Parameters as Python writes them: "input, p=0.5, *, dtype=None, **options". Defaults are None, True,
/// False, numbers, quoted words and (); "*name" takes the remaining positional arguments as a tuple, "**name"
/// the remaining keywords as a dict.
class Signature {
public:
    explicit Signature(std::string_view text);

    /// Throws c10::Error where Python would raise TypeError. `self` must outlive the result.
    [[nodiscard]] Arguments bind(const Call& call) const;
    /// Name of the last parameter.
    [[nodiscard]] std::string_view last() const { return m_parameters.back().name; }

private:
    friend class Arguments;
    struct Parameter {
        std::string name;
        Value fallback;
        bool required = true;
        bool keywordOnly = false;
        bool rest = false;     ///< "*name"
        bool keywords = false; ///< "**name"
    };
    std::vector<Parameter> m_parameters;
};

/// One row of a table of functions.
struct Entry {
    std::string_view name;
    std::string_view signature;
    Value (*run)(const Arguments&);
};

/// Binds the signature at every call.
[[nodiscard]] Function functionOf(const Entry& entry);
/// The row of that name, or null.
template <typename Table>
[[nodiscard]] const Entry* findEntry(const Table& table, std::string_view name) {
    for (const Entry& entry : table) {
        if (entry.name == name) return &entry;
    }
    return nullptr;
}

} // namespace dynascope::engine::torch_level
