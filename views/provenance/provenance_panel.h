// SPDX-License-Identifier: BSD-3-Clause
//
// What the selection comes from and what became of it, level by level: source, Dynamo, joint and AOT graphs,
// post-grad graphs, kernels, lines of generated code. Choosing a cell selects it everywhere.
#pragma once

#include "views/base/panel.h"

#include <memory>

class QModelIndex;
class QTableView;

namespace dynascope::views {

class ProvenanceModel;

/// GUI thread only.
class ProvenancePanel : public Panel {
    Q_OBJECT
public:
    ProvenancePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~ProvenancePanel() override;

    [[nodiscard]] const ProvenanceModel& model() const;

protected:
    void refresh() override;
    void restyle() override;

private:
    void choose(const QModelIndex& index);
    void fill();

    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
