// SPDX-License-Identifier: BSD-3-Clause
//
// The page that stands in for a panel's content: one fact, its cause, and a way out as a link.
#pragma once

#include <QWidget>
#include <functional>

class QLabel;
class QPushButton;

namespace dynascope::views {

class Theme;

/// GUI thread only.
class MessagePage : public QWidget {
    Q_OBJECT
public:
    explicit MessagePage(Theme& theme, QWidget* parent = nullptr);

    void setMessage(const QString& text, const QString& linkText, std::function<void()> action);
    [[nodiscard]] QString text() const;

private:
    void restyle();

    Theme& m_theme;
    QLabel* m_text = nullptr;
    QPushButton* m_link = nullptr;
    std::function<void()> m_action;
};

} // namespace dynascope::views
