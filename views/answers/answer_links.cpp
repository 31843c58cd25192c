// SPDX-License-Identifier: BSD-3-Clause
#include "views/answers/answer_links.h"

#include "views/workspace/go_to.h"
#include "views/workspace/ranks_place.h"
#include "views/workspace/recompile_place.h"

#include <QCoreApplication>

namespace dynascope::views {

namespace {

using answers::Answer;
using answers::Question;
using answers::Standing;

QString textOf(const char* text) {
    return QCoreApplication::translate("AnswerLinks", text);
}

void goToPage(Workspace& workspace, Page page) {
    Place place = workspace.place();
    place.page = page;
    workspace.go(place);
}

/// A compile on the page of stages, with the panel that tells of it.
void goToCompile(Workspace& workspace, std::size_t compile, PanelId panel) {
    const session::Session* session = workspace.session();
    if (!session || compile >= session->compiles.size()) return;
    workspace.selectCompile(workspace.place().capture, int(compile));
    goToPage(workspace, Page::Stages);
    emit workspace.panelRequested(panel);
}

bool openTarget(Workspace& workspace, Question question, const answers::Target& target) {
    if (question == Question::Ranks) {
        const session::Session* session = workspace.session();
        if (!session || target.compile >= session->compiles.size()) return false;
        Place place = workspace.place();
        setRanks(place, session->compiles[target.compile].id.toString());
        workspace.go(place);
        return true;
    }
    if (target.group != answers::nowhere) {
        workspace.showBreak(int(target.group));
        return true;
    }
    if (target.record != answers::nowhere) {
        emit workspace.recordRequested(workspace.place().capture, int(target.record));
        return true;
    }
    if (target.stage) {
        goToStage(workspace, target.compile, target.stage, target.node);
        return true;
    }
    if (target.compile == answers::nowhere) return false;
    if (question == Question::Recompiles) {
        Place place = workspace.place();
        setRecompile(place, int(target.compile));
        workspace.go(place);
        return true;
    }
    goToCompile(workspace, target.compile, PanelId::Inspector);
    return true;
}

} // namespace

QString proofTitle(const Workspace& workspace, const Answer& answer) {
    if (answer.standing == Standing::NotHere && answer.question != Question::RunTime &&
        answer.question != Question::Stages)
        return {};
    const session::Session* session = workspace.session();
    const bool compiles = session && !session->compiles.empty();
    switch (answer.question) {
    case Question::Breaks:
        return answer.items.empty() ? QString() : textOf("Graph breaks");
    case Question::Recompiles:
        return answer.figure == "0" ? QString() : textOf("Recompiles");
    case Question::Compiled:
        return session && !session->timings.empty() ? textOf("Compile time")
               : compiles                           ? textOf("Stages")
                                                    : QString();
    case Question::Caches:
        return textOf("Records");
    case Question::Stages:
        return compiles && answer.picture != answers::Picture::None ? textOf("Stages") : QString();
    case Question::CudaGraphs:
        return textOf("Replay, coverage");
    case Question::Memory:
        return session && session->memory ? textOf("Memory") : textOf("What holds most");
    case Question::RunTime:
        if (session && !session->profiles.empty()) return textOf("Profile");
        return compiles ? textOf("Replay") : QString();
    case Question::Ranks:
        return textOf("Ranks");
    case Question::Reading:
        if (answer.standing != Standing::InOrder) return textOf("Problems");
        return session && !session->records.empty() ? textOf("Records") : QString();
    }
    return {};
}

void openProof(Workspace& workspace, const Answer& answer) {
    switch (answer.question) {
    case Question::Breaks:
        if (!openTarget(workspace, answer.question, answer.proof)) goToPage(workspace, Page::Breaks);
        return;
    case Question::Recompiles:
        return goToPage(workspace, Page::Recompiles);
    case Question::Compiled:
        goToPage(workspace, Page::Stages);
        if (workspace.session() && !workspace.session()->timings.empty())
            emit workspace.panelRequested(PanelId::CompileTime);
        emit workspace.wholeTimeRequested();
        return;
    case Question::Caches:
        emit workspace.panelRequested(PanelId::Records);
        (void)openTarget(workspace, answer.question, answer.proof);
        return;
    case Question::Stages:
        if (!openTarget(workspace, answer.question, answer.proof)) goToPage(workspace, Page::Stages);
        return;
    case Question::RunTime:
        return goToPage(workspace, workspace.session() && !workspace.session()->profiles.empty()
                                       ? Page::Profile
                                       : Page::Replay);
    case Question::CudaGraphs:
        return goToPage(workspace, Page::Replay);
    case Question::Memory:
        if (workspace.session() && workspace.session()->memory) return goToPage(workspace, Page::Memory);
        (void)openTarget(workspace, answer.question, answer.proof);
        return;
    case Question::Ranks: {
        Place place = workspace.place();
        setRanks(place);
        return workspace.go(place);
    }
    case Question::Reading:
        emit workspace.panelRequested(answer.standing == Standing::InOrder ? PanelId::Records
                                                                           : PanelId::Problems);
        return;
    }
}

void openItem(Workspace& workspace, const Answer& answer, const answers::Item& item) {
    if (!openTarget(workspace, answer.question, item.target)) openProof(workspace, answer);
}

} // namespace dynascope::views
