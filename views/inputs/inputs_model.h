// SPDX-License-Identifier: BSD-3-Clause
//
// The input tensors of one compile as table rows.
#pragma once

#include "core/session/session.h"

#include <QAbstractTableModel>
#include <QString>
#include <vector>

namespace dynascope::views {

/// What a compile's inputs are called, by input; empty for one that has no source. The qualified name of a parameter or
/// buffer ("model.layers.3.self_attn.q_proj.weight"), unless two inputs would have the same; else the source.
[[nodiscard]] std::vector<QString> inputNames(const session::Compile& compile);

/// GUI thread only.
class InputsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Source, Shape, Stride, Storage, Offset, Flags, ColumnCount };
    /// Of any column: all that the filter looks through, the input's name, and its source as Dynamo spells it.
    enum Role { SearchRole = Qt::UserRole, NameRole, SourceRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setCompile(session::SessionPtr session, std::size_t compile); ///< a null session clears

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] int inputOfRow(int row) const; ///< index into Compile::inputs
    [[nodiscard]] int rowOfInput(int input) const;

private:
    [[nodiscard]] QString cellText(std::size_t input, int column) const;
    [[nodiscard]] QString toolTip(std::size_t input) const;

    session::SessionPtr m_session;
    std::size_t m_compile = 0;
    std::vector<std::size_t> m_rows; ///< inputs with a source first, helpers after them
    std::vector<QString> m_names;    ///< by input, as inputNames()
};

} // namespace dynascope::views
