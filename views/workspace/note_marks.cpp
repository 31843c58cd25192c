// SPDX-License-Identifier: BSD-3-Clause
//
// Notes and bookmarks of a workspace as marks that canvases and timelines draw.
#include "views/workspace/workspace.h"

namespace dynascope::views {

void Workspace::setMarks(const session::Session& session, NoteMarks marks) {
    NoteMarks& known = m_marks[&session];
    if (known == marks) return;
    known = std::move(marks);
    emit marksChanged();
}

const NoteMarks& Workspace::marks() const {
    static const NoteMarks none;
    const auto at = m_marks.constFind(session());
    return at == m_marks.constEnd() ? none : *at;
}

namespace {

/// Calls `take` with each mark of a stage and its nodes.
template <typename Take>
void forEachMark(const NoteMarks& marks, const session::Compile& compile, const session::Stage& stage,
                 Take take) {
    ir::Address address{compile.rank, compile.id.toString(), stage.attempt, stage.name, stage.k, {}};
    for (auto at = marks.lower_bound(address); at != marks.end(); ++at) {
        address.node = at->first.node;
        if (at->first != address) return;
        take(at->first.node, at->second);
    }
}

} // namespace

StageMarks Workspace::stageMarks(const session::Stage& stage) const {
    StageMarks all;
    if (const session::Compile* c = compile())
        forEachMark(marks(), *c, stage, [&all](const std::string& node, const NoteMark& mark) {
            if (node.empty()) {
                all.own = mark;
                return;
            }
            all.notes += !mark.note.isEmpty();
            all.bookmarks += mark.bookmark;
        });
    return all;
}

std::map<std::string, NoteMark> Workspace::nodeMarks(Side side) const {
    std::map<std::string, NoteMark> out;
    const session::Compile* c = compile();
    const session::StagePtr& shown = stage(side).stage;
    if (c && shown)
        forEachMark(marks(), *c, *shown, [&out](const std::string& node, const NoteMark& mark) {
            if (!node.empty()) out.emplace(node, mark);
        });
    return out;
}

} // namespace dynascope::views
