// SPDX-License-Identifier: BSD-3-Clause
#include "views/notes/note_places.h"

#include "core/inductor/compile_passes.h"
#include "views/inductor/pass_place.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

namespace {

const session::GraphBreak* breakAt(const session::Session& session, const ir::Address& address) {
    if (address.stage != breakStage) return nullptr;
    const session::Compile* compile = session.find(address.rank, address.compileId);
    return compile && address.k >= 0 && std::size_t(address.k) < compile->breaks.size()
               ? &compile->breaks[std::size_t(address.k)]
               : nullptr;
}

/// Of the pass that is looked at on the page Inductor, where the reader chose one. `k` is its row, and its name stands in the
/// node's place: nobody has to read the recording to say it.
std::optional<ir::Address> passHere(const Workspace& workspace) {
    const auto at = workspace.place().own.of<PassPlace>();
    const session::Compile* compile = workspace.compile();
    if (workspace.place().page != Page::Inductor || at.scheduler || at.row < 0 || !compile) return {};
    const inductor::CompilePasses passes = inductor::passesOf(*workspace.capture()->session, *compile);
    if (std::size_t(at.row) >= passes.rows.size()) return {};
    ir::Address out = addressOf(*compile);
    out.stage = passStage;
    out.k = at.row;
    out.node = passes.rows[std::size_t(at.row)].name();
    return out;
}

bool goToPass(Workspace& workspace, int capture, const session::Session& session,
              const session::Compile& compile, const ir::Address& address) {
    const inductor::CompilePasses passes = inductor::passesOf(session, compile);
    if (address.k < 0 || std::size_t(address.k) >= passes.rows.size() ||
        passes.rows[std::size_t(address.k)].name() != address.node)
        return false;
    const bool same = workspace.compile() == &compile;
    workspace.selectCompile(capture, int(&compile - session.compiles.data()));
    Place place = workspace.place();
    place.page = Page::Inductor;
    place.own.set(PassPlace{address.k});
    workspace.go(place, same); // one step back, not two
    return true;
}

} // namespace

QString compileText(const session::Session& session, const ir::Address& address) {
    const session::Compile* compile = session.find(address.rank, address.compileId);
    QString id = toQString(address.compileId);
    if (!compile) return id;
    QString text = compile->id.frame < 0 ? frameText(*compile) : id + u' ' + frameText(*compile);
    if (session.ranks.size() > 1) text = QObject::tr("rank %1, %2").arg(address.rank).arg(text);
    return text;
}

QString addressText(const session::Session& session, const ir::Address& address) {
    if (const session::GraphBreak* broken = breakAt(session, address)) {
        const session::Compile* compile = session.find(address.rank, address.compileId);
        const ir::SourceLocation* at = broken->location() ? broken->location() : compile->location();
        return at ? QStringLiteral("%1 %2").arg(toQString(broken->title), placeText(*at))
                  : toQString(broken->title);
    }
    if (address.stage.empty()) return compileText(session, address);
    if (address.stage == passStage)
        return QObject::tr("%1, of %2").arg(toQString(address.node), compileText(session, address));
    QString text = toQString(address.stage);
    if (address.k > 0) text += QStringLiteral("#%1").arg(address.k);
    return address.node.empty() ? text : QObject::tr("%1 in %2").arg(toQString(address.node), text);
}

QString addressTitle(const session::Session& session, const ir::Address& address) {
    const QString text = addressText(session, address);
    if (address.stage == breakStage) return QObject::tr("Graph break %1").arg(text);
    if (address.stage == passStage) return QObject::tr("Pass %1").arg(text);
    if (address.stage.empty()) return QObject::tr("Frame %1").arg(text);
    return address.node.empty() ? QObject::tr("Stage %1").arg(text) : QObject::tr("Node %1").arg(text);
}

ir::Address addressOf(const session::Compile& compile) {
    ir::Address address;
    address.rank = compile.rank;
    address.compileId = compile.id.toString();
    return address;
}

ir::Address addressOf(const session::Compile& compile, const session::Stage& stage, const std::string& node) {
    return {compile.rank, compile.id.toString(), stage.attempt, stage.name, stage.k, node};
}

std::vector<ir::Address> addressesHere(const Workspace& workspace) {
    std::vector<ir::Address> out;
    const Place& place = workspace.place();
    const Workspace::Capture* capture = workspace.capture();
    if (capture && place.page == Page::Breaks && breakGroup(place) >= 0) {
        ir::Address frame = breakAddress(*capture, breakGroup(place));
        out.push_back(frame);
        frame.stage.clear();
        frame.k = frame.attempt = 0;
        out.push_back(std::move(frame));
        return out;
    }
    const session::Compile* compile = workspace.compile();
    if (!compile) return out;
    if (capture && place.page == Page::Inductor) {
        if (const auto pass = passHere(workspace)) out.push_back(*pass);
        out.push_back(addressOf(*compile));
        return out;
    }
    const ir::Node* node = workspace.selectedNode();
    const Side side = node ? place.node.side : Side::B;
    for (const Side at : {side, side == Side::A ? Side::B : Side::A}) {
        const session::StagePtr& stage = workspace.stage(at).stage;
        if (!stage) continue;
        if (node && at == side) out.push_back(addressOf(*compile, *stage, node->name));
        const ir::Address whole = addressOf(*compile, *stage);
        if (std::find(out.begin(), out.end(), whole) == out.end()) out.push_back(whole);
    }
    out.push_back(addressOf(*compile));
    return out;
}

int stageIndex(const Workspace& workspace, const ir::Address& address) {
    for (int i = 0; i < workspace.stageCount(); ++i)
        if (const session::StagePtr stage = workspace.stageAt(i); stage && stage->name == address.stage &&
                                                                  stage->k == address.k &&
                                                                  stage->attempt == address.attempt)
            return i;
    return -1;
}

bool goToAddress(Workspace& workspace, int capture, const ir::Address& address) {
    const auto& open = workspace.captures();
    if (capture < 0 || capture >= int(open.size())) return false;
    const Workspace::Capture& there = open[std::size_t(capture)];
    const session::Compile* compile = there.session->find(address.rank, address.compileId);
    if (!compile) return false;
    if (address.stage == breakStage) {
        const int group = breakGroupAt(there, address);
        if (group < 0) return false;
        Place place;
        place.capture = capture;
        setBreak(place, group);
        if (workspace.place().capture == capture) place.compile = workspace.place().compile;
        workspace.go(place);
        return true;
    }
    if (address.stage == passStage) return goToPass(workspace, capture, *there.session, *compile, address);
    const session::Compile* before = workspace.compile();
    workspace.selectCompile(capture, int(compile - there.session->compiles.data()));
    if (address.stage.empty()) return true;
    const int found = stageIndex(workspace, address);
    if (found < 0) return false;
    Place place = workspace.place();
    place.page = Page::Stages;
    if (found != place.stageA && found != place.stageB) {
        const int from = workspace.madeFrom(found);
        place.stageA = from >= 0 ? from : found;
        if (from >= 0) place.stageB = found;
    }
    place.node = {};
    if (!address.node.empty())
        if (const auto graph = workspace.stageAt(found)->graph())
            place.node = {found == place.stageB ? Side::B : Side::A, (*graph)->find(address.node)};
    workspace.go(place, before == compile); // one step back, not two
    return address.node.empty() || !place.node.isEmpty();
}

} // namespace dynascope::views
