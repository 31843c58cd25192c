// SPDX-License-Identifier: BSD-3-Clause
//
// Modules, parameters and buffers in the sources that Dynamo writes, by the qualified names that a program has
// for them.
#pragma once

#include <string>
#include <string_view>

namespace dynascope::session {

/// The text with each "L['self']._modules['model']._modules['layers']._modules['3']" in it as "model.layers.3", also
/// with an attribute behind it ("model.layers.3.training") or inside of a check; all else as it stands. What the modules
/// hang on ("L['self']") is not part of such a name, as it is of none that the program writes. In time linear in the
/// text.
[[nodiscard]] std::string withModuleNames(std::string_view text);

} // namespace dynascope::session
