// SPDX-License-Identifier: BSD-3-Clause
//
// The key of AOTAutograd's cache as a tree of what goes into it. PyTorch hashes each ingredient by itself
// when it is asked for details ("[hash] name[index]: value"); the recorder asks. Two keys are equal where all
// hashes are.
//
// Source: torch/_inductor/codecache.py of PyTorch 2.13, FxGraphCachePickler.debug_lines.
#pragma once

#include "core/dynamo/recording.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// An ingredient, or a group of those with one name: "inductor_config" with its settings.
struct KeyPart {
    std::string name; ///< "grad_enabled"; of one in a group its index or key
    std::string hash; ///< empty for a group
    std::string text; ///< its value as PyTorch prints it, cut off where it is long; empty for a group
    std::vector<KeyPart> parts;
};

/// From lines such as "[abc] example_inputs[0]: ...", in their order. Lines of another form are left out.
[[nodiscard]] std::vector<KeyPart> readKeyParts(const std::vector<std::string>& lines);

struct KeyDifference {
    std::string name;        ///< "example_inputs[0]"
    std::string left, right; ///< values; empty on the side that lacks it
};
/// In the order of the left key, then what only the right one has. The first is the reason to name.
[[nodiscard]] std::vector<KeyDifference> compareKeys(const std::vector<KeyPart>& left,
                                                     const std::vector<KeyPart>& right);

/// What the cache makes of one node where it is not an ordinary safe one.
struct CacheNodeVerdict {
    std::string name;
    std::string reason; ///< why it is not safe to cache; empty if it is
    bool wrapped = false;
    std::string userCacheHash;
};

/// One question to the cache.
struct CacheQuestion {
    enum class Outcome : std::uint8_t { Unknown, Hit, Miss, Bypass };
    Outcome outcome = Outcome::Unknown; ///< unknown where the key was made for no lookup
    std::uint32_t attempt = 0;
    StepIndex step = noStep;
    std::string key;          ///< empty for a bypass
    std::string bypassReason; ///< PyTorch's text
    std::vector<KeyPart> parts;
    std::vector<CacheNodeVerdict> nodes;
};

/// In the order in which they were asked.
[[nodiscard]] std::vector<CacheQuestion> cacheQuestions(const Recording& recording);

/// The same lookup of two recordings, such as of two processes that were meant to share a cache: the n-th of a
/// compile id in each.
struct LookupPair {
    std::string compileId;                         ///< "0/0"; "-" where a recording does not say
    std::size_t left = SIZE_MAX, right = SIZE_MAX; ///< into the questions; SIZE_MAX where that side has none
    std::vector<KeyDifference> differences;        ///< empty for equal keys, or where one has no details
};
/// In order of the left one, then what only the right one asked.
[[nodiscard]] std::vector<LookupPair> pairLookups(const Recording& left,
                                                  const std::vector<CacheQuestion>& ofLeft,
                                                  const Recording& right,
                                                  const std::vector<CacheQuestion>& ofRight);

} // namespace dynascope::dynamo
