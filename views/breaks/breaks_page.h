// SPDX-License-Identifier: BSD-3-Clause
//
// Graph breaks grouped by reason and ranked by cost, with the picture of how they cut the frame into graphs.
#pragma once

#include "views/base/panel.h"
#include "views/workspace/page_spec.h"

#include <memory>

class QTableView;

namespace dynascope::views {

class CodeView;
class CutStrip;

/// GUI thread only.
class BreaksPage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Breaks;
    BreaksPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~BreaksPage() override;

public slots:
    bool exportTo(const QString& path); ///< CSV; false where it could not be written

protected:
    void refresh() override;
    void restyle() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Private;
    void fitColumns();
    void fitStrip();
    void buildFigures();
    void buildReasons();
    void buildDetails();
    void showGroup(int group);
    void showSource(int group);
    void showBytecode(int group);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec breaksPageSpec();

} // namespace dynascope::views
