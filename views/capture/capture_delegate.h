// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a row of the capture tree: icon, strong text, chip, grey detail, and a grey figure at the right edge.
#pragma once

#include "views/theme/theme.h"

#include <QStyledItemDelegate>

namespace dynascope::views {

class CaptureDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit CaptureDelegate(Theme& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

} // namespace dynascope::views
