// SPDX-License-Identifier: BSD-3-Clause
#include "views/lessons/lesson_text.h"

#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QResizeEvent>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextFragment>
#include <cmath>

namespace dynascope::views {

LessonText::LessonText(Theme& theme, QWidget* parent)
    : QTextBrowser(parent)
    , m_theme(theme) {
    setObjectName(QStringLiteral("lesson.text"));
    setAccessibleName(tr("Text of the step"));
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    viewport()->setAutoFillBackground(false);
    connect(&theme, &Theme::changed, this, &LessonText::write);
}

void LessonText::setLesson(const std::string& markdown) {
    m_markdown = toQString(markdown);
    write();
}

QString LessonText::codeOf(const std::string& markdown) {
    QString code;
    bool inside = false;
    for (const QString& line : toQString(markdown).split(u'\n')) {
        const bool fence = line.startsWith(QLatin1String("```"));
        if (fence && inside) return code;
        if (inside) code += line + u'\n';
        inside = inside || fence;
    }
    return {};
}

void LessonText::write() {
    const Colours& c = m_theme.colours();
    QTextDocument& text = *document();
    text.setDefaultFont(m_theme.font(FontRole::Text));
    text.setDocumentMargin(0);
    text.setMarkdown(m_markdown, QTextDocument::MarkdownFeatures(QTextDocument::MarkdownNoHTML) |
                                     QTextDocument::MarkdownDialectGitHub);
    const QFont code = m_theme.font(FontRole::Code);
    QTextCursor cursor(&text);
    cursor.beginEditBlock();
    for (QTextBlock block = text.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat shape = block.blockFormat();
        const bool fenced = shape.hasProperty(QTextFormat::BlockCodeFence) || shape.nonBreakableLines();
        const bool goesOn = fenced && block.next().isValid() &&
                            block.next().blockFormat().hasProperty(QTextFormat::BlockCodeFence);
        shape.setLineHeight(fenced ? 100 : 140, QTextBlockFormat::ProportionalHeight);
        shape.setTopMargin(0);
        shape.setBottomMargin(goesOn ? 0 : m_theme.scaled(block.textList() ? 3 : 9));
        if (fenced) {
            shape.setNonBreakableLines(false);
            shape.setBackground(c.bg2);
            shape.setLeftMargin(m_theme.scaled(4));
        }
        cursor.setPosition(block.position());
        cursor.setBlockFormat(shape);
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment piece = part.fragment();
            QTextCharFormat look = piece.charFormat();
            look.setForeground(c.text);
            look.setAnchor(false);
            look.setFontUnderline(false);
            if (look.fontFixedPitch()) look.setFont(code, QTextCharFormat::FontPropertiesSpecifiedOnly);
            cursor.setPosition(piece.position());
            cursor.setPosition(piece.position() + piece.length(), QTextCursor::KeepAnchor);
            cursor.setCharFormat(look);
        }
    }
    cursor.endEditBlock();
    fit();
}

QVariant LessonText::loadResource(int, const QUrl&) {
    return {};
}

void LessonText::fit() {
    document()->setTextWidth(viewport()->width());
    setFixedHeight(int(std::ceil(document()->size().height())) + 2);
}

QSize LessonText::sizeHint() const {
    return {240, height()};
}

void LessonText::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) fit();
}

} // namespace dynascope::views
