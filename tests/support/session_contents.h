// SPDX-License-Identifier: BSD-3-Clause
//
// A session that has something of everything: what the fixtures of tests/data/store hold.
#pragma once

#include "core/session/byte_source.h"
#include "core/store/session_file.h"

#include <string>

namespace dynascope::test {

/// The text of the capture in contentsOf().
inline std::string capturedGraph() {
    return "graph():\n"
           "    %x : [num_users=1] = placeholder[target=x]\n"
           "    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), "
           "kwargs = {})\n"
           "    return relu\n";
}

inline store::SessionContents everything() {
    store::SessionContents contents;
    contents.inputs = {"/home/u/relu.txt", false, {{"", session::makeByteSource(capturedGraph())}}};
    const ir::Address graph{0, "-", 0, "graph", 0, ""};
    const ir::Address relu{0, "-", 0, "graph", 0, "relu"};
    contents.notes = {{relu, "why is this here?\n<b>\xC3\xA9</b>", 1793239200},
                      {graph, "the whole graph", 0}};
    contents.bookmarks = {{relu}};
    contents.stages = {
        {-1, graph, "functionalize", "mutations", 0, capturedGraph(),
         R"({"passes":["functionalize"],"steps":[]})", R"({"verdict":"equal"})"},
        {0, graph, "dce", "", 0, capturedGraph(), R"({"passes":["functionalize","dce"]})", ""}};
    contents.replays = {{graph, "cpu", R"({"median_us":1.5})"}};
    contents.layout = {{"docks", std::string("\0\xff state", 8)}, {"place", R"({"page":"stages"})"}};
    return contents;
}

} // namespace dynascope::test
