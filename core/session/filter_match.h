// SPDX-License-Identifier: BSD-3-Clause
//
// One term of a filter and how it is decided, for whoever asks a filter about what is no FilterSubject
// (Filter::verdictBy).
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

/// Names of the kernels of all generated code of a compile, or of one stage; reads the code.
[[nodiscard]] std::vector<std::string> kernelNames(const Compile& compile);
[[nodiscard]] std::vector<std::string> kernelNames(const Stage& stage);

/// What `status:` looks for in a compile: how it ended, "recompile", "restarted".
[[nodiscard]] std::vector<std::string> statusWords(const Compile& compile);

/// "cap.py" or "cap.py:43", in lower case, against a place; the file part is looked for anywhere in the path.
[[nodiscard]] bool matchesPlace(std::string_view lower, const ir::SourceLocation& place);

[[nodiscard]] inline FilterVerdict verdictOf(bool holds) {
    return holds ? FilterVerdict::Yes : FilterVerdict::No;
}

/// The number of elements, where all sizes are numbers.
[[nodiscard]] std::optional<double> elements(const ir::TensorMeta& meta);
[[nodiscard]] bool compareNumbers(FilterTerm::Compare compare, double value, double wanted);

} // namespace dynascope::session
