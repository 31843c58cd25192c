// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/lesson_actions.h"

#include "app/gui/action_specs.h"
#include "app/gui/chrome.h"
#include "app/gui/settings.h"
#include "app/gui/window_docks.h"
#include "app/gui/window_pages.h"
#include "views/engine/passes.h"
#include "views/functionalize/functionalize_page.h"
#include "views/functionalize/stepper.h"
#include "views/workspace/labels.h"

#include <QFileInfo>

namespace dynascope::app {

using namespace views;

LessonActions::LessonActions(const Shared& shared, WindowPages& pages, WindowDocks& docks, LessonRun& run,
                             Passes& passes, Stepper& stepper)
    : WindowPart(shared)
    , m_pages(&pages)
    , m_docks(&docks)
    , m_run(&run)
    , m_passes(&passes)
    , m_stepper(&stepper) {
    run.setFacts([this] { return facts(); });
    connect(&run, &LessonRun::placeWanted, this, &LessonActions::goToPlace);
    connect(&run, &LessonRun::progressed, this,
            [this] { m_settings.setLesson(toQString(m_run->lesson().name), m_run->progress()); });
    connect(&run, &LessonRun::recordWanted, this,
            [this] { m_actions->trigger(QStringLiteral("file.record")); });
    connect(&m_workspace, &Workspace::captureOpened, this, [this](int capture) {
        if (m_opening.isEmpty() || captureAt(m_opening) != capture) return;
        m_opening.clear();
        QMetaObject::invokeMethod(this, &LessonActions::goToPlace, Qt::QueuedConnection);
    });
    connect(&m_workspace, &Workspace::openFailed, this, [this] { m_opening.clear(); });
    connect(&stepper, &Stepper::recordingChanged, this, &LessonActions::goOn);
}

void LessonActions::addActions() {
    for (const LessonFile& file : bundledLessons()) {
        const QString name = toQString(file.lesson.name);
        ActionSpec lesson = spec("", toQString(file.lesson.title), QStringLiteral("Help/") + tr("Lessons"),
                                 {}, "", toQString(file.lesson.about));
        lesson.id = QStringLiteral("lesson.") + name;
        m_actions->add(lesson, [this, name] { open(name); });
    }
}

void LessonActions::open(const QString& nameOrPath) {
    auto file = findLesson(nameOrPath);
    if (!file) {
        m_message->showMessage(toQString(file.error().toString()));
        return;
    }
    m_file = std::move(*file);
    m_docks->raise(PanelId::Lesson);
    m_run->open(m_file.lesson, m_settings.lesson(toQString(m_file.lesson.name)));
}

int LessonActions::captureAt(const QString& path) const {
    const auto& open = m_workspace.captures();
    for (std::size_t i = 0; i < open.size(); ++i)
        if (QFileInfo(toQString(open[i].session->path)) == QFileInfo(path)) return int(i);
    return -1;
}

void LessonActions::goToPlace() {
    if (!m_run->isOpen()) return;
    const lessons::Call* place = m_run->place();
    if (!place) return;
    const QString path = capturePath(m_file, place);
    if (path.isEmpty()) return;
    const int capture = captureAt(path);
    if (capture < 0) {
        if (m_opening != path) m_workspace.open(path);
        m_opening = path;
        return;
    }
    if (!goToLessonPlace(m_workspace, capture, *place))
        m_message->showMessage(
            tr("%1 has nothing at the place that this step is about.").arg(QFileInfo(path).fileName()));
    m_docks->raise(PanelId::Lesson);
    if (place->name != "functionalize") return;
    // What the lesson takes of the width is taken from the lists beside the scorecard.
    m_pages->get<FunctionalizePage>().applyDefaultSizes(m_window.width() -
                                                        m_docks->find(PanelId::Lesson)->width());
    if (m_stepper->recording())
        goOn();
    else if (!m_passes->isBusy())
        m_passes->run(QStringLiteral("functionalize"), m_workspace.place().stageA);
}

void LessonActions::goOn() {
    const lessons::Call* place = m_run->isOpen() ? m_run->place() : nullptr;
    if (!place || place->name != "functionalize" || !m_stepper->recording()) return;
    if (captureAt(capturePath(m_file, place)) != m_workspace.place().capture) return;
    m_stepper->goTo(place->number("op", 0), place->number("phase", 0) - 1);
}

lessons::JudgedFacts LessonActions::facts() const {
    lessons::JudgedFacts facts;
    const OpenCapture* current = m_workspace.capture();
    if (m_run->step().question->kind == lessons::Question::Kind::Capture) {
        if (current) facts.session = current->session;
        return facts;
    }
    const int capture = captureAt(capturePath(m_file, m_run->place()));
    if (capture < 0) return facts;
    facts.session = m_workspace.captures()[std::size_t(capture)].session;
    if (capture == m_workspace.place().capture) facts.functional = m_stepper->recording();
    return facts;
}

} // namespace dynascope::app
