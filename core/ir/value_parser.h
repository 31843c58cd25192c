// SPDX-License-Identifier: BSD-3-Clause
//
// Reads one Python value as graph text spells it. Internal to the readers.
#pragma once

#include "core/base/words.h"
#include "core/ir/argument.h"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_set>

namespace dynascope::ir {

/// Names of the nodes defined so far. The views point into the text being read.
using NameSet = std::pmr::unordered_set<std::string_view>;

/// How values are spelled: Fx is Node.format_node (str() of each argument: strings without quotes, nodes with
/// "%"), Python is repr().
enum class Syntax : std::uint8_t { Fx, Python };

[[nodiscard]] constexpr bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}
[[nodiscard]] constexpr bool isNameChar(char c) {
    return isNameStart(c) || isDigit(c);
}
[[nodiscard]] bool isName(std::string_view text);

/// What ends a value that stands outside of brackets, besides "," ";" a closing bracket and the end of the
/// text.
struct ValueStops {
    bool blank = false;
    bool colon = false;
};

/// A position in a text that moves over values. After a false result, `failure` says what was expected at
/// `failedAt`.
class ValueParser {
public:
    ValueParser(std::string_view source, const NameSet& known)
        : text(source)
        , m_names(known) {}

    std::string_view text;
    std::size_t pos = 0;
    std::string failure;
    std::size_t failedAt = 0;

    /// Reads one value and stops at what ended it.
    [[nodiscard]] bool value(Argument& out, Syntax syntax, ValueStops stops = {});
    /// Reads "v, v, ...)" up to and with `close`. `what` names the thing being closed in an error.
    [[nodiscard]] bool items(std::vector<Argument>& out, Syntax syntax, char close, std::string_view what,
                             bool* trailingComma = nullptr);
    /// Reads "v, k = v)" of a call in readable code up to and with ")".
    [[nodiscard]] bool callArguments(std::vector<Argument>& args,
                                     std::vector<std::pair<std::string, Argument>>& kwargs);
    /// Reads "k: v, ...}" of FX text up to and with "}".
    [[nodiscard]] bool fxKwargs(std::vector<std::pair<std::string, Argument>>& kwargs);

    [[nodiscard]] bool atEnd() const { return pos >= text.size(); }
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return pos + ahead < text.size() ? text[pos + ahead] : '\0';
    }
    void skipBlanks() {
        while (peek() == ' ' || peek() == '\t')
            ++pos;
    }
    /// Moves over `expected` if it comes next.
    [[nodiscard]] bool take(std::string_view expected) {
        if (!text.substr(pos).starts_with(expected)) return false;
        pos += expected.size();
        return true;
    }
    /// The identifier at the position, moved over; empty if there is none.
    [[nodiscard]] std::string_view takeName();
    /// A quoted string at the position: its unescaped value. False if it is not closed.
    [[nodiscard]] bool takeString(std::string& out);
    bool fail(std::string message, std::size_t at);
    bool fail(std::string message) { return fail(std::move(message), pos); }

private:
    [[nodiscard]] bool atStop(Syntax syntax, ValueStops stops) const;
    [[nodiscard]] std::string_view token(Syntax syntax, ValueStops stops);
    [[nodiscard]] bool compound(Argument& out, Syntax syntax, bool& isValue);
    [[nodiscard]] bool braces(Argument& out, Syntax syntax);
    [[nodiscard]] bool pairs(Argument& out, Syntax syntax);
    void classify(std::string_view word, Argument& out, Syntax syntax);
    [[nodiscard]] bool call(std::string_view word, Argument& out, Syntax syntax);
    [[nodiscard]] bool startsKeyword();
    [[nodiscard]] bool callItems(std::vector<Argument>& out);

    const NameSet& m_names;
    std::size_t m_depth = 0;
    bool m_insideCall = false;
};

/// Kind of a word that means the same in both spellings: numbers, True, torch.float32, "2*s77 + 1"; Raw if it
/// is none.
[[nodiscard]] Argument::Kind wordKind(std::string_view word);
/// "cpu", "cuda:0".
[[nodiscard]] bool isDeviceWord(std::string_view word);

} // namespace dynascope::ir
