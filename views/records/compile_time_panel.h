// SPDX-License-Identifier: BSD-3-Clause
//
// Where compile time went: the timing events of a compile or of the whole session as a tree.
#pragma once

#include "views/text/panel.h"

#include <memory>

class QTreeView;

namespace dynascope::views {

/// GUI thread only.
class CompileTimePanel : public Panel {
    Q_OBJECT
public:
    CompileTimePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~CompileTimePanel() override;

    [[nodiscard]] QTreeView* tree() const;
    void setWholeSession(bool whole);

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
