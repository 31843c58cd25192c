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

/// What the tree does itself.
struct CaptureMenuActions {
    std::function<void(const QModelIndex& row)> open; ///< as a click on the row does
    std::function<void(int capture)> close;           ///< by its index
};

/// Fills the menu of a row: go to what it names and to the pages that tell of it, compare it, copy its name. Empty
/// for an index that is no row.
void fillCaptureMenu(QMenu& menu, const QModelIndex& row, Workspace& workspace,
                     const CaptureMenuActions& does);

} // namespace dynascope::views
