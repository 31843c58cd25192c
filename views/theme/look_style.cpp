// SPDX-License-Identifier: BSD-3-Clause
#include "views/theme/look_style.h"

#include "views/theme/shown_text.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QFocusEvent>
#include <QFocusFrame>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QStyledItemDelegate>
#include <algorithm>
#include <typeinfo>

namespace dynascope::views {

namespace {

/// Of an item's text: as much as is drawn, and as much as a column is made wide for by itself.
constexpr qsizetype longestItem = 1000, longestMeasured = 100;
/// Of a label's, which may wrap over a page.
constexpr qsizetype longestLabel = 10000;

/// How much of an item's text can be seen in a rectangle; somewhat more, so that it is cut where it ends.
qsizetype mostOf(const QStyleOptionViewItem& item) {
    if (item.rect.width() <= 0) return longestMeasured;
    if (item.textElideMode == Qt::ElideLeft || item.textElideMode == Qt::ElideMiddle) return longestItem;
    const qsizetype rows = std::max(1, item.rect.height() / std::max(1, item.fontMetrics.height()));
    return std::clamp<qsizetype>(item.rect.width() * rows / 3, 64, longestItem);
}

/// In the place of Qt's own delegate: views whose rows the style sheet describes are not painted by
/// LookStyle, and laying out 10,000 letters that nobody sees takes longer than all that is drawn.
class CutItems : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const qsizetype most = mostOf(*option); // marks of direction grow where they are shown
        option->text = shownText(shownText(option->text, most), most + 40);
    }
};

void drawTriangle(QPainter* painter, const QRect& rect, const QColor& colour, double degrees) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(QRectF(rect).center());
    painter->rotate(degrees);
    QPainterPath path;
    path.moveTo(-2.6, -3.6);
    path.lineTo(2.9, 0);
    path.lineTo(-2.6, 3.6);
    path.closeSubpath();
    painter->fillPath(path, colour);
    painter->restore();
}

void drawChevron(QPainter* painter, const QRect& rect, const QColor& colour, double degrees) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(QRectF(rect).center());
    painter->rotate(degrees);
    painter->setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(QPolygonF{{-1.8, -3.4}, {1.8, 0}, {-1.8, 3.4}});
    painter->restore();
}

void drawCheck(QPainter* painter, const QStyleOption* option, const Colours& c, bool round) {
    const bool on = option->state & QStyle::State_On;
    const bool partly = option->state & QStyle::State_NoChange;
    const bool enabled = option->state & QStyle::State_Enabled;
    QRectF box(0, 0, 14, 14);
    box.moveCenter(QRectF(option->rect).center());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor accent = enabled ? c.accent : c.text3;
    painter->setPen(QPen(on || partly ? accent : c.line2, 1));
    painter->setBrush((on || partly) && !round ? accent : c.bg1);
    const double radius = round ? 7 : 3;
    painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    const QColor mark = c.dark ? c.bg0 : c.bg1;
    if (round && on) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(accent);
        painter->drawEllipse(box.center(), 3.5, 3.5);
    } else if (on) {
        painter->setPen(QPen(mark, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPolyline(QPolygonF{box.topLeft() + QPointF(3.5, 7.2), box.topLeft() + QPointF(6, 9.8),
                                        box.topLeft() + QPointF(10.6, 4.4)});
    } else if (partly) {
        painter->setPen(QPen(mark, 1.8, Qt::SolidLine, Qt::RoundCap));
        painter->drawLine(box.center() - QPointF(3, 0), box.center() + QPointF(3, 0));
    }
    painter->restore();
}

} // namespace

LookStyle::LookStyle(const Theme& theme)
    : QProxyStyle(QStringLiteral("Fusion"))
    , m_theme(theme) {}

void LookStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    const Colours& c = m_theme.colours();
    const QColor arrow = option->state & State_Enabled ? c.text2 : c.line2;
    switch (element) {
    case PE_IndicatorBranch:
        if (option->state & State_Children) {
            drawTriangle(painter, option->rect, c.text2, option->state & State_Open ? 90 : 0);
        }
        return;
    case PE_IndicatorArrowDown:
        drawChevron(painter, option->rect, arrow, 90);
        return;
    case PE_IndicatorArrowUp:
        drawChevron(painter, option->rect, arrow, -90);
        return;
    case PE_IndicatorArrowRight:
        drawChevron(painter, option->rect, arrow, 0);
        return;
    case PE_IndicatorArrowLeft:
        drawChevron(painter, option->rect, arrow, 180);
        return;
    case PE_IndicatorHeaderArrow:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            if (header->sortIndicator == QStyleOptionHeader::SortUp)
                drawChevron(painter, option->rect, arrow, -90);
            if (header->sortIndicator == QStyleOptionHeader::SortDown)
                drawChevron(painter, option->rect, arrow, 90);
        }
        return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        drawCheck(painter, option, c, false);
        return;
    case PE_IndicatorRadioButton:
        drawCheck(painter, option, c, true);
        return;
    case PE_FrameTabBarBase:
        return;
    case PE_FrameFocusRect:
        // Item views show the current row by its colour and get a ring as a whole; the rest gets a thin one.
        if (widget != nullptr && widget->inherits("QAbstractItemView")) return;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(c.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        painter->restore();
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        return;
    }
}

void LookStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                            const QWidget* widget) const {
    if (element == CE_FocusFrame) {
        painter->setPen(QPen(m_theme.colours().accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    }
    const auto* item =
        element == CE_ItemViewItem ? qstyleoption_cast<const QStyleOptionViewItem*>(option) : nullptr;
    if (!item) return QProxyStyle::drawControl(element, option, painter, widget);
    const qsizetype most = mostOf(*item);
    const QString text = shownText(shownText(item->text, most), most + 40);
    if (item->text == text) return QProxyStyle::drawControl(element, option, painter, widget);
    QStyleOptionViewItem cut = *item;
    cut.text = text;
    QProxyStyle::drawControl(element, &cut, painter, widget);
}

QSize LookStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                  const QWidget* widget) const {
    const auto* item =
        type == CT_ItemViewItem ? qstyleoption_cast<const QStyleOptionViewItem*>(option) : nullptr;
    if (!item || item->text.size() <= longestMeasured)
        return QProxyStyle::sizeFromContents(type, option, size, widget);
    QStyleOptionViewItem cut = *item;
    cut.text = shownText(item->text, longestMeasured).left(longestMeasured);
    return QProxyStyle::sizeFromContents(type, &cut, size, widget);
}

/// Of labels, buttons, tabs and headers.
void LookStyle::drawItemText(QPainter* painter, const QRect& rect, int flags, const QPalette& palette,
                             bool enabled, const QString& text, QPalette::ColorRole role) const {
    QProxyStyle::drawItemText(painter, rect, flags, palette, enabled, shownText(text, longestLabel), role);
}

void LookStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (auto* view = qobject_cast<QAbstractItemView*>(widget); view && !qobject_cast<QHeaderView*>(widget))
        if (const QAbstractItemDelegate* delegate = view->itemDelegate();
            delegate && typeid(*delegate) == typeid(QStyledItemDelegate))
            view->setItemDelegate(new CutItems(view));
    // Qt's tool tip is a label too; its text is markup only where TextGuard lets it be.
    if (auto* label = qobject_cast<QLabel*>(widget);
        label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
        label->setTextFormat(Qt::PlainText);
    if (qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget) ||
        qobject_cast<QAbstractScrollArea*>(widget))
        widget->installEventFilter(this);
    if (auto* header = qobject_cast<QHeaderView*>(widget);
        header != nullptr && header->orientation() == Qt::Horizontal) {
        header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        header->setHighlightSections(false);
    }
}

void LookStyle::unpolish(QWidget* widget) {
    widget->removeEventFilter(this);
    QProxyStyle::unpolish(widget);
}

void LookStyle::ring(QWidget& area, const QFocusEvent& event) {
    delete m_ring;
    const bool byKey = event.reason() == Qt::TabFocusReason || event.reason() == Qt::BacktabFocusReason ||
                       event.reason() == Qt::ShortcutFocusReason;
    if (!event.gotFocus() || !byKey || area.isWindow()) return;
    m_ring = new QFocusFrame(area.parentWidget());
    m_ring->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_ring->setWidget(&area);
}

bool LookStyle::eventFilter(QObject* watched, QEvent* event) {
    auto* box = static_cast<QWidget*>(watched);
    if (qobject_cast<QAbstractScrollArea*>(watched)) {
        if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
            ring(*box, *static_cast<QFocusEvent*>(event));
        return false;
    }
    if (event->type() != QEvent::Paint) return QProxyStyle::eventFilter(watched, event);
    watched->event(event);
    QPainter painter(box);
    const QColor colour = box->isEnabled() ? m_theme.colours().text2 : m_theme.colours().line2;
    const bool mirrored = box->layoutDirection() == Qt::RightToLeft;
    const int side = m_theme.scaled(16);
    QRect room(mirrored ? 3 : box->width() - side - 3, 0, side, box->height());
    if (qobject_cast<QComboBox*>(watched)) {
        drawChevron(&painter, room, colour, 90);
    } else {
        room.setHeight(box->height() / 2);
        drawChevron(&painter, room.translated(0, 2), colour, -90);
        drawChevron(&painter, room.translated(0, box->height() / 2 - 2), colour, 90);
    }
    return true;
}

int LookStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_SmallIconSize:
    case PM_ToolBarIconSize:
    case PM_ButtonIconSize:
    case PM_TabBarIconSize:
    case PM_ListViewIconSize:
        return 16;
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth:
    case PM_DefaultFrameWidth:
        return 1;
    case PM_TreeViewIndentation:
        return 14;
    case PM_MenuPanelWidth:
    case PM_DockWidgetFrameWidth:
    case PM_ToolBarFrameWidth:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_FocusFrameHMargin:
    case PM_FocusFrameVMargin:
        return 0;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return 16;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int LookStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* data) const {
    // The platform has its own pictures for them, which no colour scheme knows.
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
    switch (hint) {
    case SH_FocusFrame_AboveWidget:
        return 1;
    case SH_FocusFrame_Mask:
        // Only its line: what scrolls below is not drawn through it.
        if (auto* mask = qstyleoption_cast<QStyleHintReturnMask*>(data); mask && option)
            mask->region = QRegion(option->rect) - option->rect.adjusted(1, 1, -1, -1);
        return 1;
    case SH_Widget_Animation_Duration:
    case SH_EtchDisabledText:
    case SH_UnderlineShortcut:
    case SH_ComboBox_Popup:
        return 0;
    case SH_ToolTip_WakeUpDelay:
        return 450;
    case SH_ToolTipLabel_Opacity:
        return 255;
    case SH_ItemView_ActivateItemOnSingleClick:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

} // namespace dynascope::views
