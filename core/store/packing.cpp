// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/packing.h"

#include <algorithm>
#include <zstd.h>

namespace dynascope::store {

namespace {

// Measured on a 12 MB log of a 24-layer model: 0.12 s and 359 KB (zstd's default: 551 KB; gzip: 1,066 KB).
constexpr int level = 12;
constexpr int windowLog = 25;
constexpr std::size_t feedSize = 1U << 20U;

tl::unexpected<Error> packError(std::size_t code) {
    return failure(std::string("session file is damaged: ") + ZSTD_getErrorName(code));
}

} // namespace

Result<void> pack(std::string_view bytes, std::size_t part, const Sink& sink, const TaskContext& task) {
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, bytes.size() > feedSize ? 1 : 0);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, bytes.size() > feedSize ? windowLog : 0);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(context.get(), bytes.size());

    std::string out(part, '\0');
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    std::size_t at = 0;
    for (bool last = false; !last;) {
        if (task.cancelled()) return cancellation();
        ZSTD_inBuffer from{bytes.data() + at, std::min(feedSize, bytes.size() - at), 0};
        last = at + from.size == bytes.size();
        for (;;) {
            const std::size_t left =
                ZSTD_compressStream2(context.get(), &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(left) != 0) return packError(left);
            const bool done = last ? left == 0 : from.pos == from.size;
            if (to.pos == to.size || (done && last)) {
                if (Result<void> taken = sink({out.data(), to.pos}); !taken) return taken;
                to.pos = 0;
            }
            if (done) break;
        }
        at += from.size;
        task.report("Packing", at, bytes.size());
    }
    return {};
}

Result<std::string> pack(std::string_view bytes) {
    std::string out;
    const Result<void> done = pack(bytes, ZSTD_CStreamOutSize(), [&out](std::string_view part) {
        out += part;
        return Result<void>();
    });
    if (!done) return tl::unexpected(done.error());
    return out;
}

struct Unpacker::Context {
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> zstd{ZSTD_createDCtx(), &ZSTD_freeDCtx};
};

Unpacker::Unpacker()
    : m_context(std::make_unique<Context>())
    , m_block(ZSTD_DStreamOutSize(), '\0') {}

Unpacker::~Unpacker() = default;

Result<void> Unpacker::feed(std::string_view part, const Sink& sink) {
    ZSTD_inBuffer from{part.data(), part.size(), 0};
    for (bool full = false; from.pos < from.size || full;) {
        ZSTD_outBuffer to{m_block.data(), m_block.size(), 0};
        const std::size_t left = ZSTD_decompressStream(m_context->zstd.get(), &to, &from);
        if (ZSTD_isError(left) != 0) return packError(left);
        m_finished = left == 0;
        full = to.pos == to.size && !m_finished;
        if (to.pos == 0) continue;
        if (Result<void> taken = sink({m_block.data(), to.pos}); !taken) return taken;
    }
    return {};
}

Result<std::string> unpack(std::string_view packed, std::uint64_t limit) {
    std::string out;
    Unpacker unpacker;
    const Result<void> done = unpacker.feed(packed, [&](std::string_view part) -> Result<void> {
        if (part.size() > limit - out.size()) return failure("session file holds a text that is too long");
        out += part;
        return {};
    });
    if (!done) return tl::unexpected(done.error());
    if (!unpacker.finished()) return failure("session file is damaged: a text ends early");
    return out;
}

} // namespace dynascope::store
