// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/recompiles.h"
#include "views/inspector/facts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

namespace dynascope::views {

Section recompileSection(const session::Session& session, const session::Compile& compile) {
    const std::vector<dynamo::FailedGuard> failed = dynamo::failedGuards(compile);
    Section section;
    section.title = tr("Why it recompiled");
    section.chip = countText(failed.size(), tr("guard"), tr("guards"));
    section.chipTone = QStringLiteral("changed");
    for (const dynamo::FailedGuard& guard : failed) {
        Fact card;
        card.kind = Fact::Kind::Card;
        card.change = diff::Change::Changed;
        card.tokens = {mono(toQString(guard.check))};
        if (const session::Compile* earlier = session.findBeside(compile, guard.entry))
            card.tokens.push_back(link(tr("  guards of %1").arg(toQString(earlier->id.toString())),
                                       QStringLiteral("compile:%1").arg(earlier - session.compiles.data())));
        section.facts.push_back(std::move(card));
        Tokens values;
        if (!guard.expected.empty()) values = {mono(toQString(guard.expected))};
        if (!guard.actual.empty()) {
            values.push_back(quiet(values.empty() ? tr("the call had ") : tr(", the call had ")));
            values.push_back(mono(toQString(guard.actual)));
        }
        if (!values.empty())
            section.facts.push_back(
                fact(tr("Expected"), std::move(values),
                     tr("What the cache entry was compiled for, and what the later call passed.")));
        if (guard.addedAt.line != 0)
            section.facts.push_back(
                fact(tr("Added at"), {placeLink(guard.addedAt)}, toQString(guard.addedAt.code)));
    }
    if (!failed.empty() && !failed.front().advice.empty())
        section.facts.push_back(
            fact(tr("Way out"), {text(toQString(failed.front().advice))},
                 tr("For the entry that was checked first: how to have fewer compiles.")));
    return section;
}

} // namespace dynascope::views
