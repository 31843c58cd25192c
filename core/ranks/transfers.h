// SPDX-License-Identifier: BSD-3-Clause
//
// Who sends what to whom in a call: sends and receives, one by one or in a batch, and the splits of all_to_all_single. Read
// from the graph's text alone. Used by core/ranks only.
#pragma once

#include "core/ranks/collectives.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ranks::detail {

/// One send or receive.
struct Transfer {
    bool send = false;
    int peer = 0; ///< the other rank, as the run counts ranks
    std::int64_t tag = 0;
    std::string shape; ///< "f32[8, 4]"; empty where the graph does not say
    friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// By member of the group: how much goes to each, and how much comes from each, along the first dimension.
struct Splits {
    std::vector<std::int64_t> sent, received;
    friend bool operator==(const Splits&, const Splits&) = default;
};

struct Transfers {
    std::vector<Transfer> list;
    std::optional<Splits> splits;
    /// A send or receive of which this cannot be read: of another operator, or with a peer that is no number.
    bool unreadable = false;
    [[nodiscard]] bool empty() const { return list.empty() && !splits && !unreadable; }
};

/// Whether the name of an operator, or a target with it, is one of the compiled sends and receives: isend, irecv,
/// batch_p2p_ops.
[[nodiscard]] bool isTransferName(std::string_view name);

/// Of a call that collectivesOf() found in that graph; empty for what is neither. Splits that are no numbers are none.
[[nodiscard]] Transfers transfersOf(const ir::Graph& graph, const Collective& call);

} // namespace dynascope::ranks::detail
