// SPDX-License-Identifier: BSD-3-Clause
//
// Dumps of the flight recorder, as pickles and as JSON: whatever is read can be judged against a capture without ranks.
#include "core/capture/flight_reader.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>

using namespace dynascope;
using fuzz::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    auto dump = capture::readFlightDump(bytes);
    if (!dump) {
        expect(!dump.error().message.empty());
        return 0;
    }
    expect(dump->entries.size() <= size);
    dump->rank = 0;
    const session::Session session;
    ranks::Report report;
    ranks::addFlight(session, {*dump}, report);
    expect(report.waiting != nullptr);
    for (const ranks::Waiting& waiting : *report.waiting)
        expect(!waiting.text.empty() && waiting.missing.size() <= size);
    return 0;
}
