// SPDX-License-Identifier: BSD-3-Clause
//
// What nodes that somebody watches held in a run of their stage.
#pragma once

#include "core/computed/tensor_value.h"
#include "core/session/session.h"

#include <QAbstractTableModel>
#include <QString>
#include <QStringList>
#include <vector>

namespace dynascope::views {

/// A run of one stage. `values` has each node right after it ran.
struct StageRun {
    session::StagePtr stage;
    computed::NodeValues values;
    std::vector<computed::TensorValue> inputsBefore, inputsAfter;
    QString error;
};

/// Watched nodes by name with a summary of each in the run that is shown. GUI thread only.
class WatchModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void toggle(const QString& node);
    void setRun(const StageRun* run);
    [[nodiscard]] const QStringList& nodes() const { return m_nodes; }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_nodes;
    computed::NodeValues m_values; ///< of the watched nodes
};

} // namespace dynascope::views
