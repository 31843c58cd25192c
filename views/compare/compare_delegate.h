// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/theme/theme.h"

#include <QStyledItemDelegate>

namespace dynascope::views {

/// Draws the verdict as a chip with its sign, groups of ranks by letter, and code in mono. Rows that are the
/// same are quiet.
class CompareDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// `firstMono` is the first column of code; the columns before it are text.
    CompareDelegate(Theme& theme, int firstMono, QObject* parent);
    void setFirstMono(int column) { m_firstMono = column; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
    int m_firstMono;
};

} // namespace dynascope::views
