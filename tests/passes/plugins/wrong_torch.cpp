// SPDX-License-Identifier: BSD-3-Clause
//
// A plugin built with another PyTorch.
#include "plugins/dynascope_plugin.h"

const DynascopePlugin* dynascope_plugin() {
    static constexpr DynascopePlugin plugin{DYNASCOPE_PLUGIN_ABI, "1.4.0", 0, nullptr};
    return &plugin;
}
