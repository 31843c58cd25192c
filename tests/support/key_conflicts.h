// SPDX-License-Identifier: BSD-3-Clause
//
// Keys that mean two things.
#pragma once

#include "app/gui/action_registry.h"

namespace dynascope::test {

/// "Ctrl+K, in the window: a and b" for each key that two actions of one scope share; also ids used twice. A window key
/// conflicts with the same key of any other scope, since both would claim it.
[[nodiscard]] inline QStringList keyConflicts(const app::ActionRegistry& registry) {
    using app::Scope;
    QStringList out;
    const std::vector<app::ActionRegistry::Entry>& entries = registry.entries();
    for (std::size_t i = 0; i < entries.size(); ++i)
        for (std::size_t j = i + 1; j < entries.size(); ++j) {
            const app::ActionSpec &a = entries[i].spec, &b = entries[j].spec;
            if (!a.id.isEmpty() && a.id == b.id) out << QStringLiteral("id %1 is used twice").arg(a.id);
            const bool both = entries[i].action && entries[j].action;
            const bool meet =
                a.scope == b.scope || (both && (a.scope == Scope::Window || b.scope == Scope::Window));
            if (!meet) continue;
            for (const QKeySequence& key : a.keys)
                if (!key.isEmpty() && b.keys.contains(key))
                    out << QStringLiteral("%1, %2: %3 and %4")
                               .arg(key.toString(), app::scopeName(a.scope), a.text, b.text);
        }
    return out;
}

} // namespace dynascope::test
