// SPDX-License-Identifier: BSD-3-Clause
//
// Pickles: whatever is read has its numbers in range, and a snapshot made of it can be summarised.
#include "core/capture/memory_reader.h"
#include "core/capture/pickle.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>

using namespace dynascope;
using fuzz::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto pickle = capture::Pickle::read(bytes);
    if (!pickle) {
        expect(!pickle.error().message.empty());
        return 0;
    }
    expect(pickle->root() < pickle->size() && pickle->size() <= size + 1);
    for (capture::Pickle::Id id = 0; id < pickle->size(); ++id) {
        for (const capture::Pickle::Id item : pickle->items(id))
            expect(item < pickle->size());
        expect(pickle->find(id, "frames") < pickle->size());
    }
    const auto snapshot = capture::readMemorySnapshot(bytes);
    if (!snapshot) return 0;
    for (const session::DeviceMemory& device : session::summarizeMemory(*snapshot))
        expect(device.peakEvent == SIZE_MAX || device.peakEvent < device.events);
    return 0;
}
