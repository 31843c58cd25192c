// SPDX-License-Identifier: BSD-3-Clause
//
// The metadata that AOTAutograd captured beside the one that was derived anew, field by field.
#pragma once

#include "views/autograd/compile_panel.h"

#include <memory>

class QCheckBox;

namespace dynascope::views {

class Rederivations;
class RowTable;

/// GUI thread only. Reads on the TaskRunner (tag "autograd.metadata"); says what to do where nothing was
/// derived yet.
class MetadataPanel : public CompilePanel {
    Q_OBJECT
public:
    MetadataPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~MetadataPanel() override;

    /// Where derived metadata comes from; it outlives the panel.
    void setRederived(Rederivations& rederived);

protected:
    void begin(const session::SessionPtr& session, std::size_t compile) override;
    void showAgain() override;
    void forget() override;

private:
    void showRows();
    void goTo(int shown);

    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
