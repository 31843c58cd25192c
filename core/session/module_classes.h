// SPDX-License-Identifier: BSD-3-Clause
//
// Which class a module is of, as guards on types say it.
#pragma once

#include "core/session/guard_list.h"

#include <functional>
#include <map>
#include <string>

namespace dynascope::session {

/// Class names without their packages, by the qualified name of the module: "model.layers.0" is a "LlamaDecoderLayer".
using ModuleClasses = std::map<std::string, std::string, std::less<>>;

/// Of TYPE_MATCH guards on modules, "type=<class 'transformers...LlamaDecoderLayer'>". A name that two guards give
/// different classes has none. Linear in the guards.
[[nodiscard]] ModuleClasses moduleClasses(const GuardList& guards);

} // namespace dynascope::session
