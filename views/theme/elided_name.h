// SPDX-License-Identifier: BSD-3-Clause
//
// Names of nodes, modules and operators where there is not room for all of one.
#pragma once

#include <QFontMetricsF>
#include <QString>

namespace dynascope::views {

/// The text if it fits into `width`. A name keeps its end, which tells it from its neighbours, "…backward_19" of
/// "convolution_backward_19"; other text keeps its beginning, as elided() of shown_text.h cuts it.
[[nodiscard]] QString elidedName(const QFontMetricsF& metrics, const QString& text, qreal width);
/// Whether it is such a name.
[[nodiscard]] bool isName(QStringView text);
/// Where the end of a name that is shown begins, if `fits` of its characters can be: with a part of the name
/// where one begins near there. As long as the name where none can.
[[nodiscard]] qsizetype shownEnd(QStringView name, qsizetype fits);

} // namespace dynascope::views
