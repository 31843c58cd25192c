// SPDX-License-Identifier: BSD-3-Clause
//
// Drawings of graphs, FX's and CUDA's: what is read of FX has its inputs in range and prints.
#include "core/capture/dot_graph.h"
#include "core/ir/text.h"
#include "core/replay/cuda_dot.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace dynascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static_cast<void>(replay::readCudaDot({reinterpret_cast<const char*>(data), size}));
    const auto graph = capture::readDotGraph({reinterpret_cast<const char*>(data), size});
    if (!graph) {
        if (graph.error().message.empty()) std::abort();
        return 0;
    }
    for (ir::NodeIndex i = 0; i < (*graph)->size(); ++i)
        for (const ir::NodeIndex input : (*graph)->inputs(i))
            if (input >= (*graph)->size()) std::abort();
    static_cast<void>(ir::readGraph(ir::printReadable(**graph).text));
    return 0;
}
