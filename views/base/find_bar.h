// SPDX-License-Identifier: BSD-3-Clause
//
// The small field over a code pane's corner in which the text to find is typed.
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;
class QToolButton;

namespace dynascope::views {

class Theme;

/// GUI thread only.
class FindBar : public QFrame {
    Q_OBJECT
public:
    explicit FindBar(Theme& theme, QWidget* parent);

    void open(const QString& text);
    void setCount(int current, int count); ///< `current` from 1; 0 with count 0 says "none"

signals:
    void textChanged(const QString& text);
    void stepped(int direction);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restyle();
    Theme& m_theme;
    QLineEdit* m_field = nullptr;
    QLabel* m_count = nullptr;
    QToolButton *m_previous = nullptr, *m_next = nullptr, *m_close = nullptr;
};

} // namespace dynascope::views
