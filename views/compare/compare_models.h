// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of a pair of compiles, as tables: its stages, and everything that has a name and two values.
#pragma once

#include "core/compare/passes.h"
#include "views/compare/pairs_model.h"
#include "views/inductor/pass_place.h"

#include <QAbstractTableModel>
#include <vector>

namespace dynascope::views {

/// GUI thread only.
class StagePairsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Verdict, Stage, Changes, Difference, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void set(std::vector<compare::StageComparison> stages);
    [[nodiscard]] const std::vector<compare::StageComparison>& stages() const { return m_stages; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<compare::StageComparison> m_stages;
};

/// A row with a name and a value on each side.
struct ComparedValue {
    QString name, a, b;
    QVariant sortA = {}, sortB = {}; ///< numbers where the texts are not to be sorted
    compare::CompareVerdict verdict = compare::CompareVerdict::Differs;
    std::optional<PassPlace> placeA = {}, placeB = {}; ///< on the page Inductor, of rows about passes
};

[[nodiscard]] std::vector<ComparedValue> guardRows(const compare::ListComparison& guards);
[[nodiscard]] std::vector<ComparedValue> valueRows(const std::vector<compare::ValueComparison>& values);
/// Outcome and key of each cache, then the parts of the key that differ.
[[nodiscard]] std::vector<ComparedValue> cacheRows(const std::vector<compare::CacheComparison>& caches);
/// Passes that do not do the same on both sides, then kernels, each with the fusions that the other side did not make.
[[nodiscard]] std::vector<ComparedValue> passRows(const compare::PassesComparison& passes);
[[nodiscard]] std::vector<ComparedValue> timingRows(const std::vector<compare::TimingComparison>& timings);

/// GUI thread only.
class ComparedValuesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Verdict, Name, A, B, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void set(std::vector<ComparedValue> rows);
    [[nodiscard]] const std::vector<ComparedValue>& rows() const { return m_rows; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<ComparedValue> m_rows;
};

} // namespace dynascope::views
