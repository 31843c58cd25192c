// SPDX-License-Identifier: BSD-3-Clause
//
// How recordings and runs of them are written and read in replies.
#pragma once

#include "core/base/codec.h"
#include "core/replay/recording.h"

namespace dynascope::wire {

template <>
struct Own<replay::ReplayRecording> {
    static Any toJson(const replay::ReplayRecording& value) { return replay::toJson(value); }
    static void read(Reader& reader, const Any& at, replay::ReplayRecording& out) {
        if (auto made = replay::recordingFromJson(at))
            out = std::move(*made);
        else
            reader.failWith(made.error().message);
    }
};

template <>
struct Own<replay::ReplayRun> {
    static Any toJson(const replay::ReplayRun& value) { return replay::toJson(value); }
    static void read(Reader& reader, const Any& at, replay::ReplayRun& out) {
        if (auto made = replay::replayRunFromJson(at))
            out = std::move(*made);
        else
            reader.failWith(made.error().message);
    }
};

} // namespace dynascope::wire
