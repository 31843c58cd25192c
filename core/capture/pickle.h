// SPDX-License-Identifier: BSD-3-Clause
//
// Pickles of plain data (PEP 307, PEP 3154 and Lib/pickletools.py; protocols 0 to 5). Only the opcodes that
// build numbers, texts, lists, tuples, dicts and sets are carried out. One that would import a name, call
// something or make an object ends the reading with an Error, so a pickle from a stranger can do nothing.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynascope::capture {

struct PickleLimits {
    std::size_t values = 100'000'000; ///< made, shared ones once
    std::size_t depth = 200;          ///< of marks that are open at once
};

/// The values of one pickle. Values refer to each other by number, may be shared and may even contain
/// themselves: who walks them bounds the depth. Immutable once read; texts view into the input or `this`.
class Pickle {
public:
    using Id = std::uint32_t;
    static constexpr Id none = 0; ///< the number of None, and what lookups give that find nothing

    struct Bytes {
        std::string_view data;
    };
    enum class Shape : std::uint8_t { List, Tuple, Set };
    struct Sequence {
        Shape shape = Shape::List;
        std::vector<Id> items;
    };
    struct Dict {
        /// Key, value, key, value, ... in order of writing; a key may recur, its last counts
        std::vector<Id> items;
    };
    /// Integers beyond 64 bits become doubles.
    using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string_view,
                               Bytes, Sequence, Dict>;

    /// The bytes must outlive the result. An Error names the opcode and where it stands.
    [[nodiscard]] static Result<Pickle> read(std::string_view bytes, const TaskContext& task = {},
                                             const PickleLimits& limits = {});

    [[nodiscard]] Id root() const { return m_root; }
    [[nodiscard]] const Value& value(Id id) const { return m_values[id]; }
    [[nodiscard]] std::size_t size() const { return m_values.size(); }

    /// Items of a list, tuple or set; empty for others.
    [[nodiscard]] const std::vector<Id>& items(Id id) const;
    /// What a dict holds under a text, among its last 256 entries; `none` where it does not or is no dict.
    [[nodiscard]] Id find(Id dict, std::string_view key) const;
    [[nodiscard]] std::string_view text(Id id) const; ///< "" where it is none
    /// 0 where it is no integer or negative.
    [[nodiscard]] std::uint64_t unsignedInteger(Id id) const;
    [[nodiscard]] std::int64_t integer(Id id, std::int64_t fallback = 0) const;
    [[nodiscard]] bool boolean(Id id) const;

private:
    class Reader;

    std::vector<Value> m_values = {std::monostate()};
    std::deque<std::string> m_decoded; ///< texts that the input spells with escapes
    Id m_root = none;
};

/// True if the bytes begin as a pickle of protocol 2 or later, or as a dict in one of protocol 0 or 1.
[[nodiscard]] bool looksLikePickle(std::string_view head);

} // namespace dynascope::capture
