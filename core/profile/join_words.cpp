// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/words.h"
#include "core/profile/join.h"

#include <array>

namespace dynascope::profile {

std::string_view partName(Part part) {
    static constexpr std::array<std::string_view, 14> names = {
        "kernel",          "node",     "output_code", "guards",   "pregraph_bytecode", "runtime_prologue",
        "runtime_wrapper", "bytecode", "after_break", "in_graph", "in_frame",          "eager",
        "group_thread",    "unknown"};
    return names[static_cast<std::size_t>(part)];
}

std::string_view linkName(Link link) {
    static constexpr std::array<std::string_view, 16> names = {"",
                                                               "compile id",
                                                               "compile id, the last run that has it",
                                                               "sequence number",
                                                               "the compiled region that follows",
                                                               "cache key",
                                                               "the compile's only output code",
                                                               "kernel name",
                                                               "kernel name and order",
                                                               "operator, order and Input Dims",
                                                               "operator and order",
                                                               "after the graph of a frame that broke",
                                                               "launch",
                                                               "place in the CUDA graph",
                                                               "kernel file",
                                                               "debug handle"};
    return names[static_cast<std::size_t>(link)];
}

std::string joinDoubt(const Joined& joined) {
    if (joined.session->compiles.empty()) return "the capture has no compile that it could be joined to";
    if (joined.regions.all + joined.graphs.all + joined.kernels.all + joined.operators.all == 0)
        return "it has no compiled region and no call of output code, so that nothing in it is of a compile";
    if (joined.regions.joined + joined.graphs.joined + joined.kernels.joined + joined.operators.joined == 0)
        return "none of its " + count(joined.regions.all, "compiled region") + " and " +
               count(joined.graphs.all, "call") + " of output code is of this capture";
    if (joined.keys.all > 0 && joined.keys.joined == 0)
        return "compile ids fit, but none of its " + count(joined.keys.all, "call") +
               " of output code has a cache key of this capture: it may be of another run";
    return {};
}

} // namespace dynascope::profile
