// SPDX-License-Identifier: BSD-3-Clause
//
// Two lookups of one cache in a capture, and what their keys were made from.
#pragma once

#include "core/compare/compare.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::compare {

/// A lookup by its place: indices into Session::compiles and Compile::caches.
struct Lookup {
    std::size_t compile = none, event = none;
    friend bool operator==(const Lookup&, const Lookup&) = default;
};

/// The lookup that a record is of; nothing where it is of none.
[[nodiscard]] std::optional<Lookup> lookupOf(const session::Session& session, std::size_t record);

/// The other lookups of the same cache that have a record, in the order of compiles.
[[nodiscard]] std::vector<Lookup> otherLookups(const session::Session& session, const Lookup& of);

/// Whether a cache was asked twice, with records. Ends with the first that was.
[[nodiscard]] bool hasTwoLookups(const session::Session& session);

/// The first lookup of compile `preferred`, else of any, that has another one to compare with; nothing where none has.
[[nodiscard]] std::optional<Lookup> comparableLookup(const session::Session& session, std::size_t preferred);

/// "0/1 miss, line 123".
[[nodiscard]] std::string lookupName(const session::Session& session, const Lookup& lookup);

/// Lines that say what both were asked for, with which keys, and which parts of the keys differ, as far as the log
/// lists them. Addresses count as alike.
[[nodiscard]] std::string explainLookups(const session::Session& session, const Lookup& a, const Lookup& b);

} // namespace dynascope::compare
