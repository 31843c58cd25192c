// SPDX-License-Identifier: BSD-3-Clause
//
// From an answer to what proves it. GUI thread only.
#pragma once

#include "core/answers/answer.h"
#include "views/workspace/workspace.h"

namespace dynascope::views {

/// Of an answer's link: "Graph breaks"; empty where the current capture has nothing to open for it.
[[nodiscard]] QString proofTitle(const Workspace& workspace, const answers::Answer& answer);
/// Opens it. Back leads to where the reader was.
void openProof(Workspace& workspace, const answers::Answer& answer);
/// Opens what one item of an answer is about.
void openItem(Workspace& workspace, const answers::Answer& answer, const answers::Item& item);

} // namespace dynascope::views
