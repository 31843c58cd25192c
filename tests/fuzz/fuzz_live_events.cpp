// SPDX-License-Identifier: BSD-3-Clause
//
// The stream of live events from any bytes: frames, their batches, and batches of any bytes.
#include "core/engine/wire/framing.h"
#include "core/replay/live_events.h"
#include "tests/fuzz/expect.h"

#include <cstdint>

using namespace dynascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    engine::FrameReader frames;
    frames.append(bytes);
    replay::LiveReader reader;
    for (;;) {
        const auto frame = frames.nextFrame();
        if (!frame || !*frame) break;
        const std::uint64_t before = reader.events();
        const auto events = reader.read((*frame)->body);
        fuzz::expect(reader.events() == before + (events ? events->size() : 0));
        // What is a batch is written the same way again.
        if (events) fuzz::expect(replay::liveBatch(before, *events) == (*frame)->body);
    }
    replay::LiveReader alone;
    const auto events = alone.read(bytes);
    fuzz::expect(!events || replay::liveBatch(0, *events) == bytes);
    return 0;
}
