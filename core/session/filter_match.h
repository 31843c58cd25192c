// SPDX-License-Identifier: BSD-3-Clause
//
// One term of a filter and how it is decided. Used by filter.cpp only.
#pragma once

#include "core/session/filter.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::session {

struct FilterTerm {
    enum class Compare : std::uint8_t {
        Contains,
        Equal,
        Less,
        AtMost,
        More,
        AtLeast
    } compare = Compare::Contains;
    std::string key; ///< empty for a free word
    std::string value;
    std::string lower; ///< value in lower case
    std::optional<double> number;

    void prepare(); ///< fills `lower` and `number` from the rest
    /// The key's values are numbers.
    [[nodiscard]] bool numeric() const { return key == "time" || key == "numel"; }
    [[nodiscard]] FilterVerdict verdict(const FilterSubject& subject) const;
};

/// Names of the kernels of all generated code of a compile; reads the code.
[[nodiscard]] std::vector<std::string> kernelNames(const Compile& compile);

} // namespace dynascope::session
