// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dynascope::wire {

struct AotReply;
struct AotRequest;
struct CoverageReply;
struct DropReply;
struct DropRequest;
struct EnvironmentReply;
struct ExecuteReply;
struct ExecuteRequest;
struct LoadReply;
struct LoadRequest;
struct OnGraph;
struct PassReply;
struct PassRequest;
struct PassesReply;
struct PluginsReply;
struct RanksReply;
struct RanksRequest;
struct RecordReply;
struct RecordRequest;
struct ReplayReply;
struct ReplayRequest;
struct TensorReply;
struct TensorRequest;
struct TreeBeginReply;
struct TreeDropRequest;
struct TreeFunctionReply;
struct TreeFunctionRequest;
struct TreeNextReply;
struct TreeNextRequest;
struct TreeReply;
struct TreeRequest;
struct VerifyReply;
struct VerifyRequest;

} // namespace dynascope::wire
