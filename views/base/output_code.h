// SPDX-License-Identifier: BSD-3-Clause
//
// What Inductor's generated code tells about itself: its kernels, and the comments that name the nodes they
// came from.
#pragma once

#include "views/base/code_document.h"

#include <QHash>
#include <vector>

namespace dynascope::views {

struct Kernel {
    QString name;
    int line = 0;  ///< of its definition, index into the document
    int first = 0; ///< of the comment above that names its nodes; the definition where there is none
    int last = 0;  ///< last line of the definition
};

struct OutputCode {
    CodeDocumentPtr document; ///< node names in comments are links to themselves
    std::vector<Kernel> kernels;
    QHash<QString, std::vector<int>> linesOfNode; ///< comment lines that name a node
};

/// Linear in the text. Pure; run it on a worker.
[[nodiscard]] OutputCode readOutputCode(const QString& text);

} // namespace dynascope::views
