// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/computed/functional_recording.h"
#include "views/theme/theme.h"

class QPainter;
class QRectF;

namespace dynascope::views {

/// Fills, hatches and frames a cell in the colours of its state.
void paintCellFrame(QPainter& painter, const QRectF& rect, computed::Cell::State state,
                    const Colours& colours);

} // namespace dynascope::views
