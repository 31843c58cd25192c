// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/lessons.h"

#include "app/gui/pages.h"
#include "app/gui/session_layout.h"
#include "core/lessons/judge.h"
#include "views/notes/note_places.h"
#include "views/workspace/labels.h"
#include "views/workspace/page_spec.h"
#include "views/workspace/panel_id.h"
#include "views/workspace/recompile_place.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

constexpr qint64 largestLesson = 1 << 20;

QString lessonFolder() {
    const QString beside =
        QCoreApplication::applicationDirPath() + QStringLiteral("/../share/dynascope/lessons");
    return QDir(beside).exists() ? beside : QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/lessons");
}

Result<LessonFile> readFile(const QString& path) {
    QFile file(path);
    const std::string name = path.toStdString();
    if (!file.open(QIODevice::ReadOnly)) return failure("cannot be opened", name);
    if (file.size() > largestLesson) return failure("a lesson has 1 MiB at most", name);
    const std::string text = file.readAll().toStdString();
    return lessons::readLesson(text, name).map([&](lessons::Lesson lesson) {
        return LessonFile{path, std::move(lesson)};
    });
}

QJsonObject placeOf(const session::Compile& compile, const lessons::Call& open) {
    QJsonObject place{{QLatin1String("compile"), toQString(addressOf(compile).toString())}};
    for (const char* side : {"a", "b"}) {
        const std::string_view name = open.value(side);
        const std::size_t mark = name.find('#');
        int k = 0;
        if (mark != std::string_view::npos) k = std::atoi(std::string(name.substr(mark + 1)).c_str());
        if (const session::StagePtr stage = compile.findStage(name.substr(0, mark), k))
            place[QLatin1String(side)] = toQString(addressOf(compile, *stage).toString());
    }
    if (const std::string_view node = open.value("node"); !node.empty()) {
        place[QLatin1String("node")] = toQString(node);
        place[QLatin1String("side")] = open.value("side") == "a" ? QLatin1String("a") : QLatin1String("b");
    }
    return place;
}

void leadWithin(const OpenCapture& capture, const lessons::Call& open, Place& place) {
    if (place.page == Page::Breaks) {
        const int line = open.number("line", -1);
        const auto& groups = capture.breaks.groups;
        for (std::size_t i = 0; i < groups.size(); ++i)
            if (line < 0 || int(groups[i].location.line) == line) {
                setBreak(place, int(i));
                return;
            }
    } else if (place.page == Page::Recompiles) {
        place.own.set(RecompilePlace{place.compile});
    }
}

} // namespace

std::vector<LessonFile> bundledLessons() {
    std::vector<LessonFile> found;
    for (const QFileInfo& file : QDir(lessonFolder()).entryInfoList({QStringLiteral("*.md")}, QDir::Files))
        if (auto lesson = readFile(file.absoluteFilePath())) found.push_back(std::move(*lesson));
    std::stable_sort(found.begin(), found.end(), [](const LessonFile& a, const LessonFile& b) {
        return a.lesson.order < b.lesson.order;
    });
    return found;
}

Result<LessonFile> findLesson(const QString& nameOrPath) {
    for (LessonFile& file : bundledLessons())
        if (toQString(file.lesson.name) == nameOrPath) return std::move(file);
    if (!QFileInfo::exists(nameOrPath))
        return failure("there is no lesson of this name; Help > Lessons lists them",
                       nameOrPath.toStdString());
    return readFile(QFileInfo(nameOrPath).absoluteFilePath());
}

QString capturePath(const LessonFile& file, const lessons::Call* open) {
    std::string_view name = open ? open->value("capture") : std::string_view();
    if (name.empty()) name = file.lesson.capture;
    if (name.empty() || name.find("..") != std::string_view::npos || name.front() == '/') return {};
    const QString folder =
        name.starts_with("samples/") ? lessonFolder() + QStringLiteral("/..") : QFileInfo(file.path).path();
    return QDir::cleanPath(folder + u'/' + toQString(name));
}

bool goToLessonPlace(Workspace& workspace, int capture, const lessons::Call& open) {
    const OpenCapture& opened = workspace.captures()[std::size_t(capture)];
    const session::Compile* compile = compileOf(open, *opened.session);
    Place place;
    place.capture = capture;
    if (compile && goToPlace(workspace, capture, placeOf(*compile, open))) place = workspace.place();
    const bool found = compile || open.value("compile").empty();
    for (const PageSpec& page : pageSpecs())
        if (open.name == page.name) place.page = page.page;
    leadWithin(opened, open, place);
    workspace.go(place);
    if (const auto panel = panelNamed(toQString(open.value("panel")))) emit workspace.panelRequested(*panel);
    return found && workspace.place().page == place.page;
}

} // namespace dynascope::app
