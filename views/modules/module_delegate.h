// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a row of the module tree: op-kind bar for nodes, name, grey detail, and the node count at the right
// edge.
#pragma once

#include "views/theme/theme.h"

#include <QStyledItemDelegate>

namespace dynascope::views {

class ModuleDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit ModuleDelegate(Theme& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

} // namespace dynascope::views
