// SPDX-License-Identifier: BSD-3-Clause
//
// Errors as values. Every reader of outside input returns Result<T>; nothing in core throws across a public
// function, and nothing in core prints.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace dynascope {

/// One clear line about what went wrong and where. Lines and columns count from 1; 0 means "not known".
struct Error {
    std::string message; ///< Cause, sentence case, without the place and without a full stop.
    std::string file{};  ///< Path or a label such as "pasted text"; may be empty.
    std::size_t line = 0;
    std::size_t column = 0;
    /// What a caller may want to tell apart; the message says more.
    enum class Code : unsigned char {
        Failed,
        Cancelled,     ///< the task was; nobody need be told
        NothingToRead, ///< the input has nothing yet that could be read: a log without a whole record
    } code = Code::Failed;

    [[nodiscard]] bool isCancelled() const { return code == Code::Cancelled; }
    /// "file:line:column: message", leaving out what is not known.
    [[nodiscard]] std::string toString() const;

    friend bool operator==(const Error&, const Error&) = default;
};

template <typename T>
using Result = tl::expected<T, Error>;

/// For a function that returns a Result: an error with its place, as far as that is known.
[[nodiscard]] inline tl::unexpected<Error> failure(std::string message, std::string file = {},
                                                   std::size_t line = 0, std::size_t column = 0) {
    return tl::unexpected(Error{std::move(message), std::move(file), line, column});
}

/// For work whose task was cancelled.
[[nodiscard]] inline tl::unexpected<Error> cancellation() {
    return tl::unexpected(Error{"cancelled", {}, 0, 0, Error::Code::Cancelled});
}

} // namespace dynascope
