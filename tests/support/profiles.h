// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/capture/open.h"
#include "core/profile/join.h"
#include "tests/support/trace_text.h"

#include <QtGlobal>
#include <string>

namespace dynascope::test {

/// The profile of a folder in tests/data/profile, joined to the capture beside it.
inline profile::JoinedPtr joinedFolder(const std::string& name) {
    const auto session = capture::open(DYNASCOPE_TEST_DATA "/profile/" + name);
    if (!session) qFatal("%s", session.error().toString().c_str());
    if ((*session)->profiles.size() != 1 || !(*session)->warnings.empty()) qFatal("%s: odd", name.c_str());
    return profile::join(*session, session::attachedAs<profile::Profile>((*session)->profiles.front()))
        .value_or(nullptr);
}

/// Output code of a kernel and two products on a GPU, which the cache knows as "fabc"; ends the compile.
inline void addProductsOnGpu(TraceText& text) {
    text.add("\"inductor_output_code\": {\"filename\": \"x.py\"}",
             "# AOT ID: ['0_inference']\n"
             "triton_poi_fused_relu_0 = async_compile.triton('triton_poi_fused_relu_0', '''\nkernel\n''', "
             "device_str='cuda')\n"
             "def call(args):\n"
             "    triton_poi_fused_relu_0.run(a, buf0, 64)\n"
             "    extern_kernels.mm(buf0, a, out=buf1)\n"
             "    extern_kernels.mm(buf1, a, out=buf2)\n"
             "    return (buf2, )\n");
    text.add("\"artifact\": {\"name\": \"fx_graph_cache_miss\", \"encoding\": \"json\"}",
             R"({"key": "fabc"})");
    text.metrics();
}

} // namespace dynascope::test
