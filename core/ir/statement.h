// SPDX-License-Identifier: BSD-3-Clause
//
// Reads one assignment of readable code into a node. Internal to the readable reader.
#pragma once

#include "core/ir/node.h"
#include "core/ir/value_parser.h"

namespace dynascope::ir {

struct Assignment {
    Node node;
    bool isRename = false; ///< "l_x_ = L_x_": node.name is the new name, node.target the old one
    bool clears = false;   ///< ";  x = None" followed
};

/// Reads `name = ...`, `x[i] = v;  setitem = x` or `x += v;  iadd = x` with the clears behind it, to the end
/// of the text of `in`. An expression that FX does not print becomes one Raw argument of a node without a
/// target.
[[nodiscard]] bool readAssignment(ValueParser& in, const NameSet& names, Assignment& out);

/// Reads `: "f32[4][1]cpu"` or `: torch.Tensor` if there is a colon; stops before "=", "," , ")" or "#".
[[nodiscard]] bool readAnnotation(ValueParser& in, Node& out);

/// Moves over what readAnnotation reads; false where there is none that is whole. Sets no failure.
[[nodiscard]] bool skipAnnotation(ValueParser& in);

} // namespace dynascope::ir
