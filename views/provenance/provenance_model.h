// SPDX-License-Identifier: BSD-3-Clause
//
// ProvenanceRows for a table view: one column a level, cells that can be chosen or only read.
#pragma once

#include "views/provenance/provenance_rows.h"

#include <QAbstractTableModel>

namespace dynascope::views {

/// GUI thread only.
class ProvenanceModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        KindRole = Qt::UserRole, ///< ProvenanceItem::Kind; unset where a cell is empty
        DetailRole,
        RecordedRole, ///< bool; unset where a cell is no link
        AskedRole,    ///< bool
        OpKindRole,   ///< of nodes
        BandRole      ///< bool: the row heads a compile
    };

    explicit ProvenanceModel(QObject* parent = nullptr);

    void setRows(std::vector<ProvenanceRow> rows);
    [[nodiscard]] const std::vector<ProvenanceRow>& rows() const { return m_rows; }
    /// Null where a cell is empty.
    [[nodiscard]] const ProvenanceItem* itemAt(const QModelIndex& index) const;
    /// The first cell that was asked about; invalid where none is shown.
    [[nodiscard]] QModelIndex askedIndex() const;
    /// A line a row, with tabs between the columns.
    [[nodiscard]] QString plainText() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    [[nodiscard]] static QString toolTip(const ProvenanceItem& item);

    std::vector<ProvenanceRow> m_rows;
};

} // namespace dynascope::views
