// SPDX-License-Identifier: BSD-3-Clause
//
// An argument of an FX node: a small tree of Python values, none of which is ever evaluated. Scalars keep the
// spelling they were read with, so that a graph prints back byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ir {

struct Argument {
    enum class Kind : std::uint8_t {
        None,
        Ellipsis,
        Bool,         ///< text = "True" or "False"
        Int,          ///< any size; text is the spelling
        Float,        ///< also inf, -inf, nan
        Complex,      ///< "2j", "(1+2j)"
        String,       ///< text is the unescaped value; `spelling` keeps the quoted form
        NodeRef,      ///< text is the node's name, without "%"
        Symbol,       ///< a symbolic expression: "s77", "2*s77 + 1"
        Dtype,        ///< "torch.float32"
        Device,       ///< "cpu", "cuda:0"; readable code prints device(type='cuda', index=0)
        Layout,       ///< "torch.strided"
        MemoryFormat, ///< "torch.contiguous_format"
        List,         ///< items
        Tuple,        ///< items
        Dict,         ///< items are key, value, key, value, ...
        Set,          ///< items
        Slice,        ///< items are start, stop, step
        Call,    ///< a constructor kept as read, such as range(0, 4) or torch.Size([2]): text = callee, items
        Keyword, ///< inside Call: text = keyword, one item
        Raw,     ///< anything else, verbatim in text: kept, printed and shown, not interpreted
    };

    Kind kind = Kind::None;
    std::string text;
    std::string spelling; ///< only where the text read differs from what printing the rest would give
    std::vector<Argument> items;

    [[nodiscard]] static Argument none() { return {}; }
    [[nodiscard]] static Argument node(std::string name) { return {Kind::NodeRef, std::move(name), {}, {}}; }
    [[nodiscard]] static Argument integer(std::int64_t v) { return {Kind::Int, std::to_string(v), {}, {}}; }
    [[nodiscard]] static Argument boolean(bool v) { return {Kind::Bool, v ? "True" : "False", {}, {}}; }
    [[nodiscard]] static Argument string(std::string v) { return {Kind::String, std::move(v), {}, {}}; }
    [[nodiscard]] static Argument raw(std::string v) { return {Kind::Raw, std::move(v), {}, {}}; }
    [[nodiscard]] static Argument list(std::vector<Argument> v) { return {Kind::List, {}, {}, std::move(v)}; }
    [[nodiscard]] static Argument tuple(std::vector<Argument> v) {
        return {Kind::Tuple, {}, {}, std::move(v)};
    }

    [[nodiscard]] bool isNode() const { return kind == Kind::NodeRef; }
    /// The value of an Int that fits, else nothing.
    [[nodiscard]] std::optional<std::int64_t> asInt() const;
    /// The value of an Int or Float, else nothing.
    [[nodiscard]] std::optional<double> asDouble() const;

    /// Text of this value. `nodePrefix` "%" gives the spelling of str(graph), where strings have no quotes;
    /// "" gives Python's repr, as in readable code.
    [[nodiscard]] std::string toString(std::string_view nodePrefix = "") const;
    void appendTo(std::string& out, std::string_view nodePrefix) const;

    /// Calls `fn(const std::string&)` for every node name in this tree, in reading order, repeats included.
    template <typename Fn>
    void forEachNode(Fn&& fn) const {
        if (kind == Kind::NodeRef) fn(text);
        for (const Argument& item : items)
            item.forEachNode(fn);
    }

    friend bool operator==(const Argument&, const Argument&) = default;
};

/// Python's repr() of a string: single quotes unless only double ones avoid an escape.
[[nodiscard]] std::string pythonRepr(std::string_view text);
/// Python's repr() of a float: the shortest digits that read back as the same value.
[[nodiscard]] std::string pythonRepr(double value);

/// Readers refuse arguments nested deeper than this, so that recursion over an Argument is bounded.
inline constexpr std::size_t maxArgumentDepth = 200;

} // namespace dynascope::ir
