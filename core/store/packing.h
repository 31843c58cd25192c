// SPDX-License-Identifier: BSD-3-Clause
//
// Zstandard, as session files and digests of logs pack what they hold.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace dynascope::store {

/// Takes bytes as they come; an Error ends the work.
using Sink = std::function<Result<void>(std::string_view)>;

/// Packs `bytes` in a window large enough that a layer that comes again 10 MB later costs nothing, and hands
/// the result on in parts of at most `part` bytes.
[[nodiscard]] Result<void> pack(std::string_view bytes, std::size_t part, const Sink& sink,
                                const TaskContext& task = {});
[[nodiscard]] Result<std::string> pack(std::string_view bytes);

/// Unpacks what comes in parts. Memory is bounded by the window, 128 MiB, whatever the input says.
class Unpacker {
public:
    Unpacker();
    Unpacker(const Unpacker&) = delete;
    Unpacker& operator=(const Unpacker&) = delete;
    ~Unpacker();

    /// An Error where `part` is damaged or `sink` fails.
    [[nodiscard]] Result<void> feed(std::string_view part, const Sink& sink);
    /// Whether what was fed ends where a packed text ends.
    [[nodiscard]] bool finished() const { return m_finished; }

private:
    struct Context;
    std::unique_ptr<Context> m_context;
    std::string m_block;
    bool m_finished = true;
};

/// At most `limit` bytes; an Error for more.
[[nodiscard]] Result<std::string> unpack(std::string_view packed, std::uint64_t limit);

} // namespace dynascope::store
