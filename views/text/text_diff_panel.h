// SPDX-License-Identifier: BSD-3-Clause
//
// Stage A's code beside stage B's, aligned by the graph diff's rows.
#pragma once

#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only.
class TextDiffPanel : public Panel {
    Q_OBJECT
public:
    TextDiffPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~TextDiffPanel() override;

    void focusFilter() override;

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
