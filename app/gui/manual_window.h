// SPDX-License-Identifier: BSD-3-Clause
//
// The manual in a window of its own: contents, a page, a search over all of them.
#pragma once

#include "app/gui/manual.h"
#include "views/theme/theme.h"

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace dynascope::views {
class EmptyMessage;
}

namespace dynascope::app {

/// GUI thread only.
class ManualWindow : public QDialog {
    Q_OBJECT
public:
    ManualWindow(views::Theme& theme, QWidget* parent);

    /// Nothing happens where there is no such page; without such a heading it is the page's top.
    void goTo(const ManualPlace& place);
    [[nodiscard]] const ManualPlace& place() const { return m_place; }
    void goBack();
    void goForward();

private:
    void showPlace(const ManualPlace& place);
    void travel(std::vector<ManualPlace>& from, std::vector<ManualPlace>& to);
    void write();
    void scrollTo(const QString& heading);
    void search(const QString& text);
    void restyle();

    views::Theme& m_theme;
    QToolButton *m_back, *m_forward;
    QLineEdit* m_search;
    QListWidget* m_contents;
    views::EmptyMessage* m_noPage; ///< over the contents
    QTextBrowser* m_text;
    ManualPlace m_place;
    std::vector<ManualPlace> m_before, m_after;
};

} // namespace dynascope::app
