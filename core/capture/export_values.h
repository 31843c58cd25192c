// SPDX-License-Identifier: BSD-3-Clause
//
// Values in the JSON of an exported program, as torch/_export/serde/schema.py numbers and nests them. Numbers
// that it does not know give "unknown", or "" for a dtype.
#pragma once

#include "core/base/json.h"
#include "core/ir/argument.h"
#include "core/ir/meta.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

/// "float32"; torch's name without "torch.".
[[nodiscard]] std::string exportedDtype(std::int64_t code);
/// "torch.strided"
[[nodiscard]] std::string exportedLayout(std::int64_t code);
/// "torch.contiguous_format"
[[nodiscard]] std::string exportedMemoryFormat(std::int64_t code);
/// "cuda:0"
[[nodiscard]] std::string exportedDevice(const json::element& device);
[[nodiscard]] ir::Argument exportedFloat(const json::element& value);

/// The one member of a union such as {"as_int": 3}.
struct Variant {
    std::string_view key;
    json::element value;
};
[[nodiscard]] std::optional<Variant> variantOf(const json::element& item);

/// The spelling of a SymInt, SymFloat or SymBool.
[[nodiscard]] std::string exportedSymbol(const json::element& value);
/// The list of them under `key`; empty where there is none.
[[nodiscard]] std::vector<std::string> exportedSymbols(const json::element& meta, std::string_view key);

[[nodiscard]] ir::TensorMeta exportedTensor(const json::element& meta);

/// What the signature calls each placeholder, by its name: "parameter layers.0.weight", "buffer running_mean",
/// "input".
using ExportedRoles = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] ExportedRoles exportedRoles(const json::element& module);

} // namespace dynascope::capture
