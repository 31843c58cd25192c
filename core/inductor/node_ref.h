// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace dynascope::inductor {

/// A node of an FX graph by the number that the recorder gave it, which it keeps whatever it is called. Zero is none.
struct NodeRef {
    std::uint64_t id = 0;
    std::string name;
    friend bool operator==(const NodeRef&, const NodeRef&) = default;
};

} // namespace dynascope::inductor
