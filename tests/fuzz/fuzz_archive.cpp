// SPDX-License-Identifier: BSD-3-Clause
//
// Compressed files and archives: what is unpacked keeps to its limits and adds up; an archive of torch.export
// goes on to its reader.
#include "core/capture/export_archive.h"
#include "core/capture/packed.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace dynascope;
using fuzz::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (!capture::looksPacked(bytes)) return 0;
    constexpr capture::UnpackLimits limits{std::uint64_t{4} << 20U, 64};
    const auto unpacked = capture::unpack(bytes, "fuzz", {}, limits);
    if (!unpacked) {
        expect(!unpacked.error().message.empty());
        return 0;
    }
    expect(!unpacked->files.empty() && unpacked->files.size() <= limits.files);
    std::uint64_t total = 0;
    for (const capture::PackedFile& file : unpacked->files) {
        expect(file.source != nullptr && file.source->bytes().size() == file.bytes && file.bytes > 0);
        total += file.bytes;
    }
    expect(total <= limits.bytes);
    if (!capture::isExportArchive(unpacked->files)) return 0;
    const auto session = capture::readExportArchive(unpacked->files, "fuzz", {});
    expect(session ? !session->compiles.empty() : !session.error().message.empty());
    return 0;
}
