// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_lanes.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using profile::Lane;
using profile::Spent;

QString nodesOf(const profile::RowFacts& facts) {
    QStringList names;
    constexpr std::size_t most = 12;
    for (std::size_t i = 0; i < std::min(most, facts.nodeNames.size()); ++i)
        names << toQString(facts.nodeNames[i]);
    if (facts.nodeNames.size() > most) names << tr("%1 more").arg(numberText(facts.nodeNames.size() - most));
    return names.join(QStringLiteral(", "));
}

QString wordsOf(const profile::Row& row, const profile::RowFacts& facts) {
    QStringList out = {facts.nodeNames.empty() ? toQString(partWords(row, facts)) : nodesOf(facts)};
    QStringList where;
    for (const std::string& part : {facts.compile, facts.stage, facts.module})
        if (!part.empty()) where << toQString(part);
    for (const ir::SourceLocation& line : facts.lines)
        if (where.size() < 8) where << fileName(line.file) + u':' + QString::number(line.line);
    if (!where.isEmpty()) out << where.join(QStringLiteral("  "));
    if (!facts.evidence.empty()) out << tr("known by %1").arg(toQString(facts.evidence));
    return out.join(u'\n');
}

QString breakPlace(const session::Compile& compile) {
    const auto breaks = compile.finalBreaks();
    if (breaks.empty() || !breaks.back()->location()) return {};
    const auto location = *breaks.back()->location();
    return fileName(location.file) + u':' + QString::number(location.line);
}

/// The compile of a region's guards, wrappers and bytecode is that of its row.
int compileOf(const profile::Joined& joined, std::uint32_t event) {
    const std::uint32_t row = joined.rowOf[event];
    return row == profile::none ? -1 : joined.rows[row].compile;
}

} // namespace

ProfileLanesPtr profileLanes(JoinedProfile& profile, const TaskContext& task) {
    auto out = std::make_shared<ProfileLanes>();
    out->joined = profile.joined;
    const profile::Joined& joined = *profile.joined;
    out->lanes = lanesOf(joined, task);
    for (std::size_t i = 0; i < joined.rows.size(); ++i) {
        if (task.cancelled()) return nullptr;
        const profile::RowFacts& facts = profile.facts->of(i);
        out->spent.push_back(spentOf(*profile.facts, i));
        out->nodes.push_back(facts.computesAll ? nodesOf(facts) : QString());
        out->words.push_back(wordsOf(joined.rows[i], profile.facts->of(i)));
    }
    for (const auto& [region, time] : joined.graphEnds) {
        const int compile = compileOf(joined, region);
        if (compile >= 0)
            out->breaks.push_back(
                {time, compile, breakPlace(joined.session->compiles[std::size_t(compile)])});
    }
    std::ranges::sort(out->breaks, {}, &ProfileLanes::Break::time);
    return task.cancelled() ? nullptr : out;
}

QString laneTitle(const ProfileLanes& lanes, const Lane& lane) {
    const profile::Profile& profile = *lanes.joined->profile;
    const auto track = [&] {
        const profile::Track& of = profile.tracks[lane.track];
        return toQString(of.name.empty() ? of.thread : of.name);
    };
    switch (lane.what) {
    case Lane::What::Regions:
        return tr("Compiled regions");
    case Lane::What::Guards:
        return tr("Guards");
    case Lane::What::Graphs:
        return tr("Graph calls");
    case Lane::What::Computed:
        return tr("Kernels and nodes");
    case Lane::What::Broken:
        return tr("After graph breaks");
    case Lane::What::Stream:
        return toQString(profile.devices[lane.device]) + u' ' + track();
    case Lane::What::Thread:
    case Lane::What::Foreign:
        return track();
    }
    return {};
}

QColor spentColour(Spent spent, const Colours& colours) {
    switch (spent) {
    case Spent::Computed:
        return toneColour(Tone::Good, colours);
    case Spent::Collective:
        return colours.op(ir::OpKind::View);
    case Spent::Guards:
        return toneColour(Tone::Warn, colours);
    case Spent::Wrappers:
        return colours.text3;
    case Spent::Broken:
        return toneColour(Tone::Bad, colours);
    case Spent::Outside:
        return colours.op(ir::OpKind::Compute);
    case Spent::Groups:
        return colours.op(ir::OpKind::Write);
    case Spent::Other:
        break;
    }
    return colours.op(ir::OpKind::InputOutput);
}

QString spentName(Spent spent) {
    return toQString(profile::spentWords(spent));
}

} // namespace dynascope::views
