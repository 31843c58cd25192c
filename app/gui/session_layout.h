// SPDX-License-Identifier: BSD-3-Clause
//
// Where the reader was and what the window looked like, as a session file keeps it: JSON that names places by
// address and panels by name, so that it means the same to a later Dynascope. A file may come from a
// stranger: what is not understood is left out.
#pragma once

#include "views/canvas/compare_view.h"
#include "views/workspace/workspace.h"

#include <QJsonObject>
#include <QString>
#include <optional>
#include <string>

namespace dynascope::app {

/// The longest text that is read.
inline constexpr std::size_t longestLayout = 64U << 10U;
/// Empty for anything else than a small JSON object.
[[nodiscard]] QJsonObject readLayout(const std::string& text);
[[nodiscard]] std::string layoutText(const QJsonObject& layout);

/// The current place: page, stages A and B, node, graph break.
[[nodiscard]] QJsonObject placeToJson(const views::Workspace& workspace);
/// Goes there, without a step in the history. False where the capture has no such place.
bool goToPlace(views::Workspace& workspace, int capture, const QJsonObject& place);

/// Zoom and places of the canvases.
[[nodiscard]] QJsonObject viewToJson(const views::CompareView::View& view);
[[nodiscard]] std::optional<views::CompareView::View> viewFromJson(const QJsonObject& view);

} // namespace dynascope::app
