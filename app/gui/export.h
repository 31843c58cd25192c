// SPDX-License-Identifier: BSD-3-Clause
//
// `dynascope --export`: writes the window as PNG in every state worth seeing, without a display.
#pragma once

#include "views/theme/theme.h"

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

class QApplication;

namespace dynascope::app {

struct ExportOptions {
    QString folder;
    QStringList paths;                         ///< captures; the bundled samples where empty
    std::vector<std::string> engine;           ///< its command; the one beside the program where empty
    std::vector<QSize> sizes{{1600, 1000}};    ///< names carry the size when there are several
    bool compare = false;                      ///< the paths with each other, instead of each by itself
    std::optional<views::ColourScheme> scheme; ///< of all pictures but the inspect pair, dark where not given
};

/// Prints a line for each file it wrote. Exit code: 0; 1 where a file could not be written; 2 where a capture
/// could not be read. The rest is written all the same.
int exportWindows(QApplication& app, const ExportOptions& options);

} // namespace dynascope::app
