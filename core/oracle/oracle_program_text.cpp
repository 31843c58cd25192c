// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/text.h"
#include "core/oracle/oracle_program.h"

#include <algorithm>

namespace dynascope::engine::program {

using nlohmann::json;

const json& list(const json& object, const char* key) {
    static const json none = json::array();
    const json& value = field(object, key);
    return value.is_array() ? value : none;
}

std::uint32_t natural(const json& object, const char* key) {
    const json& value = field(object, key);
    if (value.is_null()) return 0;
    const std::int64_t number = value.is_number_integer() ? value.get<std::int64_t>() : -1;
    return number < 0 || number > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(number);
}

std::string differ(const std::string& what, const std::string& wanted, const std::string& got) {
    return wanted == got ? std::string() : what + ": wanted " + wanted + ", got " + got;
}

namespace {

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// "torch/autograd/graph.py", "/tmp/x/program.py"; neither "0/0" nor "s77//2" nor an address of the web.
bool isPath(std::string_view word) {
    if (word.starts_with('/')) word.remove_prefix(1);
    if (word.find('/') == std::string_view::npos) return false;
    while (!word.empty()) {
        const std::string_view part = word.substr(0, word.find('/'));
        bool named = false;
        for (std::size_t i = 1; i < part.size(); ++i)
            named = named || (isLetter(part[i - 1]) && isLetter(part[i]));
        if (!named) return false;
        word.remove_prefix(std::min(part.size() + 1, word.size()));
    }
    return true;
}

std::string withoutFolders(const std::string& text) {
    const auto isPart = [](char c) {
        return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' || c == '/';
    };
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && isPart(text[end]))
            ++end;
        const std::string_view word = std::string_view(text).substr(at, std::max<std::size_t>(end - at, 1));
        out += isPath(word) ? word.substr(word.rfind('/') + 1) : word;
        at += word.size();
    }
    return out;
}

} // namespace

std::string masked(std::string text) {
    text = withoutFolders(text);
    constexpr std::size_t idDigits = 9;
    for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        if (end - at >= idDigits) text.replace(at, end - at, "*");
        at = end - at >= idDigits ? at + 1 : end;
    }
    constexpr std::string_view prefixes[]{"__builtins_dict___", "0x"};
    for (const std::string_view prefix : prefixes)
        for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
            at += prefix.size();
            const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef*", at), text.size());
            text.replace(at, end - at, "*");
        }
    return text;
}

std::map<std::string, std::string> printedLocals(std::string_view text) {
    std::map<std::string, std::string> out;
    while (!text.empty()) {
        const std::string_view line = firstLine(text);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (const std::size_t sign = line.find(" = "); sign != std::string_view::npos)
            out.emplace(line.substr(0, sign), line.substr(sign + 3));
    }
    return out;
}

std::vector<std::string> instructionsOf(const std::string& disassembly) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < disassembly.size();) {
        const std::size_t end = std::min(disassembly.find('\n', at), disassembly.size());
        std::string_view line = std::string_view(disassembly).substr(at, end - at);
        at = end + 1;
        if (line.starts_with("ExceptionTable")) break;
        for (std::string word; !line.empty();) {
            const std::size_t begin = line.find_first_not_of(' ');
            if (begin == std::string_view::npos) break;
            line.remove_prefix(begin);
            word = line.substr(0, line.find(' '));
            line.remove_prefix(word.size());
            if (word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos) {
                out.push_back(word);
                break;
            }
        }
    }
    return out;
}

} // namespace dynascope::engine::program
