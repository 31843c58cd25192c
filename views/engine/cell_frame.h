// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/engine/functional_run.h"
#include "views/theme/theme.h"

class QPainter;
class QRectF;

namespace dynascope::views {

/// Fills, hatches and frames a cell in the colours of its state.
void paintCellFrame(QPainter& painter, const QRectF& rect, Cell::State state, const Colours& colours);

} // namespace dynascope::views
