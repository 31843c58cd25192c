// SPDX-License-Identifier: BSD-3-Clause
//
// The page about record and replay: a run of CUDA-graph trees where the capture is one, else what its graphs
// would be.
#pragma once

#include "views/models/workspace.h"
#include "views/theme/theme.h"

#include <QStackedWidget>

namespace dynascope::views {

class CoveragePanel;
class TreePanel;

/// GUI thread only.
class ReplayPage : public QStackedWidget {
    Q_OBJECT
public:
    ReplayPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] CoveragePanel* coverage() const { return m_coverage; }
    [[nodiscard]] TreePanel* tree() const { return m_tree; }
    void applyDefaultSizes(int windowWidth);

private:
    void choose();

    Workspace& m_workspace;
    CoveragePanel* m_coverage;
    TreePanel* m_tree;
};

} // namespace dynascope::views
