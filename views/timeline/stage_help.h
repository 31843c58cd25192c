// SPDX-License-Identifier: BSD-3-Clause
//
// What each captured stage is, for somebody who sees its name for the first time.
#pragma once

#include "core/session/session.h"
#include "views/workspace/workspace.h"

#include <QString>
#include <string_view>

namespace dynascope::views {

struct StageHelp {
    QString what;      ///< one or two sentences
    QString printedBy; ///< the part of PyTorch that writes it
};

/// By the trace's own name; unknown names get the help of their phase.
[[nodiscard]] StageHelp stageHelp(std::string_view name, session::Phase phase);
/// "Note: the whole stage", "2 notes and 1 bookmark at its nodes", a line each; empty for none.
[[nodiscard]] QString marksText(const StageMarks& marks);
/// The help, size and place of one stage, and what was written about it, as escaped rich text for a tooltip.
[[nodiscard]] QString stageToolTip(const session::Stage& stage, const QString& size, const QString& change,
                                   const QString& notes = {});

} // namespace dynascope::views
