// SPDX-License-Identifier: BSD-3-Clause
//
// The times of a replay: every node, the whole against eager, and against earlier runs of the same.
#pragma once

#include "views/base/panel.h"
#include "views/replay/timing_rows.h"

#include <memory>

class QAbstractButton;

namespace dynascope::views {

class FactView;

/// GUI thread only.
class ReplayTimingPanel : public Panel {
    Q_OBJECT
public:
    enum class Export { ChromeTrace, Csv };

    ReplayTimingPanel(Workspace& workspace, ReplayRuns& runs, Theme& theme, QWidget* parent = nullptr);
    ~ReplayTimingPanel() override;

    /// Asks for a file and writes the run there.
    void exportRun(Export form);
    /// The same without the question; the error, or an empty text.
    [[nodiscard]] QString writeTo(const QString& file, Export form) const;
    void applyDefaultSizes(int windowWidth);

signals:
    void runRequested();
    void told(const QString& message); ///< what came of an export

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    void showRun();
    void goToNode(int row, bool line);
    void follow(const QString& target);
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
