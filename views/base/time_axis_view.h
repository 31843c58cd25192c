// SPDX-License-Identifier: BSD-3-Clause
//
// How a picture over time is gone through: wheel, mouse and keys.
#pragma once

#include <QAbstractScrollArea>
#include <QPoint>

namespace dynascope::views {

/// Zooms with the wheel and W S, pans with A D and by dragging, F shows the selection and 0 all; arrow keys move the
/// selection. Who derives from it draws, and says what lies where; points are in the viewport. GUI thread only.
class TimeAxisView : public QAbstractScrollArea {
    Q_OBJECT
public:
    using QAbstractScrollArea::QAbstractScrollArea;

    /// `x` in the viewport stays where it is.
    virtual void zoomBy(double factor, double x) = 0;
    virtual void zoomAll() = 0;
    virtual void panBy(double pixels) = 0;

protected:
    /// Otherwise wheel and keys find nothing to do.
    [[nodiscard]] virtual bool hasTimes() const { return true; }
    /// Where time begins: left of it stand titles, on which the wheel scrolls.
    [[nodiscard]] virtual int axisLeft() const { return 0; }
    /// A plain key of its own, beside those of all such views, which the window would take otherwise.
    [[nodiscard]] virtual bool isOwnKey(int /*key*/) const { return false; }
    /// Lights what is there, whether a click on it does something.
    virtual bool hover(QPoint point) = 0;
    virtual void hoverNothing() = 0;
    virtual void click(QPoint point) = 0;                            ///< the left button, without a drag
    [[nodiscard]] virtual QString toolTipAt(QPoint point) const = 0; ///< plain; empty for none
    virtual void stepSelection(Qt::Key arrow) = 0;
    virtual void zoomToSelection() = 0;
    virtual void activateSelection() = 0;
    virtual bool clearSelection() = 0; ///< false where nothing was selected

    [[nodiscard]] static bool isPlain(const QKeyEvent& event);
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] double zoomCentre() const; ///< of a key press, in the viewport
    QPoint m_pressed, m_dragged;
    bool m_pressing = false, m_dragging = false;
};

} // namespace dynascope::views
