// SPDX-License-Identifier: BSD-3-Clause
#include "views/inspector/fact_text.h"

#include "views/theme/shown_text.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QScrollBar>
#include <QTextBlock>
#include <cmath>

namespace dynascope::views {

// Of a name or an argument: more takes seconds to lay out, and nobody reads it here.
static constexpr qsizetype longestToken = 2000;
static constexpr std::size_t mostHeights = 8;

FactText::FactText(const Tokens& tokens, Theme& theme, QWidget* parent)
    : QTextBrowser(parent)
    , m_theme(theme) {
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setOpenLinks(false);
    setUndoRedoEnabled(false);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    setProperty("role", "fact");
    document()->setDocumentMargin(0);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    write(tokens);
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        emit followed(
            QString::fromUtf8(QByteArray::fromPercentEncoding(url.toString(QUrl::FullyEncoded).toLatin1())));
    });
}

void FactText::setTokens(const Tokens& tokens) {
    if (document()->isEmpty() && tokens.empty()) return;
    m_whole.clear();
    clear();
    write(tokens);
    moveCursor(QTextCursor::Start);
    m_heights.clear();
    updateGeometry();
}

void FactText::write(const Tokens& tokens) {
    bool anyLink = false;
    const Colours& c = m_theme.colours();
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    for (const Token& token : tokens) {
        QTextCharFormat format;
        const bool isMono = token.look == Token::Look::Mono || token.look == Token::Look::MonoQuiet;
        format.setFont(m_theme.font(isMono                              ? FontRole::CodeSmall
                                    : token.look == Token::Look::Strong ? FontRole::Strong
                                                                        : FontRole::Text));
        const bool quiet = token.look == Token::Look::Quiet || token.look == Token::Look::MonoQuiet;
        format.setForeground(token.colour.isValid() ? token.colour : quiet ? c.text2 : c.text);
        if (!token.link.isEmpty()) {
            anyLink = true;
            format.setAnchor(true);
            format.setAnchorHref(QString::fromLatin1(token.link.toUtf8().toPercentEncoding()));
            format.setForeground(c.accent);
        }
        m_whole += token.text;
        cursor.insertText(shownText(token.text, longestToken), format);
    }
    cursor.endEditBlock();
    setFocusPolicy(anyLink ? Qt::StrongFocus : Qt::ClickFocus);
}

int FactText::heightForWidth(int width) const {
    for (const auto& [known, height] : m_heights)
        if (known == width) return height;
    // The live document's width must not change here; a clone of a few words is cheap.
    const std::unique_ptr<QTextDocument> copy(document()->clone());
    copy->setDocumentMargin(0);
    copy->setDefaultTextOption(document()->defaultTextOption());
    copy->setTextWidth(width);
    if (m_heights.size() == mostHeights) m_heights.clear();
    m_heights.emplace_back(width, int(std::ceil(copy->size().height())));
    return m_heights.back().second;
}

QSize FactText::sizeHint() const {
    const int width = this->width() > 0 ? this->width() : 200;
    return {std::min(int(std::ceil(document()->idealWidth())), 400), heightForWidth(width)};
}

QSize FactText::minimumSizeHint() const {
    return {40, m_theme.scaled(16)};
}

void FactText::doSetSource(const QUrl& /*name*/, QTextDocument::ResourceType /*type*/) {
    // Links are followed by the panel; a document from a capture never loads anything.
}

void FactText::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    document()->setTextWidth(viewport()->width());
    verticalScrollBar()->setRange(0, 0);
}

void FactText::scrollContentsBy(int /*dx*/, int /*dy*/) {
    // It is always as high as its text.
}

void FactText::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    QAction* selected = menu.addAction(tr("Copy"), this, &QTextEdit::copy);
    selected->setEnabled(textCursor().hasSelection());
    menu.addAction(tr("Copy all"), this, [this] { QApplication::clipboard()->setText(m_whole); });
    menu.exec(event->globalPos());
}

void FactText::focusOutEvent(QFocusEvent* event) {
    QTextBrowser::focusOutEvent(event);
    if (event->reason() == Qt::PopupFocusReason || event->reason() == Qt::ActiveWindowFocusReason) return;
    QTextCursor cursor = textCursor();
    cursor.clearSelection();
    setTextCursor(cursor);
}

} // namespace dynascope::views
