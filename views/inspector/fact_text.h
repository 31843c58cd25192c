// SPDX-License-Identifier: BSD-3-Clause
//
// Tokens as one wrapping, selectable text with links. Text is inserted run by run, so that nothing in it is
// ever markup.
#pragma once

#include "views/inspector/facts.h"
#include "views/theme/theme.h"

#include <QTextBrowser>
#include <QWheelEvent>
#include <utility>
#include <vector>

namespace dynascope::views {

/// As high as its text at the width it gets. GUI thread only.
class FactText : public QTextBrowser {
    Q_OBJECT
public:
    FactText(const Tokens& tokens, Theme& theme, QWidget* parent = nullptr);
    /// Shows another text in its place; a selection goes.
    void setTokens(const Tokens& tokens);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void followed(const QString& target);

protected:
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
    void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void write(const Tokens& tokens);

    Theme& m_theme;
    QString m_whole; ///< what is shown, of a long text more
    /// Heights by width. Layouts ask for the same few again and again, and each is a layout of the text.
    mutable std::vector<std::pair<int, int>> m_heights;
};

} // namespace dynascope::views
