// SPDX-License-Identifier: BSD-3-Clause
//
// Goes through JSON text in place, one value after the other, and skips what nobody asks for: no tree, no copy, memory
// of a few bytes however large the text. Total: what is no JSON, or ends early, is `false`, and at() stands where it
// was found. Of one thread; the text must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynascope::profile {

class JsonCursor {
public:
    explicit JsonCursor(std::string_view text, std::size_t at = 0)
        : m_text(text)
        , m_at(at) {}

    [[nodiscard]] std::size_t at() const { return m_at; }
    void moveTo(std::size_t at) { m_at = at; }
    /// Whether what was asked for last failed since the text ends.
    [[nodiscard]] bool isAtEnd() const { return m_at >= m_text.size(); }

    /// The next character that is no blank; 0 at the end.
    [[nodiscard]] char peek();
    /// Goes past the next character that is no blank if it is this one.
    bool take(char c);
    /// A string as it is written, without its quotes.
    [[nodiscard]] std::optional<std::string_view> rawString();
    /// A string with its escapes read; `buffer` holds it where it has any.
    [[nodiscard]] std::optional<std::string_view> string(std::string& buffer);
    /// A number or word as it is written, or what a string holds.
    [[nodiscard]] std::optional<std::string_view> scalar();
    /// A whole value as it is written. Not deeper than 64 brackets.
    [[nodiscard]] std::optional<std::string_view> value();
    /// The name of an object's next member, past its colon, where `first` says whether it is the first; nothing
    /// behind the last one, or where it is no JSON: then ended() is false.
    [[nodiscard]] std::optional<std::string_view> key(bool first, char close = '}');
    /// Whether the last key() found the end of its object.
    [[nodiscard]] bool ended() const { return m_ended; }

private:
    bool skipString(); ///< from behind its first quote
    std::string_view m_text;
    std::size_t m_at = 0;
    bool m_ended = false;
};

/// The text of a JSON string, its escapes read; what is no escape stays as it is.
[[nodiscard]] std::string unescaped(std::string_view raw);

/// Thousandths of the number that is written there ("4482.25": 4482250), rounded; nothing where it is no number, or too
/// large for an eighth of what an int64 holds.
[[nodiscard]] std::optional<std::int64_t> thousandths(std::string_view number);
[[nodiscard]] std::optional<std::int64_t> integer(std::string_view number);

} // namespace dynascope::profile
