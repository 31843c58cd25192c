// SPDX-License-Identifier: BSD-3-Clause
//
// A plugin for an interface that does not exist yet.
#include "plugins/dynascope_plugin.h"

const DynascopePlugin* dynascope_plugin() {
    static constexpr DynascopePlugin plugin{DYNASCOPE_PLUGIN_ABI + 6, nullptr, 0, nullptr};
    return &plugin;
}
