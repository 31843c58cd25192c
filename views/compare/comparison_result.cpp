// SPDX-License-Identifier: BSD-3-Clause
#include "views/compare/comparison_result.h"

#include "core/ranks/compared.h"
#include "views/workspace/labels.h"

namespace dynascope::views {

namespace {

QString sideName(const session::Session& session, int rank, int compile) {
    QString name = toQString(session.title);
    if (rank >= 0) name += Workspace::tr(" rank %1").arg(rank);
    if (compile >= 0) name += u' ' + toQString(compileName(session, session.compiles[std::size_t(compile)]));
    return name;
}

} // namespace

const compare::Comparison& ComparisonResult::of(int rank) const {
    if (!ofRanks()) return whole;
    // Of the first rank with itself there is none: an empty one.
    return rank > 0 && std::size_t(rank) < ranks.comparisons.size() ? ranks.comparisons[std::size_t(rank)]
                                                                    : whole;
}

QString ComparisonResult::nameA() const {
    return sideName(*request.a, ofRanks() ? ranks.ranks.front() : request.rankA, request.compileA);
}

QString ComparisonResult::nameB(int rank) const {
    if (!ofRanks()) return sideName(*request.b, request.rankB, request.compileB);
    const bool known = rank > 0 && std::size_t(rank) < ranks.ranks.size();
    return known ? sideName(*request.a, ranks.ranks[std::size_t(rank)], -1) : QString();
}

ComparisonResultPtr runComparison(const ComparisonRequest& request, const TaskContext& task) {
    auto out = std::make_shared<ComparisonResult>();
    out->request = request;
    const session::Session &a = *request.a, &b = *request.b;
    if (out->ofRanks()) {
        auto ranks = ranks::compareRanks(a, task);
        if (!ranks) return nullptr;
        out->ranks = std::move(*ranks);
        out->explanation = compare::explainRanks(out->ranks);
        return out;
    }
    const bool ofRun = request.a == request.b && request.rankA >= 0;
    auto whole =
        request.what == ComparisonRequest::What::Compiles
            ? compare::compareCompiles(a, std::size_t(request.compileA), b, std::size_t(request.compileB),
                                       task)
            : compare::compareSessions(
                  a, b,
                  {.rankA = request.rankA, .rankB = request.rankB, .byCompileId = ofRun, .ownDevices = ofRun},
                  task);
    if (!whole) return nullptr;
    out->whole = std::move(*whole);
    out->explanation = compare::explain(a, b, out->whole);
    return out;
}

int firstPair(const compare::Comparison& comparison) {
    for (std::size_t i = 0; i < comparison.compiles.size(); ++i)
        if (comparison.compiles[i].verdict != compare::CompareVerdict::Same) return int(i);
    return comparison.compiles.empty() ? -1 : 0;
}

} // namespace dynascope::views
