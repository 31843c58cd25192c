// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/pgo_naming.h"

#include "core/base/digest.h"

namespace dynascope::dynamo {

int hashedSymbolId(std::string_view source) {
    int remainder = 0;
    for (const std::uint8_t byte : sha256(source))
        remainder = (remainder * 256 + byte) % 100;
    return remainder;
}

SymbolAnswer SymbolNames::create(const SymbolRequest& request) {
    using Kind = SymbolAnswer::Kind;
    const std::string literal = std::to_string(request.value);
    if (request.policy == DimPolicy::Static) return {Kind::Static, literal, 0, {}};
    if (m_settings.specializeZeroOne && (request.value == 0 || request.value == 1))
        return {Kind::ZeroOrOne, literal, 0, {}};
    const bool mayShare = request.policy == DimPolicy::Duck && m_settings.duckShape;
    if (mayShare) {
        if (const auto known = m_byValue.find(request.value); known != m_byValue.end())
            return {Kind::Duck, known->second, 0, {}};
    }

    SymbolAnswer answer{Kind::Allocated, {}, hashedSymbolId(request.source), {}};
    int id = answer.hashed;
    for (; !m_taken.insert(id).second; ++id)
        answer.taken.push_back(id);
    answer.text = (request.real ? "zf" : "s") + std::to_string(id);
    if (mayShare) m_byValue.try_emplace(request.value, answer.text);
    return answer;
}

} // namespace dynascope::dynamo
