// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/parts.h"
#include "core/session/metrics.h"

#include <map>

namespace dynascope::compare::detail {

std::vector<ValueComparison> compareSettings(const session::Session& a, const session::Compile& ca,
                                             const session::Session& b, const session::Compile& cb) {
    const auto valuesOf = [](const session::Session& session, const session::Compile& compile) {
        std::map<std::string, std::string> out;
        for (auto& [name, value] : session::readSettings(compile)) {
            if (value.kind == session::Metric::Kind::Absent) continue;
            // An empty text is a value, and no value is none.
            out.emplace(name, value.text.empty() ? "''" : withoutAddresses(value.text));
        }
        if (!session.torchVersion.empty()) out.emplace("pytorch_version", session.torchVersion);
        return out;
    };
    const auto ofA = valuesOf(a, ca), ofB = valuesOf(b, cb);
    std::vector<ValueComparison> out;
    for (const auto& [name, value] : ofA) {
        const auto other = ofB.find(name);
        if (other == ofB.end() || other->second != value)
            out.push_back({name, value, other == ofB.end() ? std::string() : other->second});
    }
    for (const auto& [name, value] : ofB)
        if (!ofA.contains(name)) out.push_back({name, {}, value});
    return out;
}

} // namespace dynascope::compare::detail
