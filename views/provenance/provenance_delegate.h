// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a cell of the provenance table: the sign of its evidence, a bar in the colour of the op kind, name
// and detail.
#pragma once

#include "views/theme/theme.h"

#include <QStyledItemDelegate>

namespace dynascope::views {

/// A filled disc for a link that PyTorch recorded, a dashed ring for one that we aligned.
void paintEvidence(QPainter& painter, const QRectF& box, const Colours& colours, bool recorded);

class ProvenanceDelegate : public QStyledItemDelegate {
public:
    ProvenanceDelegate(Theme& theme, QObject* parent);

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

} // namespace dynascope::views
