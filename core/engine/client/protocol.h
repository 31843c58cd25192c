// SPDX-License-Identifier: BSD-3-Clause
//
// What client and engine agree on: JSON-RPC 2.0 in Content-Length frames.
//
//   initialize {protocol, client}                   -> {protocol, engine, torch, devices}
//   load       {text}                               -> {graph, nodes}         `graph` is graphHash(text)
//   coverage   {graph}                              -> {unsupported: [{node, target, reason}]}
//   execute    {graph, inputs, attrs, grad}         -> {outputs, post}
//   pass       {graph, passes, inputs, attrs, ...}  -> {graph, attrs, steps, nodes_before, nodes_after, ...}
//   status     {}                                   -> {busy, method, queued, graphs}   answered at once
//   cancel     {id}                                 -> {cancelled}                      answered at once
//   shutdown   {}                                   -> {}
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
