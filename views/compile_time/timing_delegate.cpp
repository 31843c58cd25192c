// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/timing_delegate.h"

#include "views/compile_time/slowest_model.h"
#include "views/compile_time/timing_model.h"

#include <QPainter>
#include <algorithm>

namespace dynascope::views {

TimingDelegate::TimingDelegate(Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme) {}

void TimingDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    if (index.column() != TimingModel::Bar) return;
    const Colours& c = m_theme.colours();
    const QRect area = option.rect.adjusted(6, 0, -6, 0);
    const int total = std::max(1, int(area.width() * index.data(TimingModel::ShareRole).toDouble()));
    const int self = int(area.width() * index.data(TimingModel::SelfShareRole).toDouble());
    const QRect bar(area.left(), area.center().y() - 4, std::min(total, area.width()), 9);
    const QColor colour = c.op(ir::OpKind::Compute);
    painter->fillRect(bar, QColor(colour.red(), colour.green(), colour.blue(), 90));
    painter->fillRect(QRect(bar.left(), bar.top(), std::min(self, bar.width()), bar.height()), colour);
}

void TimingDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() != TimingModel::Name) option->font = m_theme.font(FontRole::CodeSmall);
}

SlowestDelegate::SlowestDelegate(Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme) {}

void SlowestDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    if (index.column() != SlowestModel::Name) return;
    const int width = int(option.rect.width() * index.data(SlowestModel::ShareRole).toDouble());
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom() - 2, std::max(1, width), 2),
                      m_theme.colours().op(ir::OpKind::Compute));
}

void SlowestDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() != SlowestModel::Kind) option->font = m_theme.font(FontRole::CodeSmall);
}

} // namespace dynascope::views
