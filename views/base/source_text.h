// SPDX-License-Identifier: BSD-3-Clause
//
// A file of the user's program as far as it can be shown: whole where the file on this machine has the very
// lines that the capture quotes, else only those lines.
#pragma once

#include "core/session/breaks.h"
#include "core/session/session.h"
#include "views/base/code_view.h"

#include <QHash>
#include <string>

namespace dynascope::views {

struct SourceText {
    std::string path;
    CodeDocumentPtr document;
    std::vector<CodeRow> rows;
    QHash<int, int> indexOfLine; ///< line number -> index into the document
    bool whole = false;
    QString notice; ///< why it is not whole; empty otherwise
};

/// Reads the file where it is a plain one of at most 4 MiB. May block on the disk: run it on a worker.
[[nodiscard]] SourceText loadSource(const session::Session& session, const std::string& path);

/// What breaks cost at each line of a file: the bars and scissors of the gutter.
[[nodiscard]] QHash<int, GutterMark> breakMarks(const session::BreakSummary& breaks, const SourceText& text);

} // namespace dynascope::views
