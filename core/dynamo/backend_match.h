// SPDX-License-Identifier: BSD-3-Clause
//
// Dynamo's cache of one code object, for any sequence of calls: which compiled entry a call finds, in which
// order entries are asked, why one does not serve, and when the limit ends compilation.
//
// Source: torch/csrc/dynamo/extra_state.cpp (lookup) and torch/_dynamo/cache_size.py of PyTorch 2.13.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::dynamo {

/// A backend callable, as far as the comparison of a lookup sees it.
struct Backend {
    std::size_t identity = 0; ///< the object
    std::string type;         ///< of the object; equality is asked only between objects of one type
    std::string value;        ///< equal texts compare equal with ==; empty: only the object itself does

    [[nodiscard]] bool matches(const Backend& other) const {
        return identity == other.identity || (!value.empty() && type == other.type && value == other.value);
    }
};

/// Asks the guards of an entry about the present call: nothing where they hold, else what the first failing
/// one says.
using GuardCheck = std::function<std::optional<std::string>(std::size_t entry)>;

struct EntryLookup {
    std::size_t entry = 0; ///< number of the compilation that made it, from 0
    std::string reason;    ///< why it does not serve; empty for the one that does
};

struct CacheAnswer {
    enum class Kind {
        Hit,
        Compiled,
        LimitReached, ///< the frame runs uncompiled, and from now on nothing new is compiled for its code
    };
    Kind kind = Kind::Compiled;
    std::size_t entry = 0;            ///< of Hit and Compiled
    std::vector<EntryLookup> lookups; ///< in the order in which they were asked
};

class CodeCache {
public:
    /// torch._dynamo.config.recompile_limit.
    explicit CodeCache(std::size_t recompileLimit = 8)
        : m_limit(recompileLimit) {}

    /// One call. The entry that serves, or the new one, moves to the front of the next lookup.
    CacheAnswer call(const Backend& backend, const GuardCheck& guards);

    /// Entries in lookup order, newest use first.
    [[nodiscard]] const std::vector<std::size_t>& order() const { return m_order; }
    [[nodiscard]] const Backend& backendOf(std::size_t entry) const { return m_backends.at(entry); }

private:
    std::size_t m_limit;
    bool m_runOnly = false;          ///< after the limit: entries serve calls of any backend
    std::vector<Backend> m_backends; ///< by entry
    std::vector<std::size_t> m_order;
};

} // namespace dynascope::dynamo
