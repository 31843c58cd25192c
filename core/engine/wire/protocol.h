// SPDX-License-Identifier: BSD-3-Clause
//
// What client and engine agree on: JSON-RPC 2.0 in Content-Length frames. Requests and replies are the types
// of core/engine/wire, whose fields say what they hold; a method on a graph also has `graph`, graphHash() of
// a text that was loaded.
//
//   method         request, reply                            in core/engine/wire
//   initialize     InitializeRequest, InitializeReply        methods.h
//   environment    {}, EnvironmentReply                      methods.h
//   load           LoadRequest, LoadReply                    methods.h
//   coverage       {graph}, CoverageReply                    methods.h
//   passes         {}, PassesReply                           methods.h
//   plugins        {}, PluginsReply                          methods.h
//   execute        ExecuteRequest, ExecuteReply on a graph   execute.h
//   tensor         TensorRequest, TensorReply, bulk data     execute.h
//   pass           PassRequest, PassReply on a graph         pass.h
//   verify         VerifyRequest, VerifyReply on a graph     verify.h
//   aot            AotRequest, AotReply on a graph           aot.h
//   record         RecordRequest, RecordReply on a graph     replay.h
//   replay         ReplayRequest, ReplayReply, bulk data     replay.h
//   drop           DropRequest, DropReply                    replay.h
//   ranks          RanksRequest, RanksReply                  ranks.h
//   tree_function  TreeFunctionRequest, TreeFunctionReply on a graph  tree.h
//   tree           TreeRequest, TreeReply                    tree.h
//   tree_begin     TreeRequest, TreeBeginReply               tree.h
//   tree_next      TreeNextRequest, TreeNextReply            tree.h
//   tree_drop      TreeDropRequest, {}                       tree.h
//   status         {}, StatusReply: answered at once         methods.h
//   cancel         CancelRequest, CancelReply: at once       methods.h
//   credit         CreditRequest, {}: at once                methods.h
//   shutdown       {}, {}
//
// Bulk data never crosses as JSON. It comes before the answer, in frames of at most 1 MiB with the header
// "Stream: ID" (framing.h), of which each costs a credit; the answer's `bytes` says how many there were. A
// request brings its first credits along (`credits` in its parameters), and the notification "credit" brings
// more. An engine without credits waits, while status, cancel and credit are still answered; after a minute
// the request fails.
//
// An execute that fails has {node, target, values} in its error's data: what was computed before.
//
// While a request runs, the engine may send notifications "progress" {id, phase, done, total}.
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
    UnknownPlan = 3,  ///< nor this recording: record it again
    NoBackend = 4,    ///< the backend that was asked for does not work here
};

/// Names a graph's text: MD5 in hexadecimal.
[[nodiscard]] std::string graphHash(std::string_view text);

} // namespace dynascope::engine
