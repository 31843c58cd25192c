// SPDX-License-Identifier: BSD-3-Clause
#include "core/compare/parts.h"
#include "core/session/spans.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace dynascope::compare::detail {

void compareTimings(const session::Session& a, const session::Session& b, bool thoseOnly, Comparison& out) {
    std::map<std::string, TimingComparison> byName;
    for (const bool isA : {true, false}) {
        const session::Session& session = isA ? a : b;
        std::vector<int> compiles;
        for (const CompileComparison& pair : out.compiles)
            if (const std::size_t compile = isA ? pair.a : pair.b; thoseOnly && compile != none)
                compiles.push_back(static_cast<int>(compile));
        if (thoseOnly && compiles.empty()) continue; // makeSpans would take it for all
        const session::SpanTree tree = session::makeSpans(session, compiles);
        auto& parts = isA ? out.partsA : out.partsB;
        parts = session::partTimes(tree);
        for (double& part : parts)
            part *= 1e-6;
        for (const session::SpanTotal& total : session::spanTotals(tree)) {
            TimingComparison& entry = byName[tree.names[total.name]];
            (isA ? entry.secondsA : entry.secondsB) += total.totalUs / 1e6;
            (isA ? entry.selfA : entry.selfB) += total.selfUs / 1e6;
            (isA ? entry.countA : entry.countB) += total.count;
        }
    }
    for (auto& [name, entry] : byName) {
        entry.name = name;
        out.timings.push_back(std::move(entry));
    }
    std::stable_sort(out.timings.begin(), out.timings.end(),
                     [](const TimingComparison& x, const TimingComparison& y) {
                         return std::abs(x.secondsA - x.secondsB) > std::abs(y.secondsA - y.secondsB);
                     });
}

} // namespace dynascope::compare::detail
