// SPDX-License-Identifier: BSD-3-Clause
//
// What a style sheet cannot say: branch triangles, arrows, check marks, and metrics, drawn over Fusion. It
// also takes the text of labels and items as it is (shown_text.h).
#pragma once

#include "views/theme/theme.h"

#include <QPointer>
#include <QProxyStyle>

class QFocusEvent;
class QFocusFrame;

namespace dynascope::views {

class LookStyle final : public QProxyStyle {
    Q_OBJECT
public:
    explicit LookStyle(const Theme& theme);

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    [[nodiscard]] QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                         const QWidget* widget) const override;
    void drawItemText(QPainter* painter, const QRect& rect, int flags, const QPalette& palette, bool enabled,
                      const QString& text, QPalette::ColorRole role) const override;
    using QProxyStyle::polish, QProxyStyle::unpolish;
    void polish(QWidget* widget) override;
    void unpolish(QWidget* widget) override;
    /// Draws the arrows of combo and spin boxes, which style sheets have none for but pictures, and rings what
    /// scrolls where the keyboard brought the focus there.
    bool eventFilter(QObject* watched, QEvent* event) override;
    [[nodiscard]] int pixelMetric(PixelMetric metric, const QStyleOption* option,
                                  const QWidget* widget) const override;
    [[nodiscard]] int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                                QStyleHintReturn* data) const override;

private:
    void ring(QWidget& area, const QFocusEvent& event);

    const Theme& m_theme;
    QPointer<QFocusFrame> m_ring; ///< beside the area that it is drawn round, null where none is
};

} // namespace dynascope::views
