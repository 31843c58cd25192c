// SPDX-License-Identifier: BSD-3-Clause
//
// Reads "def forward(self, x: "f32[2]", ...) -> T:" over one line or several. Internal to the readable
// reader.
#pragma once

#include "core/ir/lines.h"
#include "core/ir/node.h"
#include "core/ir/value_parser.h"

#include <span>
#include <string>
#include <vector>

namespace dynascope::ir {

struct Signature {
    std::vector<Node> parameters; ///< placeholders, without self
    std::string returnAnnotation; ///< " -> T"; empty where absent
    bool expanded = false;        ///< one parameter a line
};

/// Reads the signature that starts at lines[next] and leaves `next` at its last line.
[[nodiscard]] bool readSignature(std::span<const Line> lines, std::size_t& next, Signature& out,
                                 Error& error);

/// Moves `in` to the start of the line after lines[next]; false at the last one.
[[nodiscard]] bool nextLine(std::span<const Line> lines, std::size_t& next, ValueParser& in);

} // namespace dynascope::ir
