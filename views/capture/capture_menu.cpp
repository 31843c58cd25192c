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

} // namespace

void fillCaptureMenu(QMenu& menu, const QModelIndex& row, Workspace& workspace,
                     const std::function<void(int)>& close) {
    const int capture = row.data(CaptureModel::CaptureRole).toInt();
    const int compile = row.data(CaptureModel::CompileRole).toInt();
    const auto kind = CaptureModel::Kind(row.data(CaptureModel::KindRole).toInt());
    if (capture < 0 || std::size_t(capture) >= workspace.captures().size()) return;
    const OpenCapture& open = workspace.captures()[std::size_t(capture)];
    if (kind == CaptureModel::Kind::Compile && compile >= 0 &&
        std::size_t(compile) < open.session->compiles.size()) {
        const session::Compile& it = open.session->compiles[std::size_t(compile)];
        addPages(menu, workspace, capture, compile);
        addComparison(menu, workspace, capture, compile);
        menu.addSeparator();
        addCopy(menu, tr("Copy compile id"), toQString(it.id.toString()));
        if (const ir::SourceLocation* at = it.location())
            addCopy(menu, tr("Copy file and line"), toQString(at->file) + u':' + QString::number(at->line));
        addCopy(menu, tr("Copy why"), statusDetail(it));
        return;
    }
    addCopy(menu, tr("Copy name"),
            row.data(CaptureModel::StrongRole).toString().isEmpty()
                ? row.data().toString()
                : row.data(CaptureModel::StrongRole).toString());
    if (kind != CaptureModel::Kind::Capture) return;
    addCopy(menu, tr("Copy path"), toQString(open.session->path));
    menu.addSeparator();
    menu.addAction(tr("Close"), &workspace, [close, capture] { close(capture); });
}

} // namespace dynascope::views
