// SPDX-License-Identifier: BSD-3-Clause
//
// The input tensors of one compile as table rows.
#pragma once

#include "core/session/session.h"

#include <QAbstractTableModel>

namespace dynascope::views {

/// GUI thread only.
class InputsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Source, Shape, Stride, Storage, Offset, Flags, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setCompile(session::SessionPtr session, std::size_t compile); ///< a null session clears

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] int inputOfRow(int row) const; ///< index into Compile::inputs
    [[nodiscard]] int rowOfInput(int input) const;

private:
    session::SessionPtr m_session;
    std::size_t m_compile = 0;
    std::vector<std::size_t> m_rows; ///< inputs with a source first, helpers after them
};

} // namespace dynascope::views
