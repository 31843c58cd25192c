// SPDX-License-Identifier: BSD-3-Clause
//
// Lessons that come with the program, and where a step's place is in a capture.
#pragma once

#include "core/lessons/lesson.h"
#include "views/workspace/workspace.h"

#include <QString>
#include <vector>

namespace dynascope::app {

struct LessonFile {
    QString path;
    lessons::Lesson lesson;
};

/// Next to the program (share/dynascope/lessons) or in the source tree, in their order. Those that cannot be read are
/// left out.
[[nodiscard]] std::vector<LessonFile> bundledLessons();
/// A bundled lesson by its name, or any by the path of its file.
[[nodiscard]] Result<LessonFile> findLesson(const QString& nameOrPath);
/// Where a step's capture lies: of the call that opens its place, or the lesson's; empty for none.
[[nodiscard]] QString capturePath(const LessonFile& file, const lessons::Call* open);

/// Goes to where `open` says in a capture that is open: its page, compile, stages A and B, node, graph break by line. False
/// where the capture has none of it.
bool goToLessonPlace(views::Workspace& workspace, int capture, const lessons::Call& open);

} // namespace dynascope::app
