// SPDX-License-Identifier: BSD-3-Clause
//
// Graph text of any kind: nothing crashes, and what was read prints to text that reads and prints the same
// again.
#include "core/ir/text.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace dynascope::ir;
using dynascope::fuzz::expect;

namespace {

void checkGraph(const Graph& graph) {
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        static_cast<void>(opKind(graph.node(i)));
        for (const NodeIndex input : graph.inputs(i))
            expect(input < graph.size());
    }
    const ReadableText readable = printReadable(graph);
    std::size_t lines = 0;
    for (const char c : readable.text)
        lines += c == '\n' ? 1U : 0U;
    expect(lines + 1 >= readable.nodeOfLine.size());
    static_cast<void>(printFx(graph));
    static_cast<void>(printJson(graph));
    static_cast<void>(printDot(graph));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(looksLikeGraph(text));
    if (const auto graph = readGraph(text)) {
        checkGraph(**graph);
    } else {
        expect(!graph.error().message.empty());
        expect(graph.error().column <= size + 1);
    }
    for (const FoundGraph& found : readPasted(text).graphs) {
        expect(found.firstLine >= 1 && found.firstLine <= found.lastLine);
        checkGraph(*found.graph);
    }
    return 0;
}
