// SPDX-License-Identifier: BSD-3-Clause
//
// The alias and mutation table of the current compile: its inputs, its outputs, and the tangents of backward.
#pragma once

#include "views/text/panel.h"

#include <memory>

namespace dynascope::views {

class RowTable;

/// GUI thread only. Reads on the TaskRunner (tag "autograd.alias").
class AliasPanel : public Panel {
    Q_OBJECT
public:
    AliasPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~AliasPanel() override;

    [[nodiscard]] RowTable* inputs() const;
    [[nodiscard]] RowTable* outputs() const;
    [[nodiscard]] QString tangentText() const; ///< what is said of the tangents

protected:
    void refresh() override;

private:
    struct Private;
    void forget();
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
