// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/pgo_naming.h"

#include "core/base/digest.h"

#include <array>
#include <charconv>
#include <cmath>

namespace dynascope::dynamo {

int hashedSymbolId(std::string_view source) {
    int remainder = 0;
    for (const std::uint8_t byte : sha256(source))
        remainder = (remainder * 256 + byte) % 100;
    return remainder;
}

namespace {

std::string withoutFraction(double value) {
    std::array<char, 320> digits{}; // the largest double has 309
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::trunc(value) + 0.0,
                                   std::chars_format::fixed, 0);
    return {digits.data(), end.ptr};
}

std::string shortest(double value) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

} // namespace

SymbolAnswer SymbolNames::create(const SymbolRequest& request) {
    using Kind = SymbolAnswer::Kind;
    const double* real = std::get_if<double>(&request.value);
    const std::string literal =
        real ? withoutFraction(*real) : std::to_string(std::get<std::int64_t>(request.value));
    // As a key of Python's dict, where 2.0 is 2.
    const std::string key = real && *real != std::trunc(*real) ? shortest(*real) : literal;
    if (request.policy == DimPolicy::Static) return {Kind::Static, literal, 0, {}};
    if (m_settings.specializeZeroOne && (key == "0" || key == "1")) return {Kind::ZeroOrOne, literal, 0, {}};
    const bool mayShare = request.policy == DimPolicy::Duck && m_settings.duckShape;
    if (mayShare) {
        if (const auto known = m_byValue.find(key); known != m_byValue.end())
            return {Kind::Duck, known->second, 0, {}};
    }

    SymbolAnswer answer{Kind::Allocated, {}, hashedSymbolId(request.source), {}};
    int id = answer.hashed;
    for (; !m_taken.insert(id).second; ++id)
        answer.taken.push_back(id);
    answer.text = (real ? "zf" : "s") + std::to_string(id);
    if (mayShare) m_byValue.try_emplace(key, answer.text);
    return answer;
}

} // namespace dynascope::dynamo
