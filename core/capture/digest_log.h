// SPDX-License-Identifier: BSD-3-Clause
//
// A digest of a TORCH_TRACE log: the log without the records that say nothing of how ranks differ, packed by zstd. It is
// still a TORCH_TRACE log, so that whatever reads logs reads it; its first record says what was left out. Made on each
// host of a run, where the log lies, so that a digest is all that has to be brought together.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace dynascope::capture {

struct Digest {
    std::string packed;                         ///< zstd
    std::uint64_t bytes = 0;                    ///< of the log that it was made of
    std::size_t records = 0;                    ///< that it has
    std::map<std::string, std::size_t> leftOut; ///< records by type
};

/// `log` is a whole TORCH_TRACE log, unpacked; `name` is its file's, `host` the machine that this runs on, where the digest
/// is to say it: which ranks share a clock. Lines that are no record stay. Linear; holds the
/// digest in memory. An Error where the log has no record, or is a digest, or cancellation().
[[nodiscard]] Result<Digest> makeDigest(std::string_view log, const std::string& name,
                                        const TaskContext& task = {}, const std::string& host = {});

/// What the first record of a digest says, in a sentence: "a digest: left out are 2 artifact:fx_graph_runnable, ...".
/// Empty where the payload is none of a digest.
[[nodiscard]] std::string digestWords(std::string_view payload);

} // namespace dynascope::capture
