// SPDX-License-Identifier: BSD-3-Clause
//
// Both ends of a capture on another machine. After an "L" comes a log: what opens from its index is what opens from the
// log, and every piece that stayed comes back in its place. Else an index as a machine might send it.
#include "core/capture/log_index.h"
#include "core/capture/open.h"
#include "core/remote/away_source.h"
#include "core/session/byte_source.h"
#include "tests/fuzz/expect.h"

#include <cstring>
#include <string>

using namespace dynascope;
using fuzz::expect;

namespace {

std::string toldOf(const Result<capture::Opened>& opened) {
    if (!opened) return opened.error().toString();
    std::string out;
    for (const session::Compile& compile : opened->session->compiles) {
        out += compile.id.toString() + ' ' + std::to_string(compile.stages.size()) + ' ';
        for (const session::StagePtr& stage : compile.stages)
            out += stage->label() + ' ' + std::to_string(stage->line) + ' ' +
                   std::to_string(stage->payload.offset) + '\n';
    }
    for (const session::Warning& warning : opened->session->warnings)
        out += warning.error.toString() + '\n';
    for (const auto& [path, file] : opened->session->sources)
        out += path + ' ' + std::to_string(file.lines.size()) + '\n';
    return out + std::to_string(opened->session->records.size());
}

void bothEnds(std::string log) {
    const auto staying = capture::stayingPieces(log, {});
    expect(staying.has_value());
    remote::IndexReply reply{log.size(), staying->size()};
    for (const capture::StayingPiece& one : *staying)
        reply.here -= one.piece.length;
    const session::ByteSourcePtr whole = session::makeByteSource(std::move(log));
    if (whole->bytes().empty()) return;
    bool asked = false;
    const auto away =
        remote::awaySource(remote::indexText(whole->bytes(), *staying), reply, whole->bytes().size(),
                           [&](std::span<const session::AwayPiece> wanted) -> Result<std::string> {
                               asked = true;
                               std::string out;
                               for (const session::AwayPiece& piece : wanted)
                                   out.append(whole->bytes().substr(piece.offset, piece.length));
                               return out;
                           });
    expect(away.has_value());
    const auto opened = capture::openSavedInputs({"x.log", false, {{{}, *away}}}, {});
    expect(!asked);
    expect(toldOf(opened) == toldOf(capture::openSavedInputs({"x.log", false, {{{}, whole}}}, {})));
    expect((*away)->need(0, UINT64_MAX).has_value());
    expect((*away)->bytes() == whole->bytes());
}

void anyIndex(std::string_view bytes) {
    std::uint64_t numbers[3] = {};
    if (bytes.size() < sizeof numbers) return;
    std::memcpy(numbers, bytes.data(), sizeof numbers);
    const auto source = remote::awaySource(
        bytes.substr(sizeof numbers), {numbers[0], numbers[1]}, numbers[2],
        [](std::span<const session::AwayPiece>) -> Result<std::string> { return std::string("x"); });
    if (!source) return expect(!source.error().message.empty());
    expect((*source)->bytes().size() == numbers[2]);
    (void)(*source)->need(0, UINT64_MAX);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (bytes.starts_with('L'))
        bothEnds(std::string(bytes.substr(1)));
    else
        anyIndex(bytes);
    return 0;
}
