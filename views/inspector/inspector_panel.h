// SPDX-License-Identifier: BSD-3-Clause
//
// The selected node, else the compile, else the capture: everything known about it, in sections that fold.
#pragma once

#include "views/base/panel.h"
#include "views/inspector/facts.h"

#include <memory>

namespace dynascope::views {

/// GUI thread only.
class InspectorPanel : public Panel {
    Q_OBJECT
public:
    InspectorPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~InspectorPanel() override;

    [[nodiscard]] const Facts& facts() const; ///< what is shown
    [[nodiscard]] QString plainText() const;
    void follow(const QString& target);

protected:
    void refresh() override;

private:
    void askNames(const ir::GraphPtr& graph);
    void askPeak(const ir::GraphPtr& graph);

    struct Private;
    std::unique_ptr<Private> d;
};

/// Goes where a link of a Token says: "node:A:12", "source:FILE:LINE", "panel:guards", "record:4", "break:0",
/// "compile:3"; "copy:TEXT" copies, "try:SETTING" asks for a trial.
void followLink(Workspace& workspace, const QString& target);

} // namespace dynascope::views
