// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/module_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace dynascope::session {

namespace {

using std::string_view;

constexpr std::array<string_view, 3> members = {"._modules['", "._parameters['", "._buffers['"};

/// The key of the member that begins at `at`, and where the text goes on; an empty one where none begins there.
string_view takeMember(string_view text, std::size_t& at) {
    const string_view rest = text.substr(at);
    const auto found = std::ranges::find_if(members, [&](string_view m) { return rest.starts_with(m); });
    if (found == members.end()) return {};
    const string_view behind = rest.substr(found->size());
    const std::size_t end = behind.find('\'');
    const string_view key = behind.substr(0, end);
    if (end == string_view::npos || !behind.substr(end).starts_with("']")) return {};
    if (key.empty() || key.find('\\') != string_view::npos) return {};
    at += found->size() + end + 2;
    return key;
}

/// Where the expression begins that ends before `end`, as "L['self'].model" does, at `least` or later.
std::size_t rootBegin(string_view text, std::size_t least, std::size_t end) {
    std::size_t at = end;
    while (at > least) {
        const char c = text[at - 1];
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') {
            --at;
            continue;
        }
        const std::size_t open = c == ']' ? text.substr(least, at - least).rfind('[') : string_view::npos;
        if (open == string_view::npos) break;
        at = least + open;
    }
    return at;
}

} // namespace

std::string withModuleNames(string_view text) {
    std::string out;
    std::size_t done = 0;
    for (std::size_t dot = text.find("._"); dot != string_view::npos; dot = text.find("._", dot)) {
        std::size_t at = dot;
        string_view key = takeMember(text, at);
        const std::size_t root = key.empty() ? dot : rootBegin(text, done, dot);
        if (root == dot) {
            dot += 2;
            continue;
        }
        // What hangs on a module by an attribute goes on with that one's name.
        const bool goesOn = done > 0 && root == done;
        out += text.substr(done, (goesOn ? dot : root) - done);
        for (bool first = !goesOn; !key.empty(); key = takeMember(text, at), first = false)
            out.append(first ? "" : ".").append(key);
        done = dot = at;
    }
    return out.append(text.substr(std::min(done, text.size())));
}

} // namespace dynascope::session
