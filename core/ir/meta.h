// SPDX-License-Identifier: BSD-3-Clause
//
// What a capture says about the value a node makes: dtype, symbolic sizes and strides, device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ir {

/// Metadata of one tensor. Sizes and strides are expressions as printed ("4", "s77", "2*s77"), outermost
/// first. Strides count elements, not bytes.
struct TensorMeta {
    std::string dtype; ///< PyTorch's short form: "f32", "i64", "b8", "bf16", ...
    std::vector<std::string> sizes;
    std::optional<std::vector<std::string>> strides; ///< absent where the text did not print them
    std::string device;                              ///< "cpu", "cuda:0"; empty where not printed

    /// "f32[4, 5]".
    [[nodiscard]] std::string shortForm() const;
    /// The annotation as print_readable writes it: "f32[4, 5][5, 1]cpu".
    [[nodiscard]] std::string annotation() const;
    /// Bytes of a dense tensor of this shape when every size is a number, else nothing.
    [[nodiscard]] std::optional<std::uint64_t> bytes() const;

    friend bool operator==(const TensorMeta&, const TensorMeta&) = default;
};

/// Metadata of a node's value. Exactly one of the two is meaningful; `raw` keeps annotations of other kinds
/// ("Sym(s77)", class names of subclasses and opaque objects) as written, without the quotes.
struct ValueMeta {
    std::optional<TensorMeta> tensor;
    std::string raw;

    [[nodiscard]] std::string shortForm() const { return tensor ? tensor->shortForm() : raw; }
    [[nodiscard]] std::string annotation() const { return tensor ? tensor->annotation() : raw; }
    friend bool operator==(const ValueMeta&, const ValueMeta&) = default;
};

/// Reads an annotation such as `f32[s0, s1][s1, 1]cuda:0`; what is not a tensor becomes `raw`. Never fails.
[[nodiscard]] ValueMeta parseAnnotation(std::string_view text);

/// Bytes of one element of a dtype in short form ("f32" -> 4), or 0 where it is not known.
[[nodiscard]] unsigned dtypeBytes(std::string_view shortDtype);
/// "f32" for "torch.float32" or "float32"; unknown dtypes lose only their "torch.".
[[nodiscard]] std::string shortDtype(std::string_view dtype);
/// "torch.float32" for "f32", empty where it is not known.
[[nodiscard]] std::string fullDtype(std::string_view shortDtype);

} // namespace dynascope::ir
