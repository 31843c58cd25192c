// SPDX-License-Identifier: BSD-3-Clause
//
// Passes by name, and where each came from.
#pragma once

#include "core/base/result.h"
#include "core/passes/pass.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::passes {

/// A value: whoever runs passes owns one. Not thread-safe while it is being filled.
class Registry {
public:
    struct Entry {
        std::shared_ptr<const Pass> pass;
        std::string origin; ///< "builtin", or the path of the plugin
    };

    /// Fails when the name is taken or empty, and leaves the first owner its name.
    [[nodiscard]] Result<void> add(std::shared_ptr<const Pass> pass, std::string origin = "builtin");
    /// Null where there is no such pass.
    [[nodiscard]] std::shared_ptr<const Pass> find(std::string_view name) const;
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    /// "dce, cse, ...", for messages.
    [[nodiscard]] std::string names() const;

private:
    std::vector<Entry> m_entries; ///< in the order in which they were added
};

/// Adds the passes that need no LibTorch: dce, cse, inline_hooks.
void addCorePasses(Registry& registry);

} // namespace dynascope::passes
