// SPDX-License-Identifier: BSD-3-Clause
//
// Words of core/computed as the window's strings.
#pragma once

#include "core/computed/functional_recording.h"
#include "core/computed/tensor_value.h"
#include "views/workspace/labels.h"

namespace dynascope::views {

/// "-4", "0.5", "1.2e-05", "nan".
[[nodiscard]] inline QString cellText(double value) {
    return toQString(computed::cellText(value));
}
[[nodiscard]] inline QString shapeText(const std::vector<std::int64_t>& shape) {
    return toQString(computed::shapeText(shape));
}
[[nodiscard]] inline QString typeText(const computed::TensorValue& value) {
    return toQString(value.typeText());
}
/// "select(1, 0) → view(9)"
[[nodiscard]] inline QString chainText(const std::vector<std::string>& views) {
    return toQString(computed::FunctionalRecording::chainText(views));
}
/// The program's own name of a value, or the node's.
[[nodiscard]] inline QString nameOf(const computed::FunctionalRecording& recording, const std::string& node) {
    return toQString(recording.nameOf(node));
}
/// "mul(x_1, 1)"
[[nodiscard]] inline QString callText(const ir::Node& node) {
    return toQString(computed::callText(node));
}

} // namespace dynascope::views
