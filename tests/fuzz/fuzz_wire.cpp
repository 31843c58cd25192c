// SPDX-License-Identifier: BSD-3-Clause
//
// Every request and reply of the engine's protocol, and what session files keep of replies, replays and
// rederivations, from any JSON: what can be read is written the same way again, whatever it was.
#include "core/engine/wire/aot.h"
#include "core/engine/wire/execute.h"
#include "core/engine/wire/methods.h"
#include "core/engine/wire/ranks_document.h"
#include "core/engine/wire/replay.h"
#include "core/engine/wire/stage_document.h"
#include "core/engine/wire/tree.h"
#include "core/engine/wire/verify.h"
#include "core/rederive/rederive_json.h"
#include "core/replay/replay_export.h"
#include "tests/fuzz/expect.h"

#include <cstdint>
#include <string>

using namespace dynascope;

namespace {

template <typename T>
void roundTrip(const wire::Any& document) {
    for (const wire::Missing missing : {wire::Missing::Fails, wire::Missing::NotSaid}) {
        const Result<T> read = wire::decode<T>(document, missing);
        if (!read) {
            fuzz::expect(!read.error().message.empty());
            continue;
        }
        const wire::Any written = wire::encode(*read);
        const Result<T> again = wire::decode<T>(written);
        // What was not said has its default, which need not be a value that the field may have.
        if (missing == wire::Missing::Fails) fuzz::expect(again.has_value());
        if (again) fuzz::expect(wire::encode(*again) == written);
    }
}

template <typename... T>
void roundTrips(const wire::Any& document) {
    (roundTrip<T>(document), ...);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto stage = wire::readStageDocument(text, "graph():\n    return ()"))
        fuzz::expect(wire::readStageDocument(wire::writeStageDocument(*stage), {}).has_value());
    if (const auto verdict = wire::readVerdictDocument(text))
        fuzz::expect(wire::readVerdictDocument(wire::writeVerdictDocument(*verdict)).has_value());
    if (const auto request = wire::readRanksRequest(text))
        fuzz::expect(wire::readRanksRequest(wire::writeRanksRequest(*request)).has_value());
    if (const auto result = wire::readRankResult(text); result && *result) {
        const auto again = wire::readRankResult(wire::writeRankResult(**result));
        fuzz::expect(again && *again);
    }
    if (const auto replay = replay::readKeptRun(text))
        fuzz::expect(replay::readKeptRun(wire::textOf(replay::toJson(*replay))).has_value());
    if (const auto rederivation = engine::readRederivation(text))
        fuzz::expect(engine::readRederivation(engine::writeRederivation(*rederivation)).has_value());
    const wire::Any document = wire::parsed(text);
    roundTrips<wire::AotReply, wire::AotRequest, wire::CancelReply, wire::CancelRequest, wire::CoverageReply,
               wire::CreditRequest, wire::DropReply, wire::DropRequest, wire::EnvironmentReply,
               wire::ExecuteReply, wire::ExecuteRequest, wire::InitializeReply, wire::InitializeRequest,
               wire::LoadReply, wire::LoadRequest, wire::NodeValue, wire::OnGraph, wire::PassReply,
               wire::PassRequest, wire::PassStep, wire::PassSummary, wire::PassesReply, wire::PluginsReply,
               wire::RankResult, wire::RanksReply, wire::RanksRequest, wire::RecordReply, wire::RecordRequest,
               wire::RunOn, wire::RunTensor, wire::ReplayReply, wire::ReplayRequest, wire::StatusReply,
               wire::TensorReply, wire::TensorRequest, wire::TreeBeginReply, wire::TreeDropRequest,
               wire::TreeFunctionReply, wire::TreeFunctionRequest, wire::TreeNextReply, wire::TreeNextRequest,
               wire::TreeReply, wire::TreeRequest, wire::VerifyReply, wire::VerifyRequest, wire::WriteBack>(
        document);
    return 0;
}
