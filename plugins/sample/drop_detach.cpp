// SPDX-License-Identifier: BSD-3-Clause
//
// A plugin with one pass: detach and alias give their argument back, so their readers may read that, unless
// something in the graph is written, when two names of one memory can matter.
#include "plugins/dynascope_plugin.h"

#include <string_view>

namespace {

void dropDetach(DynascopeGraph* graph, const DynascopeHost* host) {
    const std::uint32_t count = host->node_count(graph);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (std::string_view(host->node_op(graph, i)) == "call_function" && host->is_pure(graph, i) == 0)
            return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view target = host->node_target(graph, i);
        const bool passesOn =
            target == "torch.ops.aten.detach.default" || target == "torch.ops.aten.alias.default";
        if (passesOn && host->input_count(graph, i) == 1)
            host->remove(graph, i, host->input(graph, i, 0), "gives its argument back");
    }
}

constexpr DynascopePass passes[] = {
    {"drop_detach", "Let readers of detach and alias read their argument (sample plugin)", &dropDetach}};
constexpr DynascopePlugin plugin{DYNASCOPE_PLUGIN_ABI, nullptr, 1, passes};

} // namespace

const DynascopePlugin* dynascope_plugin() {
    return &plugin;
}
