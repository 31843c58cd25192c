// SPDX-License-Identifier: BSD-3-Clause
//
// What every panel shares: it refreshes once per turn of the event loop and only while it is visible, and it
// has the states of DESIGN_LANGUAGE (content, a message with a way out, loading).
#pragma once

#include "core/base/result.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QWidget>
#include <functional>

class QAbstractItemView;
class QLineEdit;
class QModelIndex;
class QStackedLayout;
class QTimer;

namespace dynascope::views {

class MessagePage;

/// Runs `focus` when Ctrl+F or "/" is typed in a view; lists would take "/" as a search otherwise. Owned by
/// the view.
class FilterKeys : public QObject {
    Q_OBJECT
public:
    FilterKeys(QWidget* view, std::function<void()> focus);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::function<void()> m_focus;
};

class PanelTurns;

/// GUI thread only. Subclasses build their widgets, hand them to setContent() and fill them in refresh().
class Panel : public QWidget {
    Q_OBJECT
public:
    Panel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~Panel() override;

    /// Puts the cursor where this panel's filter or find text is typed (Ctrl+F and "/"): into the field of
    /// addFilter(), if there is one.
    virtual void focusFilter();
    /// The text of the message that stands in for the content, empty while content is shown.
    [[nodiscard]] QString message() const;

    [[nodiscard]] Workspace& workspace() const { return m_workspace; }
    [[nodiscard]] Theme& theme() const { return m_theme; }

public slots:
    /// Refreshes soon, or as soon as the panel is shown.
    void invalidate();

protected:
    /// The first `columns` cells of a row with tabs between them, for addCopyRows().
    [[nodiscard]] static QString tabbedRow(const QModelIndex& row, int columns);

    /// Brings the widgets up to date with the workspace. Called only while the panel is visible.
    virtual void refresh() = 0;
    /// Fonts or colours changed. The default does nothing; widgets repaint anyway.
    virtual void restyle() {}

    void setContent(QWidget* content);
    void showContent();
    /// `text` is plain. With `linkText` a link is shown below that runs `action`.
    void showMessage(const QString& text, const QString& linkText = {}, std::function<void()> action = {});
    /// What the panel waits for does not come: ends loading, with a message unless it was cancelled.
    void showFault(const Error& why);
    /// The message for "no capture is open"; returns true where that is the case.
    bool showNothingOpen();
    /// A thin bar at the top that appears after 100 ms. A task of the panel that throws ends it, and a message
    /// takes the place of the content.
    void setLoading(bool loading);
    [[nodiscard]] bool isLoading() const;
    /// Ctrl+F and "/" typed in `view` go to focusFilter().
    void takeFilterKeys(QWidget* view);
    /// A field that filters `view`, named by its placeholder. The caller lays it out and listens to it.
    [[nodiscard]] QLineEdit* addFilter(const QString& placeholder, QWidget* view);
    /// Ctrl+C and a context menu: the selected rows, each as `line` writes it, or all of its cells.
    void addCopyRows(QAbstractItemView* view, std::function<QString(const QModelIndex& row)> line = {});

    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    friend class PanelTurns;
    void refreshIfShown();
    void refreshNow();

    class LoadingBar;
    Workspace& m_workspace;
    Theme& m_theme;
    QStackedLayout* m_stack = nullptr;
    MessagePage* m_message = nullptr;
    LoadingBar* m_loading = nullptr;
    QLineEdit* m_filter = nullptr;
    PanelTurns& m_turns;
    QTimer* m_loadingTimer = nullptr;
    bool m_dirty = true;
    bool m_again = false; ///< the same capture was read again: the reader's place stays
};

} // namespace dynascope::views
