// SPDX-License-Identifier: BSD-3-Clause
//
// The guards of a compile, read from their text when somebody looks: in a long trace they are more than all
// else that is known of a compile.
#pragma once

#include "core/ir/graph.h"
#include "core/session/record_list.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::session {

/// An entry of the guard tree (dynamo_cpp_guards_str), in print order.
struct Guard {
    int depth = 0;
    std::string type;     ///< "TENSOR_MATCH", "GuardManager", ...
    std::string code;     ///< the check
    std::string source;   ///< "L['x']" of the manager above or of the check itself
    std::string userCode; ///< the source line that added it, where the comment names it
    ir::SourceLocation addedAt;
    [[nodiscard]] bool isManager() const { return type.ends_with("Manager"); }
};

/// Guards in print order: given, or read once from a text at the first look. Copies share what was read.
/// Reading is thread-safe.
class GuardList {
public:
    using Read = std::vector<Guard> (*)(std::string_view text);

    GuardList() = default;
    GuardList(std::vector<Guard> guards); // NOLINT(google-explicit-constructor): is a list of guards
    GuardList(std::initializer_list<Guard> guards)
        : GuardList(std::vector<Guard>(guards)) {}
    /// Of a text that `read` takes apart.
    GuardList(Payload text, Read read);

    [[nodiscard]] const std::vector<Guard>& all() const;
    operator const std::vector<Guard>&() const { return all(); } // NOLINT(google-explicit-constructor)
    [[nodiscard]] bool empty() const { return all().empty(); }
    [[nodiscard]] std::size_t size() const { return all().size(); }
    [[nodiscard]] auto begin() const { return all().begin(); }
    [[nodiscard]] auto end() const { return all().end(); }
    [[nodiscard]] const Guard& operator[](std::size_t index) const { return all()[index]; }
    /// How many are checks, not managers, without keeping what had to be read for it.
    [[nodiscard]] std::size_t checkCount() const;
    void push_back(Guard guard);

private:
    struct Lazy;
    std::shared_ptr<Lazy> m_lazy;
};

} // namespace dynascope::session
