// SPDX-License-Identifier: BSD-3-Clause
//
// Where run time goes: from a profile beside the capture where there is one.
#include "core/answers/parts.h"

#include "core/base/words.h"
#include "core/profile/grouped.h"
#include "core/profile/idle.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace dynascope::answers::detail {

namespace {

using profile::By;
using profile::Facts;
using profile::GroupedRow;
using profile::Joined;
using profile::Part;
using session::Compile;
using session::Session;

std::string timeText(double nanoseconds) {
    if (nanoseconds >= 1e9) return formatSeconds(nanoseconds / 1e9);
    if (nanoseconds < 1e6) return std::to_string(std::llround(nanoseconds / 1000)) + " us";
    const std::string tenths = std::to_string(std::llround(nanoseconds / 1e5));
    return tenths.substr(0, tenths.size() - 1) + '.' + tenths.back() + " ms";
}

/// "60 % is in kernels and nodes of compiled graphs, 38 % the cost of being compiled, 2 % outside compiled code".
/// Collectives stand apart: who is in one may compute nothing, and wait for other ranks.
std::string sharesText(const profile::Shares& shares) {
    std::string out;
    const auto add = [&](double time, std::string_view what) {
        if (time > 0)
            out += (out.empty() ? "" : ", ") + percent(time, shares.all()) + ' ' + std::string(what);
    };
    using profile::Spent;
    add(shares.on(Spent::Computed), "is in kernels and nodes of compiled graphs");
    add(shares.on(Spent::Collective), "in collectives of compiled graphs, waits for other ranks included");
    add(shares.on(Spent::Guards) + shares.on(Spent::Wrappers),
        "in guards, wrappers and bytecode around them");
    add(shares.on(Spent::Broken), "in eager code after graph breaks");
    add(shares.on(Spent::Outside), "outside compiled code");
    add(shares.on(Spent::Groups), "in collectives on threads of process groups");
    add(shares.on(Spent::Other), "in operators that are no node, or unknown");
    return out;
}

Item itemOf(const Joined& joined, const GroupedRow& row) {
    Item item;
    item.label = row.key;
    item.text = timeText(row.self);
    item.count = row.count;
    item.value = row.self / 1e9;
    if (row.rows.empty()) return item;
    const profile::Row& first = joined.rows[row.rows.front()];
    if (first.compile < 0) return item;
    item.target.compile = static_cast<std::size_t>(first.compile);
    const Compile& compile = joined.session->compiles[item.target.compile];
    if (!row.compile.empty()) item.place = row.compile;
    if (first.part != Part::Kernel && first.part != Part::Node) return item;
    item.target.stage = compile.stages[static_cast<std::size_t>(first.stage)];
    if (first.part == Part::Node && !row.node.empty()) item.target.node = row.node;
    return item;
}

/// "cuda:0 was busy 5 % of the time; it waited 95 % for what came next to be launched."
std::string busyText(const Joined& joined, int device) {
    const std::string& name = joined.profile->devices[static_cast<std::size_t>(device)];
    for (const profile::DeviceIdle& one : idleReport(joined).devices) {
        if (one.device != device || one.span <= 0) continue;
        const double span = static_cast<double>(one.span);
        const double waited = one.idle[static_cast<std::size_t>(profile::IdleCause::Launch)];
        return name + " was busy " + percent(one.busy, span) +
               " of the time from its first event to its last" +
               (waited > 0 ? ", and waited " + percent(waited, span) + " for what came next to be launched. "
                           : std::string(". "));
    }
    return {};
}

Answer ofJoined(Facts& facts) {
    Answer out;
    out.question = Question::RunTime;
    out.standing = Standing::Know;
    const Joined& all = *facts.joined();
    const Session& session = *all.session;
    const profile::Profile& profile = *all.profile;
    std::vector<double> steps;
    for (const profile::Step& step : profile.steps)
        steps.push_back(static_cast<double>(step.duration));
    out.figure = timeText(steps.empty() ? all.busy : profile::medianOf(steps));
    out.of = steps.empty() ? "busy in all, by a profile without steps"
                           : "a step, the median of " + count(steps.size(), "step");
    const bool alone = session.compiles.empty();
    std::vector<GroupedRow> rows = grouped(facts, alone ? By::Operator : By::Node);
    const int device = mainGpu(profile);
    if (device != profile::everyDevice) {
        std::erase_if(rows, [&](const GroupedRow& row) { return row.device != device; });
        out.sentence = busyText(all, device);
    }
    if (alone) {
        out.sentence += "Most is in " + (rows.empty() ? std::string("nothing") : rows.front().key) + '.';
        out.note =
            "This profile has no trace of the compiler beside it, so that nothing is joined to graphs.";
    } else {
        const profile::Shares shares = sharesOf(facts, profile::allSteps, device);
        const bool waits = shares.on(profile::Spent::Collective) > 0;
        out.sentence += (device != profile::everyDevice ? "Of its busy time, "
                         : waits ? "Of the time that processors were busy, or waited in a collective, "
                                 : "Of the time that processors were busy, ") +
                        sharesText(shares) + '.';
        if (all.graphs.joined < all.graphs.all || all.kernels.joined < all.kernels.all)
            out.note = std::to_string(all.graphs.joined) + " of " + count(all.graphs.all, "graph call") +
                       " and " + std::to_string(all.kernels.joined) + " of " +
                       count(all.kernels.all, "kernel") + " are joined to this capture.";
    }
    if (session.profiles.size() > 1)
        out.note += (out.note.empty() ? "" : " ") + std::string("Of ") + std::string(baseName(profile.path)) +
                    ", the first of " + count(session.profiles.size(), "profile") + '.';
    for (const GroupedRow& row : rows)
        out.items.push_back(itemOf(all, row));
    out.picture = Picture::Ranking;
    out.axis = alone ? "Time of each operator by itself" : "Time of each node, kernel and wrapper by itself";
    if (device != profile::everyDevice)
        out.axis += " on " + profile.devices[static_cast<std::size_t>(device)];
    keepFirst(out, mostRows);
    return out;
}

Answer fromProfile(const Session& session, const TaskContext& task) {
    // For this call alone, so that nothing keeps the session that it does not own.
    const session::SessionPtr here(std::shared_ptr<const void>(), &session);
    const auto joined =
        profile::join(here, session::attachedAs<profile::Profile>(session.profiles.front()), task);
    if (!joined) return notHere(Question::RunTime, {});
    Facts facts(*joined);
    return ofJoined(facts);
}

} // namespace

Answer runTimeAnswer(const Session& session, const TaskContext& task) {
    if (!session.profiles.empty()) return fromProfile(session, task);
    const bool graphs = std::any_of(session.compiles.begin(), session.compiles.end(), [](const Compile& c) {
        const bool runs = c.status != session::Status::Failed && c.status != session::Status::Skipped;
        return runs && std::any_of(c.stages.begin(), c.stages.end(), [](const session::StagePtr& stage) {
                   return stage->content == session::Stage::Content::Graph;
               });
    });
    if (!graphs) return notHere(Question::RunTime, "This capture holds no graph that could be timed.");
    return notHere(Question::RunTime,
                   "No run time is in this capture: a profile of torch.profiler in its folder would say it. "
                   "Replaying its graphs measures each node here.",
                   "dynascope-cli replay CAPTURE");
}

} // namespace dynascope::answers::detail

namespace dynascope::answers {

Answer runTimeAnswer(profile::Facts& facts) {
    return detail::ofJoined(facts);
}

} // namespace dynascope::answers
