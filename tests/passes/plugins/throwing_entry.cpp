// SPDX-License-Identifier: BSD-3-Clause
//
// A plugin whose entry throws.
#include "plugins/dynascope_plugin.h"

#include <stdexcept>

const DynascopePlugin* dynascope_plugin() {
    throw std::runtime_error("no licence");
}
