// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/theme/theme.h"

#include <QPainter>

namespace dynascope::views {

/// The sign of a note (a page with a folded corner) or of a bookmark alone (a ribbon). Grey: it says that
/// something was written, not what the thing is.
void drawNoteSign(QPainter& painter, const Colours& colours, QPointF centre, double size, bool note);

} // namespace dynascope::views
