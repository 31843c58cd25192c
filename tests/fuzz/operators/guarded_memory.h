// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for tensors in which every block lies against a page that nobody may touch, so that LibTorch's own
// reads and writes past a tensor fault, though LibTorch is built without a sanitizer.
#pragma once

#include <cstddef>

namespace dynascope::fuzz {

enum class Flush { End, Begin };

/// From now on every CPU tensor of this process gets guarded memory, filled with a pattern that is no valid
/// index. Freed memory is given back, so that a use after that faults too. Not thread-safe against
/// setFlush().
void guardTensorMemory();

/// Which side of the next blocks has the page: bytes before a block that is flush with its end, and after one
/// that is flush with its begin, go unnoticed up to the next page.
void setFlush(Flush flush);

} // namespace dynascope::fuzz
