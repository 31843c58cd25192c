// SPDX-License-Identifier: BSD-3-Clause
//
// Passes that go wrong: one throws, one throws what is no exception, one fails, one writes what is no node.
#include "plugins/dynascope_plugin.h"

#include <stdexcept>

namespace {

void throwError(DynascopeGraph*, const DynascopeHost*) {
    throw std::runtime_error("the sky fell");
}
void throwNumber(DynascopeGraph*, const DynascopeHost*) {
    throw 7;
}
void failPolitely(DynascopeGraph* graph, const DynascopeHost* host) {
    host->fail(graph, "not today");
}
void writeNonsense(DynascopeGraph* graph, const DynascopeHost* host) {
    host->rewrite(graph, 1, "torch.ops.aten.neg.default", "(((", "{}", "nonsense");
    host->remove(graph, 1000, 2000, "out of range");
}

constexpr DynascopePass passes[] = {{"throws_error", "Throws an exception", &throwError},
                                    {"throws_number", "Throws a number", &throwNumber},
                                    {"fails", "Says that it failed", &failPolitely},
                                    {"nonsense", "Writes what is no node", &writeNonsense}};
constexpr DynascopePlugin plugin{DYNASCOPE_PLUGIN_ABI, nullptr, 4, passes};

} // namespace

const DynascopePlugin* dynascope_plugin() {
    return &plugin;
}
