// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CaptureModel that makes the rows of a capture.
#include "core/remote/address.h"
#include "core/session/cache_counts.h"
#include "core/session/compile_counts.h"
#include "views/capture/capture_item.h"
#include "views/capture/capture_model.h"
#include "views/workspace/labels.h"
#include "views/workspace/recompile_place.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace dynascope::views {

namespace {

using session::Compile;
using session::Session;
using session::Status;

constexpr int maxNesting = 4;

/// The line behind "torch_dynamo_resume_in_f_at_30", or 0.
std::uint32_t resumeLine(std::string_view function) {
    const std::size_t at = function.rfind("_at_");
    if (at == function.npos || function.find("resume_in_") == function.npos) return 0;
    std::uint32_t line = 0;
    std::from_chars(function.data() + at + 4, function.data() + function.size(), line);
    return line;
}

bool breaksAt(const Compile& compile, std::uint32_t line) {
    for (const session::GraphBreak* b : compile.finalBreaks())
        for (const ir::SourceLocation& place : b->userStack)
            if (place.line == line) return true;
    return false;
}

QString statusIcon(const Compile& compile) {
    if (compile.isRecompile && compile.status == Status::GraphBreak) return QStringLiteral("recompile");
    switch (compile.status) {
    case Status::GraphBreak:
        return QStringLiteral("scissors");
    case Status::Failed:
        return QStringLiteral("error");
    case Status::Skipped:
        return QStringLiteral("minus");
    case Status::Exported:
        return QStringLiteral("export");
    case Status::Incomplete:
        return QStringLiteral("warning");
    case Status::Compiled:
        break;
    }
    return compile.isRecompile ? QStringLiteral("recompile") : QStringLiteral("tick");
}

QString statusTone(const Compile& compile) {
    if (compile.isRecompile && compile.status == Status::GraphBreak) return QStringLiteral("changed");
    switch (compile.status) {
    case Status::GraphBreak:
    case Status::Failed:
        return QStringLiteral("removed");
    case Status::Incomplete:
        return QStringLiteral("changed");
    case Status::Skipped:
    case Status::Exported:
        return {};
    case Status::Compiled:
        break;
    }
    return compile.isRecompile ? QStringLiteral("changed") : QStringLiteral("added");
}

} // namespace

std::vector<std::pair<std::size_t, int>> CaptureModel::nested(const Session& session,
                                                              const session::Frame& frame) {
    // Parent of each compile: the nearest earlier one that broke at the line where it resumes, and that has
    // not been resumed there before (a recompile of the resumed frame belongs to a later run of the same
    // code).
    const std::size_t n = frame.compiles.size();
    std::vector<std::size_t> parent(n, SIZE_MAX);
    std::vector<int> depth(n, 0);
    std::vector<std::vector<std::size_t>> children(n);
    std::vector<std::size_t> roots;
    std::set<std::pair<std::size_t, std::uint32_t>> taken;
    for (std::size_t i = 0; i < n; ++i) {
        const Compile& compile = session.compiles[frame.compiles[i]];
        if (const std::uint32_t line = resumeLine(compile.function); line != 0 && !compile.isRecompile) {
            // A resumed frame follows its break closely, so a short look back is enough.
            for (std::size_t back = 1; back <= std::min<std::size_t>(i, 64); ++back) {
                const std::size_t candidate = i - back;
                if (taken.contains({candidate, line}) ||
                    !breaksAt(session.compiles[frame.compiles[candidate]], line))
                    continue;
                parent[i] = candidate;
                taken.insert({candidate, line});
                break;
            }
        }
        if (parent[i] != SIZE_MAX && depth[parent[i]] + 1 >= maxNesting) parent[i] = parent[parent[i]];
        if (parent[i] == SIZE_MAX) {
            roots.push_back(i);
        } else {
            depth[i] = depth[parent[i]] + 1;
            children[parent[i]].push_back(i);
        }
    }
    std::vector<std::pair<std::size_t, int>> order;
    order.reserve(n);
    std::vector<std::size_t> stack(roots.rbegin(), roots.rend());
    while (!stack.empty()) {
        const std::size_t i = stack.back();
        stack.pop_back();
        order.emplace_back(frame.compiles[i], depth[i]);
        stack.insert(stack.end(), children[i].rbegin(), children[i].rend());
    }
    return order;
}

std::unique_ptr<CaptureModel::Item> CaptureModel::buildCapture(int capture) const {
    const Session& session = *m_workspace.captures()[std::size_t(capture)].session;
    auto root = std::make_unique<Item>();
    root->kind = Kind::Capture;
    root->parent = m_root.get();
    root->icon = QStringLiteral("folder");
    root->strong = toQString(session.title);
    root->right = toQString(session::kindName(session.kind));
    if (const auto address = remote::parseAddress(session.path))
        root->right = tr("on %1").arg(toQString(address->login));
    if (m_workspace.captures()[std::size_t(capture)].followed) {
        root->icon = QStringLiteral("play");
        root->right = tr("following");
    }
    root->tip = toQString(session.path);
    if (!session.torchVersion.empty())
        root->tip += QStringLiteral("\nPyTorch ") + toQString(session.torchVersion);

    if (const session::BreakSummary& breaks = m_workspace.captures()[std::size_t(capture)].breaks;
        breaks.breaks > 0) {
        Item* item = root->add(Kind::Breaks);
        item->icon = QStringLiteral("scissors");
        item->tone = QStringLiteral("removed");
        item->detail = tr("Graph breaks");
        item->right = breaks.breaks == breaks.groups.size()
                          ? numberText(breaks.breaks)
                          : tr(breaks.groups.size() == 1 ? "%1, %2 reason" : "%1, %2 reasons")
                                .arg(numberText(breaks.breaks), numberText(breaks.groups.size()));
        item->tip = tr("Why the graphs of this capture were cut, and what each cut costs");
    }

    if (const auto again = std::ranges::count_if(session.compiles, RecompilePlace::isListed); again > 0) {
        Item* item = root->add(Kind::Recompiles);
        item->icon = QStringLiteral("recompile");
        item->tone = QStringLiteral("changed");
        item->detail = tr("Recompiles");
        item->right = numberText(qulonglong(again));
        item->tip = tr("What was compiled again, which guard failed, and what to do");
    }

    auto reasons = std::make_shared<std::map<std::size_t, QString>>();
    for (const session::BreakGroup& group : m_workspace.captures()[std::size_t(capture)].breaks.groups)
        for (const session::BreakOccurrence& at : group.occurrences)
            (*reasons)[at.compile] = toQString(group.reason);
    root->breakReasons = std::move(reasons);

    std::map<int, Item*> ranks;
    std::map<std::pair<int, int>, Item*> runs; // by rank and run
    for (const int rank : session.ranks) {
        if (session.ranks.size() < 2) break;
        Item* item = root->add(Kind::Rank);
        item->icon = QStringLiteral("rank");
        item->strong = tr("rank %1").arg(rank);
        const auto compiles = std::count_if(session.compiles.begin(), session.compiles.end(),
                                            [rank](const Compile& c) { return c.rank == rank; });
        item->right = countText(qulonglong(compiles), tr("compile"), tr("compiles"));
        ranks[rank] = item;
    }
    for (const session::Run& run : session.runs) {
        if (session.runCount(run.rank) < 2) continue;
        const std::pair origin(run.rank, run.number);
        const auto compiles = std::count_if(session.compiles.begin(), session.compiles.end(),
                                            [&](const Compile& c) { return c.origin() == origin; });
        Item* item = (ranks.contains(run.rank) ? ranks[run.rank] : root.get())->add(Kind::Run);
        item->icon = QStringLiteral("reset");
        item->strong = tr("run %1").arg(run.number);
        item->detail = toQString(runWords(run));
        item->right = countText(qulonglong(compiles), tr("compile"), tr("compiles"));
        item->tip = toQString(run.file);
        runs[origin] = item;
    }
    const auto above = [&](int rank, int run) {
        if (const auto found = runs.find({rank, run}); found != runs.end()) return found->second;
        return ranks.contains(rank) ? ranks[rank] : root.get();
    };
    std::vector<bool> placed(session.compiles.size(), false);
    const auto addCompile = [&](Item* parent, std::size_t index) {
        const Compile& compile = session.compiles[index];
        placed[index] = true;
        Item* item = parent->add(Kind::Compile);
        item->compile = int(index);
        item->strong = toQString(compile.id.toString());
        if (compile.id.frame >= 0 || compile.stages.empty()) {
            item->isWritten = false;
            return item;
        }
        item->strong = toQString(compile.stages.front()->label());
        item->icon = QStringLiteral("graph");
        item->right = countText(compile.stages.size(), tr("graph"), tr("graphs"));
        return item;
    };
    for (const session::Frame& frame : session.frames) {
        Item* item = above(frame.rank, frame.run)->add(Kind::Frame);
        item->icon = QStringLiteral("file");
        item->strong = frame.function.empty() && frame.location.file.empty() ? tr("graph text")
                                                                             : toQString(frame.function);
        item->detail = placeText(frame.location);
        std::size_t graphs = 0; // of a graph text, which is no compile
        for (const std::size_t index : frame.compiles)
            if (index < session.compiles.size() && session.compiles[index].id.frame < 0)
                graphs += session.compiles[index].stages.size();
        item->right = graphs > 0 ? countText(graphs, tr("graph"), tr("graphs"))
                                 : countText(frame.compiles.size(), tr("compile"), tr("compiles"));
        item->tip = toQString(frame.location.file);
        std::vector<Item*> path{item};
        for (const auto& [index, depth] : nested(session, frame)) {
            if (index >= placed.size()) continue;
            path.resize(std::min(path.size(), std::size_t(depth) + 1));
            path.push_back(addCompile(path.back(), index));
        }
    }
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (!placed[i]) addCompile(above(session.compiles[i].rank, session.compiles[i].id.run), i);

    if (!session.recordCounts.empty()) {
        Item* artifacts = root->add(Kind::Artifacts);
        artifacts->icon = QStringLiteral("list");
        artifacts->strong = tr("Artifacts");
        artifacts->right = numberText(session.recordCounts.size());
        artifacts->tip = tr("%1 of %2")
                             .arg(countText(session.records.size(), tr("record"), tr("records")),
                                  countText(session.recordCounts.size(), tr("type"), tr("types")));
        for (const auto& [type, count] : session.recordCounts) {
            Item* item = artifacts->add(Kind::ArtifactType);
            const QString name = toQString(type);
            item->icon = QStringLiteral("file");
            item->strong = name.startsWith(QLatin1String("artifact:")) ? name.mid(9) : name;
            item->right = numberText(count);
            item->type = name;
            item->tip = name;
        }
    }
    return root;
}

void CaptureModel::write(Item& item, int capture) const {
    if (item.isWritten) return;
    const Session& session = *m_workspace.captures()[std::size_t(capture)].session;
    const std::size_t index = std::size_t(item.compile);
    if (index >= session.compiles.size()) return; // read again, and these rows are of what was there before
    item.isWritten = true;
    const Compile& compile = session.compiles[index];
    item.icon = statusIcon(compile);
    item.tone = statusTone(compile);
    item.chip = statusChip(compile);
    if (compile.isRecompile) item.breakChip = breakChip(compile);
    const auto& reasons = *item.captureItem()->breakReasons;
    const auto reason = reasons.find(index);
    item.detail = reason != reasons.end() && !compile.isRecompile ? reason->second : statusDetail(compile);
    if (const double seconds = session::compileTime(compile); seconds > 0) item.right = secondsText(seconds);
    item.tip = item.strong + QStringLiteral("  ") + frameText(compile);
    if (compile.attempts > 1) item.tip += tr("\n%1 attempts").arg(compile.attempts);
    if (!item.detail.isEmpty()) item.tip += u'\n' + item.detail;
    if (compile.isRecompile && reason != reasons.end()) item.tip += u'\n' + reason->second;
}

std::vector<std::unique_ptr<CaptureModel::Item>> CaptureModel::buildFacets(const Session& session,
                                                                           std::size_t index) const {
    const Compile& compile = session.compiles[index];
    std::vector<std::unique_ptr<Item>> facets;
    const auto add = [&](const char* icon, const QString& name, const QString& right,
                         std::optional<PanelId> panel) {
        auto item = std::make_unique<Item>();
        item->kind = Kind::Facet;
        item->compile = int(index);
        item->icon = QLatin1String(icon);
        item->detail = name;
        item->right = right;
        item->panel = panel;
        facets.push_back(std::move(item));
    };
    const QString absent = tr("not recorded");
    const auto countOr = [&absent](std::size_t n) { return n > 0 ? numberText(n) : absent; };
    add("layers", tr("Stages"), countOr(compile.stages.size()), {});
    if (session.kind != session::Kind::TorchTrace && session.kind != session::Kind::TorchLogs) return facets;
    const std::size_t guards = compile.guards.checkCount();
    const auto inputs = std::count_if(compile.inputs.begin(), compile.inputs.end(),
                                      [](const session::TensorInput& t) { return !t.source.empty(); });
    add("guard", tr("Guards"), countOr(std::size_t(guards)), PanelId::Guards);
    add("inputs", tr("Inputs and aliasing"), countOr(std::size_t(inputs)), PanelId::Inputs);
    add("terminal", tr("Bytecode"), countOr(compile.bytecode.size()), PanelId::Bytecode);
    const auto code =
        std::count_if(compile.stages.begin(), compile.stages.end(),
                      [](const session::StagePtr& s) { return s->content == session::Stage::Content::Code; });
    add("bolt", tr("Output code"), countOr(std::size_t(code)), PanelId::OutputCode);
    if (compile.caches.empty()) {
        add("cache", tr("Caches"), absent, PanelId::Records);
    } else {
        add("cache", tr("Caches"), toQString(session::countCaches(compile.caches).words()), PanelId::Records);
        facets.back()->type = QStringLiteral("cache");
    }
    const auto events =
        std::count_if(session.timings.begin(), session.timings.end(),
                      [index](const session::TimingEvent& e) { return e.compile == int(index); });
    add("clock", tr("Compile time"),
        events > 0 ? countText(qulonglong(events), tr("event"), tr("events")) : absent, PanelId::CompileTime);
    return facets;
}

} // namespace dynascope::views
