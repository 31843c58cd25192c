// SPDX-License-Identifier: BSD-3-Clause
//
// How rows with times are drawn: with bars.
#pragma once

#include "views/theme/theme.h"

#include <QStyledItemDelegate>

namespace dynascope::views {

/// For TimingModel. The whole bar is the total, its strong part the row's own time.
class TimingDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    TimingDelegate(Theme& theme, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

/// For SlowestModel. Numbers in mono; under the name a line as long as the row's own time.
class SlowestDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    SlowestDelegate(Theme& theme, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

} // namespace dynascope::views
