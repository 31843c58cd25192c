// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions for breakpoints:
//
//     nodes > 10
//     local x is tensor and x.dtype == f32
//     guard on L['x'] or (function == helper and not stack > 2)
//
// Left of a comparison stand nodes, guards, stack, depth, line, step, attempt, effects, op, function, file,
// compile, or a local of the frame: x, x.dtype, x.shape, x.value, x.len, x.kind, x.source, x.node or any
// other field of its record. Right of it stands a number, a word, a quoted text or what may stand left.
// Comparisons are of numbers where both sides are numbers. What does not exist compares as false. A file
// without folders is any with that name.
#pragma once

#include "core/dynamo/recording.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

class Condition {
public:
    struct Node;

    /// Errors name the column.
    [[nodiscard]] static Result<Condition> parse(std::string_view text);
    [[nodiscard]] bool holds(const Recording& recording, const State& state, StepIndex step) const;
    /// What it names and the recording has at no step, so that a test of it holds nowhere: "local 'h'",
    /// "kind 'tensr'", "guard on L['z']".
    [[nodiscard]] std::vector<std::string> unknown(const Recording& recording) const;
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_text;
    std::shared_ptr<const Node> m_root;
};

} // namespace dynascope::dynamo
