// SPDX-License-Identifier: BSD-3-Clause
//
// Session files: nothing crashes, an error is one line.
#include "core/capture/open.h"
#include "core/session/byte_source.h"
#include "core/store/session_file.h"
#include "tests/fuzz/expect.h"

#include <cstdint>
#include <string>
#include <string_view>

using namespace dynascope;
using fuzz::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto file = session::makeByteSource(std::string(reinterpret_cast<const char*>(data), size));
    const store::SessionLimits limits{std::uint64_t{64} << 20U, std::uint64_t{64} << 20U};
    const auto read = store::readSession(*file, "fuzz", {}, limits);
    if (!read) {
        expect(!read.error().message.empty());
        expect(read.error().message.find('\n') == std::string::npos);
        return 0;
    }
    for (const session::InputFile& input : read->inputs.files)
        expect(input.source != nullptr);
    for (std::size_t i = 0; i < read->stages.size(); ++i)
        expect(read->stages[i].parent >= -1 && read->stages[i].parent < static_cast<int>(i));
    for (const store::Note& note : read->notes)
        expect(ir::Address::parse(note.address.toString()) == note.address);
    static_cast<void>(capture::openInputs(read->inputs));
    return 0;
}
