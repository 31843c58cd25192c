// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/registry.h"

#include "core/passes/cse.h"
#include "core/passes/dce.h"
#include "core/passes/hooks/inline_hooks.h"

#include <algorithm>

namespace dynascope::passes {

Result<void> Registry::add(std::shared_ptr<const Pass> pass, std::string origin) {
    const std::string name(pass->name());
    if (name.empty()) return failure("a pass without a name", std::move(origin));
    if (find(name)) return failure("there is a pass '" + name + "' already", std::move(origin));
    m_entries.push_back({std::move(pass), std::move(origin)});
    return {};
}

std::shared_ptr<const Pass> Registry::find(std::string_view name) const {
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [&](const Entry& entry) { return entry.pass->name() == name; });
    return found == m_entries.end() ? nullptr : found->pass;
}

std::string Registry::names() const {
    std::string out;
    for (const Entry& entry : m_entries) {
        if (!out.empty()) out += ", ";
        out += entry.pass->name();
    }
    return out;
}

void addCorePasses(Registry& registry) {
    // None can fail: the names differ.
    (void)registry.add(std::make_shared<DeadCodeElimination>());
    (void)registry.add(std::make_shared<CommonSubexpressionElimination>());
    (void)registry.add(std::make_shared<hooks::InlineHooks>());
}

} // namespace dynascope::passes
