// SPDX-License-Identifier: BSD-3-Clause
//
// The code that Inductor generated: kernels to jump to, comments that link to the nodes they name.
#pragma once

#include "views/base/panel.h"

#include <memory>

class QListView;

namespace dynascope::views {

class CodeView;

/// GUI thread only. The code is read on the TaskRunner (tag "outputcode").
class OutputCodePanel : public Panel {
    Q_OBJECT
public:
    OutputCodePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~OutputCodePanel() override;

    void focusFilter() override;

protected:
    void refresh() override;

private:
    void followNode(const QString& name);
    [[nodiscard]] session::StagePtr subjectStage() const;
    void mark();

    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
