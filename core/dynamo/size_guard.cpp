// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/size_guard.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>

namespace dynascope::dynamo {

namespace {

std::string_view number(std::string_view side) {
    return isNumber(trimmed(side)) ? trimmed(side) : std::string_view();
}

std::string rangeText(std::string_view from, std::string_view to) {
    if (from.empty()) return "at most " + std::string(to);
    return to.empty() ? "at least " + std::string(from) : std::string(from) + " to " + std::string(to);
}

} // namespace

bool isNumber(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789.e+-") == std::string_view::npos &&
           text.front() >= '0' && text.front() <= '9';
}

bool readSize(std::string_view text, FailedGuard& guard) {
    constexpr std::string_view size = ".size()[";
    const std::size_t at = text.find(size);
    if (at == std::string_view::npos || text.find(size, at + 1) != std::string_view::npos) return false;
    const std::size_t blank = text.substr(0, at).rfind(' '), close = text.find(']', at + size.size());
    if (close == std::string_view::npos) return false;
    const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
    const std::string_view left = trimmed(text.substr(0, begin)), right = trimmed(text.substr(close + 1));
    std::string_view from, to, one;
    if (left.ends_with("<=")) from = number(left.substr(0, left.size() - 2));
    if (right.starts_with("<=")) to = number(right.substr(2));
    if (right.starts_with("==") && left.empty()) one = number(right.substr(2));
    if (from.empty() != left.empty() || (to.empty() && one.empty()) != right.empty()) return false;
    if (from.empty() && to.empty() && one.empty()) return false;
    const std::string_view digits = text.substr(at + size.size(), close - at - size.size());
    guard.kind = FailedGuard::Kind::Size;
    guard.subject = text.substr(begin, at - begin);
    std::from_chars(digits.data(), digits.data() + digits.size(), guard.dimension);
    guard.isRange = one.empty();
    guard.expected = one.empty() ? rangeText(from, to) : std::string(one);
    return true;
}

std::string localSource(std::string_view subject) {
    const std::size_t name = std::min(subject.find_first_of(".["), subject.size());
    return "L['" + std::string(subject.substr(0, name)) + "']" + std::string(subject.substr(name));
}

} // namespace dynascope::dynamo
