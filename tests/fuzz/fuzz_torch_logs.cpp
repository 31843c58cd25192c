// SPDX-License-Identifier: BSD-3-Clause
//
// TORCH_LOGS text: messages are pieces of the joined text, in order and without gaps; every message is a
// record, and the session has its indices in range.
#include "core/capture/log_lines.h"
#include "core/capture/log_reader.h"
#include "core/session/byte_source.h"
#include "tests/fuzz/expect.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace dynascope;
using fuzz::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto log = capture::readLogMessages(text);
    expect(log.has_value());
    std::size_t total = 0, line = 0;
    for (const capture::LogMessage& message : log->messages) {
        expect(message.line >= line);
        line = message.line;
        total += message.length;
        expect(message.offset + message.length <= log->text->bytes().size());
        expect(message.fileOffset + message.fileLength <= size);
    }
    expect(total == log->text->bytes().size());
    const auto session = capture::readTorchLogs({{session::makeByteSource(text), "fuzz", -1}}, {});
    expect(session && session->records.size() == log->messages.size());
    for (const session::Compile& compile : session->compiles) {
        for (const std::size_t record : compile.records)
            expect(record < session->records.size());
        for (const session::StagePtr& stage : compile.stages)
            static_cast<void>(stage->graph());
    }
    // The same as the logs of two ranks.
    std::vector<capture::RankLog> halves;
    for (const std::string& half : {text.substr(0, size / 2), text.substr(size / 2)})
        halves.push_back({session::makeByteSource(half), "half", int(halves.size())});
    const auto ranks = capture::readTorchLogs(halves, {});
    expect(ranks.has_value());
    for (const session::Compile& compile : ranks->compiles)
        expect(compile.rank >= 0 && ranks->find(compile.rank, compile.id.toString()) != nullptr);
    return 0;
}
