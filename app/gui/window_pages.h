// SPDX-License-Identifier: BSD-3-Clause
//
// The pages of the window: made on first use, reached by action, and which of them a capture has something
// for. What they are stands in pages.h.
#pragma once

#include "views/theme/picture.h"
#include "views/workspace/page_spec.h"

#include <QObject>
#include <deque>
#include <functional>
#include <map>

class QStackedWidget;
class QWidget;

namespace dynascope::app {

class ActionRegistry;
class MessageBar;
class Settings;

/// Owned by the window. GUI thread only.
class WindowPages : public QObject {
    Q_OBJECT
public:
    /// `welcome` is shown where no page of the list is; the stack owns all of them. `services` are kept.
    WindowPages(QWidget& window, QStackedWidget& stack, QWidget& welcome, const views::PageServices& services,
                ActionRegistry& actions, Settings& settings);

    /// Adds an action for each page. `openers` say of some pages what opens them; the others are gone to.
    void addActions(std::map<views::Page, std::function<void()>> openers);
    /// Enables and checks them for the place that is shown.
    void updateActions();
    /// The row of buttons, for the corner of the menu bar.
    [[nodiscard]] QWidget* makeBar(QWidget* parent);

    [[nodiscard]] QWidget* find(views::Page page) const; ///< null where it was not made yet
    QWidget& get(views::Page page);                      ///< made on first use
    /// The same by the page's class.
    template <typename T>
    [[nodiscard]] T* find() const {
        return static_cast<T*>(find(T::id));
    }
    template <typename T>
    T& get() {
        return static_cast<T&>(get(T::id));
    }

    /// Makes a page in a turn of the event loop of its own, so that it is there when it is shown.
    void prepare(views::Page page);
    /// Shows a page; false where it is shown already.
    bool show(views::Page page);
    /// Goes to a page of the current capture, with the keyboard on it.
    void goTo(views::Page page);
    void setFocus(Qt::FocusReason reason);
    /// The page that is shown as a picture of what is on screen.
    [[nodiscard]] views::Drawing picture() const;
    void copyShown() const;
    void exportShown(MessageBar& message);

    void applyDefaultSizes();
    void saveStates();
    [[nodiscard]] bool isSettled(views::Page page) const;

signals:
    /// Before it has its sizes and state. Whoever has to connect it to something does so now.
    void made(dynascope::views::Page page, QWidget* widget);
    void manualAsked(const QString& page); ///< of docs/manual

private:
    void openMenu(const views::PageSpec& page, QWidget& button, const QPoint& at);
    void makeNext();
    [[nodiscard]] views::CentrePage* part(views::Page page) const; ///< null where it was not made yet

    QWidget& m_window;
    QStackedWidget& m_stack;
    QWidget& m_welcome;
    views::PageServices m_services;
    ActionRegistry& m_actions;
    Settings& m_settings;
    std::map<views::Page, QWidget*> m_made;
    std::deque<views::Page> m_ahead; ///< to be prepared
};

} // namespace dynascope::app
