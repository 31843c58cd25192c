// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of a pass as rows of a table, and the result as it stands after a step as rows of a list.
#pragma once

#include "core/computed/pass_steps.h"
#include "views/theme/theme.h"

#include <QAbstractTableModel>
#include <memory>

namespace dynascope::views {

/// What a pass did, worked out once; shared by the models of the panel.
struct ShownPassSteps {
    computed::PassSteps steps;
    ir::GraphPtr source, result;
    std::vector<std::string> lines; ///< of each node of `result`: "add = add_(h, 1)"
};
using ShownPassStepsPtr = std::shared_ptr<const ShownPassSteps>;

/// Rows are the ops of the source. GUI thread only.
class PassStepsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Number, Op, Became, Why, ColumnCount };
    /// Of a row: whether the pass did something there, or left a write.
    static constexpr int MattersRole = Qt::UserRole;

    explicit PassStepsModel(Theme& theme, QObject* parent = nullptr);
    void setSteps(ShownPassStepsPtr shown); ///< null clears
    [[nodiscard]] const computed::PassStepRow* step(int row) const;
    /// The row whose source node, or, with `ofResult`, one of whose results has this name; -1 for none.
    [[nodiscard]] int rowOf(const std::string& node, bool ofResult) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    Theme& m_theme;
    ShownPassStepsPtr m_shown;
};

/// Rows are the nodes of the result that stand after a step, those that the step put there marked. GUI thread
/// only.
class ResultSoFarModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit ResultSoFarModel(Theme& theme, QObject* parent = nullptr);
    void setSteps(ShownPassStepsPtr shown); ///< null clears; nothing stands until setStep()
    void setStep(int row);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] std::size_t endAfter(int row) const;

    Theme& m_theme;
    ShownPassStepsPtr m_shown;
    std::size_t m_begin = 0, m_end = 0; ///< nodes before and after the step
};

} // namespace dynascope::views
