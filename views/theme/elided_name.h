// SPDX-License-Identifier: BSD-3-Clause
//
// Names of nodes, modules and operators where there is not room for all of one.
#pragma once

#include <QFontMetricsF>
#include <QString>

namespace dynascope::views {

/// The text if it fits into `width`. A name keeps its end, which tells it from its neighbours, "…backward_19" of
/// "convolution_backward_19"; a type, "f32[256, …, 64]",
/// both ends; other text keeps its beginning, as elided() of shown_text.h cuts it.
[[nodiscard]] QString elidedName(const QFontMetricsF& metrics, const QString& text, qreal width);
/// A qualified name, or a source with one in it, cut in its middle by whole parts, so that its start, the number of its
/// layer and its end are seen as far as there is room: "model.layers.12…q_proj.weight", "…layers.12…q_proj.weight",
/// "…q_proj.weight". Where that leaves too much, or it has no parts, cut in the middle by characters.
[[nodiscard]] QString elidedPath(const QFontMetricsF& metrics, const QString& text, qreal width);
/// Whether it is such a name.
[[nodiscard]] bool isName(QStringView text);
/// Where the end of a name that is shown begins, if `fits` of its characters can be: with a part of the name
/// where one begins near there. As long as the name where none can.
[[nodiscard]] qsizetype shownEnd(QStringView name, qsizetype fits);

} // namespace dynascope::views
