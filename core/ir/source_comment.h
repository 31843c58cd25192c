// SPDX-License-Identifier: BSD-3-Clause
//
// The comment that readable code puts before nodes of one source line:
// "# File: model.py:12 in forward, code: y = x + 1", with tags of passes in front of "File:".
#pragma once

#include "core/ir/node.h"

#include <memory>
#include <string>
#include <string_view>

namespace dynascope::ir {

struct SourceComment {
    std::shared_ptr<const StackTrace> stack;
    std::string note;

    /// Takes over what the comment says. False, and nothing changes, if it is a comment of another kind.
    [[nodiscard]] bool read(std::string_view comment);
    /// The comment, with "# " in front.
    [[nodiscard]] static std::string print(const Node& node);
};

} // namespace dynascope::ir
