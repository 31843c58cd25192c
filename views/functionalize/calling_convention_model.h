// SPDX-License-Identifier: BSD-3-Clause
//
// A calling convention as a tree: outer arguments, outputs and epilogue steps under three headings.
#pragma once

#include "core/computed/calling_convention.h"

#include <QAbstractItemModel>

namespace dynascope::views {

/// GUI thread only.
class CallingConventionModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Section { Arguments, Outputs, Epilogue, SectionCount };
    enum Column { Number, Name, Type, What, Why, ColumnCount };
    enum Role {
        NodeRole = Qt::UserRole, ///< the node that a row is about, a string
        InResultRole,            ///< that node is of the functional graph, not of the source
        BreakRole,               ///< the break that the Why column leads to, an index, or -1
        WrittenRole,             ///< the row is about a changed input
    };

    using QAbstractItemModel::QAbstractItemModel;
    void setConvention(computed::CallingConvention convention);
    [[nodiscard]] const computed::CallingConvention& convention() const { return m_convention; }

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] std::size_t countOf(int section) const;
    [[nodiscard]] QString heading(int section) const;
    [[nodiscard]] QString tip(const QModelIndex& index) const;

    computed::CallingConvention m_convention;
};

} // namespace dynascope::views
