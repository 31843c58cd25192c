// SPDX-License-Identifier: BSD-3-Clause
//
// .pt2 archives, unpacked: the input is a row of files, each after a line "=== PATH". What opens has its
// indices in range, and its graphs can be printed and read back.
#include "core/capture/export_archive.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace dynascope;
using fuzz::expect;

namespace {

std::vector<capture::PackedFile> filesOf(std::string_view text) {
    constexpr std::string_view mark = "=== ";
    std::vector<capture::PackedFile> out;
    while (text.starts_with(mark)) {
        const std::size_t line = text.find('\n');
        if (line == std::string_view::npos) break;
        const std::string name(text.substr(mark.size(), line - mark.size()));
        text.remove_prefix(line + 1);
        const std::size_t next = text.find("\n=== ");
        std::string content(text.substr(0, next));
        text.remove_prefix(next == std::string_view::npos ? text.size() : next + 1);
        const std::uint64_t bytes = content.size();
        out.push_back({name, session::makeByteSource(std::move(content)), bytes});
    }
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<capture::PackedFile> files = filesOf({reinterpret_cast<const char*>(data), size});
    const auto session = capture::readExportArchive(files, "fuzz.pt2", {});
    if (!session) {
        expect(!session.error().message.empty());
        return 0;
    }
    expect(session->records.size() == files.size() && session->compiles.size() == 1);
    for (const session::StagePtr& stage : session->compiles.front().stages) {
        expect(stage->record < session->records.size());
        const auto graph = stage->graph();
        expect(graph.has_value());
        for (ir::NodeIndex i = 0; i < (*graph)->size(); ++i)
            for (const ir::NodeIndex input : (*graph)->inputs(i))
                expect(input < (*graph)->size());
        static_cast<void>(ir::readGraph(ir::printFx(**graph)));
    }
    return 0;
}
