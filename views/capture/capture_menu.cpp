// SPDX-License-Identifier: BSD-3-Clause
#include "views/capture/capture_menu.h"

#include "views/capture/capture_model.h"
#include "views/workspace/break_place.h"
#include "views/workspace/labels.h"
#include "views/workspace/recompile_place.h"
#include "views/workspace/translate.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <algorithm>

namespace dynascope::views {

namespace {

void addCopy(QMenu& menu, const QString& what, const QString& text) {
    if (text.isEmpty()) return;
    menu.addAction(what, &menu, [text] { QApplication::clipboard()->setText(text); });
}

/// The group of the first break of a compile; -1 for none.
int firstGroup(const OpenCapture& capture, int compile) {
    const auto& groups = capture.breaks.groups;
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const session::BreakGroup& group) {
        return std::any_of(group.occurrences.begin(), group.occurrences.end(),
                           [&](const session::BreakOccurrence& at) { return int(at.compile) == compile; });
    });
    return found == groups.end() ? -1 : int(found - groups.begin());
}

void addPages(QMenu& menu, Workspace& workspace, int capture, int compile) {
    const OpenCapture& open = workspace.captures()[std::size_t(capture)];
    const session::Compile& it = open.session->compiles[std::size_t(compile)];
    const auto go = [&](const QString& text, const std::function<void(Place&)>& lead) {
        menu.addAction(text, &workspace, [&workspace, capture, compile, lead] {
            workspace.selectCompile(capture, compile);
            Place place = workspace.place();
            lead(place);
            workspace.go(place);
        });
    };
    const auto panel = [&](const QString& text, PanelId id) {
        menu.addAction(text, &workspace, [&workspace, capture, compile, id] {
            workspace.selectCompile(capture, compile);
            emit workspace.panelRequested(id);
        });
    };
    go(tr("Show its stages"), [](Place& place) { place.page = Page::Stages; });
    if (const int group = firstGroup(open, compile); group >= 0)
        go(tr("Show its graph break"), [group](Place& place) { setBreak(place, group); });
    if (RecompilePlace::isListed(it))
        go(tr("Show why it was compiled again"), [compile](Place& place) { setRecompile(place, compile); });
    if (!it.guards.empty()) panel(tr("Show its guards"), PanelId::Guards);
    if (!it.records.empty())
        menu.addAction(tr("Show its records"), &workspace,
                       [&workspace, capture, record = it.records.front()] {
                           emit workspace.recordRequested(capture, int(record));
                       });
}

void addComparison(QMenu& menu, Workspace& workspace, int capture, int compile) {
    const Place& place = workspace.place();
    if (place.capture < 0 || place.compile < 0 || (place.capture == capture && place.compile == compile))
        return;
    const session::SessionPtr here = workspace.captures()[std::size_t(place.capture)].session;
    const session::SessionPtr there = workspace.captures()[std::size_t(capture)].session;
    const QString name = toQString(here->compiles[std::size_t(place.compile)].id.toString());
    menu.addAction(tr("Compare %1, which is shown, with it").arg(name), &workspace,
                   [&workspace, here, there, shown = place.compile, compile] {
                       ComparisonRequest request;
                       request.what = ComparisonRequest::What::Compiles;
                       request.a = here;
                       request.b = there;
                       request.compileA = shown;
                       request.compileB = compile;
                       workspace.compare(request);
                   });
}

/// Compares two compiles of a capture, or two captures as a whole.
void addComparison(QMenu& menu, Workspace& workspace, const QString& text, const ComparisonRequest& request) {
    menu.addAction(text, &workspace, [&workspace, request] { workspace.compare(request); });
}

void addLine(QMenu& menu, Workspace& workspace, int capture, int compile) {
    const session::Session& session = *workspace.captures()[std::size_t(capture)].session;
    const ir::SourceLocation* at = session.compiles[std::size_t(compile)].location();
    if (at == nullptr || !session.sources.contains(at->file)) return;
    menu.addAction(tr("Show its line"), &workspace,
                   [&workspace, capture, compile, file = toQString(at->file), line = at->line] {
                       workspace.selectCompile(capture, compile);
                       emit workspace.sourceRequested(file, int(line));
                   });
}

void addCopyLine(QMenu& menu, const session::Compile& compile) {
    if (const ir::SourceLocation* at = compile.location())
        addCopy(menu, tr("Copy file and line"), toQString(at->file) + u':' + QString::number(at->line));
}

void addFrame(QMenu& menu, Workspace& workspace, int capture, const std::vector<int>& compiles) {
    if (compiles.empty()) return;
    const session::SessionPtr session = workspace.captures()[std::size_t(capture)].session;
    const auto idOf = [&](int compile) {
        return toQString(session->compiles[std::size_t(compile)].id.toString());
    };
    menu.addAction(tr("Show the stages of %1").arg(idOf(compiles.front())), &workspace,
                   [&workspace, capture, compile = compiles.front()] {
                       workspace.selectCompile(capture, compile);
                       Place place = workspace.place();
                       place.page = Page::Stages;
                       workspace.go(place);
                   });
    if (compiles.size() < 2) return;
    ComparisonRequest request;
    request.what = ComparisonRequest::What::Compiles;
    request.a = request.b = session;
    request.compileA = compiles.front();
    request.compileB = compiles.back();
    addComparison(menu, workspace,
                  tr("Compare %1 with %2").arg(idOf(request.compileA), idOf(request.compileB)), request);
}

/// Of a frame, those of its function: what goes on after a break is another one.
std::vector<int> compilesOf(const QModelIndex& row, const session::Session& session) {
    std::vector<int> out;
    for (int i = 0; i < row.model()->rowCount(row); ++i) {
        const int compile = row.model()->index(i, 0, row).data(CaptureModel::CompileRole).toInt();
        if (compile < 0 || std::size_t(compile) >= session.compiles.size()) continue;
        if (out.empty() || session.compiles[std::size_t(compile)].function ==
                               session.compiles[std::size_t(out.front())].function)
            out.push_back(compile);
    }
    return out;
}

void addCapturePages(QMenu& menu, Workspace& workspace, int capture) {
    const auto go = [&](const QString& text, Page page) {
        menu.addAction(text, &workspace, [&workspace, capture, page] {
            Place place;
            if (workspace.place().capture == capture) place = workspace.place();
            place.capture = capture;
            place.page = page;
            workspace.go(place);
        });
    };
    go(tr("Show its answers"), Page::Answers);
    go(tr("Show its stages"), Page::Stages);
    const int shown = workspace.place().capture;
    if (shown < 0 || shown == capture) return;
    ComparisonRequest request;
    request.a = workspace.captures()[std::size_t(shown)].session;
    request.b = workspace.captures()[std::size_t(capture)].session;
    addComparison(menu, workspace,
                  tr("Compare %1, which is shown, with it")
                      .arg(toQString(request.a->title).replace(u'&', QStringLiteral("&&"))),
                  request);
}

/// "Show inputs and aliasing".
QString showText(QString name) {
    if (!name.isEmpty()) name[0] = name[0].toLower();
    return tr("Show %1").arg(name);
}

QString nameOf(const QModelIndex& row) {
    for (const int role : {int(CaptureModel::StrongRole), int(CaptureModel::DetailRole)})
        if (QString name = row.data(role).toString(); !name.isEmpty()) return name;
    return row.data().toString();
}

} // namespace

void fillCaptureMenu(QMenu& menu, const QModelIndex& row, Workspace& workspace,
                     const CaptureMenuActions& does) {
    using Kind = CaptureModel::Kind;
    const int capture = row.data(CaptureModel::CaptureRole).toInt();
    const int compile = row.data(CaptureModel::CompileRole).toInt();
    const auto kind = Kind(row.data(CaptureModel::KindRole).toInt());
    if (!row.isValid() || capture < 0 || std::size_t(capture) >= workspace.captures().size()) return;
    const OpenCapture& open = workspace.captures()[std::size_t(capture)];
    const auto show = [&](const QString& text) {
        menu.addAction(text, &workspace, [does, at = QPersistentModelIndex(row)] {
            if (at.isValid()) does.open(at);
        });
    };
    const session::Compile* it = compile >= 0 && std::size_t(compile) < open.session->compiles.size()
                                     ? &open.session->compiles[std::size_t(compile)]
                                     : nullptr;
    switch (kind) {
    case Kind::Compile:
        if (it == nullptr) return;
        addPages(menu, workspace, capture, compile);
        addLine(menu, workspace, capture, compile);
        addComparison(menu, workspace, capture, compile);
        menu.addSeparator();
        addCopy(menu, tr("Copy compile id"), toQString(it->id.toString()));
        addCopyLine(menu, *it);
        addCopy(menu, tr("Copy why"), statusDetail(*it));
        return;
    case Kind::Capture:
        addCapturePages(menu, workspace, capture);
        break;
    case Kind::Frame: {
        const std::vector<int> compiles = compilesOf(row, *open.session);
        addFrame(menu, workspace, capture, compiles);
        if (compiles.empty()) break;
        it = &open.session->compiles[std::size_t(compiles.front())];
        addLine(menu, workspace, capture, compiles.front());
        break;
    }
    case Kind::Breaks:
    case Kind::Recompiles:
    case Kind::Facet:
        show(showText(nameOf(row)));
        break;
    case Kind::ArtifactType:
        show(tr("Show its first record"));
        break;
    case Kind::Root:
    case Kind::Rank:
    case Kind::Run:
    case Kind::Artifacts:
        break;
    }
    if (!menu.isEmpty()) menu.addSeparator();
    addCopy(menu, tr("Copy name"), nameOf(row));
    if (kind == Kind::Frame && it != nullptr) addCopyLine(menu, *it);
    if (kind == Kind::Facet && it != nullptr)
        addCopy(menu, tr("Copy compile id"), toQString(it->id.toString()));
    if (kind != Kind::Capture) return;
    addCopy(menu, tr("Copy path"), toQString(open.session->path));
    menu.addSeparator();
    menu.addAction(tr("Close"), &workspace, [does, capture] { does.close(capture); });
}

} // namespace dynascope::views
