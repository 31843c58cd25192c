// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/capture/open.h"
#include "core/profile/join.h"
#include "tests/support/trace_text.h"

#include <QtGlobal>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace dynascope::test {

/// The profile of a folder in tests/data/profile, joined to the capture beside it.
inline profile::JoinedPtr joinedFolder(const std::string& name) {
    const auto session = capture::open(DYNASCOPE_TEST_DATA "/profile/" + name);
    if (!session) qFatal("%s", session.error().toString().c_str());
    if ((*session)->profiles.size() != 1 || !(*session)->warnings.empty()) qFatal("%s: odd", name.c_str());
    return profile::join(*session, session::attachedAs<profile::Profile>((*session)->profiles.front()))
        .value_or(nullptr);
}

/// The same capture with generated code that throws "the disk is gone" when a worker reads it; so does joining its
/// profile. The thread of this call, on which nothing catches that, reads nothing.
inline session::SessionPtr unjoinableFolder(const std::string& name) {
    class Gone : public session::ByteSource {
        [[nodiscard]] std::string_view bytes() const override {
            if (std::this_thread::get_id() == m_maker) return {};
            throw std::runtime_error("the disk is gone");
        }
        std::thread::id m_maker = std::this_thread::get_id();
    };
    const auto session = capture::open(DYNASCOPE_TEST_DATA "/profile/" + name);
    if (!session) qFatal("%s", session.error().toString().c_str());
    auto out = std::make_shared<session::Session>(**session);
    for (session::Compile& compile : out->compiles)
        for (session::StagePtr& stage : compile.stages) {
            if (stage->content != session::Stage::Content::Code) continue;
            auto spoiled = std::make_shared<session::Stage>(*stage);
            spoiled->payload.source = std::make_shared<Gone>();
            stage = std::move(spoiled);
        }
    return out;
}

/// Output code of a kernel and two products on a GPU, which the cache knows as "fabc"; ends the compile. With comments,
/// it says of each product what node it is.
inline void addProductsOnGpu(TraceText& text, bool withComments = false) {
    const auto comment = [&](const std::string& node, int handle) {
        return withComments
                   ? "    # Topologically Sorted Source Nodes: [" + node + "], Original ATen: [aten.mm]\n" +
                         "    # [Provenance debug handles] extern_kernels.mm:" + std::to_string(handle) + "\n"
                   : "";
    };
    text.add(
        "\"inductor_output_code\": {\"filename\": \"x.py\"}",
        std::string("# AOT ID: ['0_inference']\n") +
            "triton_poi_fused_relu_0 = async_compile.triton('triton_poi_fused_relu_0', '''\nkernel\n''', "
            "device_str='cuda')\n"
            "def call(args):\n"
            "    triton_poi_fused_relu_0.run(a, buf0, 64)\n" +
            comment("mm", 2) + "    extern_kernels.mm(buf0, a, out=buf1)\n" + comment("mm_1", 3) +
            "    extern_kernels.mm(buf1, a, out=buf2)\n"
            "    return (buf2, )\n");
    text.add("\"artifact\": {\"name\": \"fx_graph_cache_miss\", \"encoding\": \"json\"}",
             R"({"key": "fabc"})");
    text.metrics();
}

} // namespace dynascope::test
