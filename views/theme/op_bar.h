// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/theme/theme.h"

class QPainter;
class QRect;

namespace dynascope::views {

/// The bar of an op kind in lists: filled in its colour, hollow for the functional form of a write.
void paintOpBar(QPainter& painter, const QRect& bar, const Colours& colours, ir::OpKind kind);

} // namespace dynascope::views
