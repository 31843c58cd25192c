// SPDX-License-Identifier: BSD-3-Clause
//
// A small drawing of what a bundled sample shows, for its card on the welcome page.
#pragma once

#include "views/theme/theme.h"

#include <QRectF>

class QPainter;

namespace dynascope::app {

/// Draws into `area` what the sample of this name is about; a graph for names it does not know.
void paintSample(QPainter& painter, const QRectF& area, const QString& name, const views::Theme& theme);

} // namespace dynascope::app
