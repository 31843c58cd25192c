// SPDX-License-Identifier: BSD-3-Clause
//
// What can be done with a row of the capture tree.
#pragma once

#include <QString>
#include <functional>

class QMenu;
class QModelIndex;

namespace dynascope::views {

class Workspace;

/// Fills the menu of a row: copy what it names, go to the pages that tell of it, compare it. Rows that are no
/// capture and no compile can be copied only. `close` closes a capture by its index.
void fillCaptureMenu(QMenu& menu, const QModelIndex& row, Workspace& workspace,
                     const std::function<void(int)>& close);

} // namespace dynascope::views
