// SPDX-License-Identifier: BSD-3-Clause
//
// How recordings and runs of them are written and read in replies.
#pragma once

#include "core/engine/wire/codec.h"
#include "core/replay/recording.h"

namespace dynascope::wire {

template <>
struct Own<replay::ReplayRecording> {
    static Any toJson(const replay::ReplayRecording& value) { return replay::toJson(value); }
    static Result<replay::ReplayRecording> fromJson(const Any& value) {
        return replay::recordingFromJson(value);
    }
};

template <>
struct Own<replay::ReplayRun> {
    static Any toJson(const replay::ReplayRun& value) { return replay::toJson(value); }
    static Result<replay::ReplayRun> fromJson(const Any& value) { return replay::replayRunFromJson(value); }
};

} // namespace dynascope::wire
