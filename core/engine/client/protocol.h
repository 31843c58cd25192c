// SPDX-License-Identifier: BSD-3-Clause
//
// What client and engine agree on: JSON-RPC 2.0 in Content-Length frames.
//
//   initialize {protocol, client}                   -> {protocol, engine, torch, devices}
//   load       {text}                               -> {graph, nodes}         `graph` is graphHash(text)
//   coverage   {graph}                              -> {unsupported: [{node, target, reason}]}
//   execute    {graph, inputs, attrs, grad}         -> {outputs, post}
//   pass       {graph, passes, inputs, attrs, ...}  -> {graph, attrs, steps, nodes_before, nodes_after, ...}
//   verify     {graph, computed | passes, ...}      -> {verdict, checks, first_difference, reason, ...}
//   status     {}                                   -> {busy, method, queued, graphs}   answered at once
//   cancel     {id}                                 -> {cancelled}                      answered at once
//   shutdown   {}                                   -> {}
//
// verify {graph, attrs, inputs, aliasing, strict, seed, and
//         computed, computed_attrs, write_back, steps    a graph that was loaded, with what "pass" said of it
//      or passes, and the options of "pass"              what these passes make of `graph`
// } -> {
//   verdict           "equal"; "different"; "order-dependent" (eager reads what it writes, in an order that
//                     nobody defined) and "random" (random numbers, or memory that nobody wrote) where that
//                     explains a difference; "declined" where eager raises, so that there is nothing to hold to
//   reason            one sentence; may be empty where equal
//   checks            [{what, property, ok, counts, expected, actual, max_abs, max_rel, cell}]: `what` is
//                     "output #0", "input x after the call", "storage 0 after the call", "gradient of x" or
//                     "the call"; `property` values, dtype, shape, strides, storage, identity, error. A check
//                     that does not count leaves the verdict alone: strides, storages and identities of
//                     outputs, which functionalization does not keep, count with `strict` only. The last
//                     three members come with values: how far apart, and the first cell that differs
//   first_difference  null, or {computed, source, index, expected, actual, text, among, runs, how}: names of the node
//                     at which the graphs part although all that it reads agrees, and of the source's node that
//                     it stands for (null: none); the first cell with both values; nodes of the computed graph
//                     that stand for none and lie before it, so that the fault may be theirs; runs of each
//                     graph that it took to find it
//   inputs, variants  with `aliasing` every way of sharing memory that the inputs allow is tried: which one
//                     the answer is about (the worst), and [{inputs, verdict, reason}] of all
//   matched           pairs of nodes that could be compared
//   graph, warnings   of the passes, where these ran }
//
// `inputs` and `attrs` have the form of an oracle case (tests/oracle/README.md). While a request runs, the
// engine may send notifications "progress" {id, phase, done, total}.
#pragma once

#include <string>
#include <string_view>

namespace dynascope::engine {

/// Rises when an older client or engine could misread the other.
inline constexpr int protocolVersion = 1;

/// JSON-RPC error codes; those below -32000 are the standard's and the Language Server Protocol's.
enum class ErrorCode : int {
    ParseError = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    Cancelled = -32800,
    Failed = 1,       ///< the request was understood and could not be carried out
    UnknownGraph = 2, ///< the engine does not hold this graph (any more): load it again
};

/// Names a graph's text: MD5 in hexadecimal.
[[nodiscard]] std::string graphHash(std::string_view text);

} // namespace dynascope::engine
