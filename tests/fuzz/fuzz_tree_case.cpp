// SPDX-License-Identifier: BSD-3-Clause
//
// Any case of kind cudagraph_tree_trace runs to its end, and the way back ends where it began.
#include "core/replay/tree_simulator.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>
#include <utility>

using namespace dynascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Result<replay::TreeProgram> program = replay::readTreeCase({reinterpret_cast<const char*>(data), size});
    if (!program) return 0;
    const std::size_t events = program->events.size();
    replay::TreeSimulation simulation(std::move(*program));
    simulation.run();
    const replay::TreeManager& manager = simulation.manager();
    fuzz::expect(manager.steps().size() == events);
    replay::TreeCursor cursor(manager.changes());
    cursor.moveTo(SIZE_MAX);
    fuzz::expect(cursor.state() == manager.state());
    cursor.moveTo(0);
    fuzz::expect(cursor.state() == replay::TreeState{});
    return 0;
}
