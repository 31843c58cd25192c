// SPDX-License-Identifier: BSD-3-Clause
//
// Small parts of the window's frame: the search field of the toolbar, the tabs of the bottom bar, titles of
// docks, and the bar for one-line messages.
#pragma once

#include "views/theme/theme.h"

#include <QAbstractButton>
#include <QFrame>
#include <functional>

class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace dynascope::app {

/// Looks like a field, opens the palette.
class SearchField : public QAbstractButton {
    Q_OBJECT
public:
    SearchField(views::Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    views::Theme& m_theme;
};

/// A tab of the bottom bar: icon, name, and a count in a chip. On while its dock is open.
class DockTab : public QAbstractButton {
    Q_OBJECT
public:
    DockTab(views::Theme& theme, const QString& icon, const QString& text, QWidget* parent = nullptr);
    /// `tone` is a colour for the chip's text; an invalid one gives the quiet chip. Empty text hides it.
    void setChip(const QString& chip, const QColor& tone = {});
    [[nodiscard]] QString chip() const { return m_chip; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    views::Theme& m_theme;
    QString m_icon, m_chip;
    QColor m_tone;
};

/// A dock's header of 28 px with an optional menu.
class DockTitle : public QWidget {
    Q_OBJECT
public:
    DockTitle(views::Theme& theme, const QString& text, QWidget* parent = nullptr);
    void setMenu(QMenu* menu);
    void addCloseButton(std::function<void()> close);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();

    views::Theme& m_theme;
    QString m_text;
    QToolButton* m_menu;
    QToolButton* m_close;
};

/// One line until it is closed: about something that went wrong, or, quieter, about something to know.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    MessageBar(views::Theme& theme, QWidget* parent = nullptr);
    /// `cause` names what it is about, for clear().
    void showMessage(const QString& text, const QString& cause = {});
    void showNotice(const QString& text);
    /// With a button at its end that runs `action` and closes the line.
    void showOffer(const QString& text, const QString& button, std::function<void()> action,
                   const QString& cause);
    /// Adds the button to the message that is shown; the next message takes it away.
    void addOffer(const QString& button, std::function<void()> action);
    [[nodiscard]] QString text() const;
    /// Hides the line if it is about this cause, which is gone.
    void clear(const QString& cause);

private:
    void restyle();
    void show(const QString& text, bool notice, const QString& cause);

    views::Theme& m_theme;
    QLabel* m_icon;
    QLabel* m_label;
    QPushButton* m_offer;
    QToolButton* m_close;
    std::function<void()> m_action;
    bool m_notice = false;
    QString m_cause;
};

/// The 2 px bar of a running task; shown by its owner after 100 ms.
class ProgressLine : public QWidget {
    Q_OBJECT
public:
    ProgressLine(views::Theme& theme, QWidget* parent = nullptr);
    /// 0 to 1; negative while the end is not known.
    void setFraction(double fraction);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    views::Theme& m_theme;
    double m_fraction = -1;
};

} // namespace dynascope::app
