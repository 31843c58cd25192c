// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/manual_window.h"

#include "views/base/nothing_matches.h"
#include "views/theme/splitter.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextFragment>
#include <QTextTable>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

namespace dynascope::app {

using namespace views;

namespace {
constexpr int widestLine = 700; ///< pixels of text, before the text size is applied
constexpr int pageRole = Qt::UserRole;

/// Over a list whose rows are hidden, not taken out.
class NoPage : public EmptyMessage {
public:
    NoPage(Theme& theme, QListWidget& contents)
        : EmptyMessage(theme, contents)
        , m_contents(contents) {}

protected:
    [[nodiscard]] bool isEmpty() const override {
        for (int i = 0; i < m_contents.count(); ++i)
            if (!m_contents.item(i)->isHidden()) return false;
        return true;
    }

private:
    QListWidget& m_contents;
};

} // namespace

ManualWindow::ManualWindow(Theme& theme, QWidget* parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_back(new QToolButton(this))
    , m_forward(new QToolButton(this))
    , m_search(new QLineEdit(this))
    , m_contents(new QListWidget(this))
    , m_noPage(new NoPage(theme, *m_contents))
    , m_text(new QTextBrowser(this)) {
    setWindowTitle(tr("Manual"));
    resize(theme.scaled(1040), theme.scaled(760));
    const auto button = [this](QToolButton* of, const QString& name, const QKeySequence& key, auto method) {
        of->setToolTip(tr("%1  (%2)").arg(name, key.toString(QKeySequence::NativeText)));
        of->setAccessibleName(name);
        of->setAutoRaise(true);
        of->setShortcut(key);
        connect(of, &QToolButton::clicked, this, method);
    };
    button(m_back, tr("Back"), QKeySequence(QStringLiteral("Alt+Left")), &ManualWindow::goBack);
    button(m_forward, tr("Forward"), QKeySequence(QStringLiteral("Alt+Right")), &ManualWindow::goForward);
    m_search->setPlaceholderText(tr("Search the manual"));
    m_search->setAccessibleName(tr("Search the manual"));
    m_search->setClearButtonEnabled(true);
    m_contents->setAccessibleName(tr("Contents"));
    m_contents->setUniformItemSizes(true);
    for (const ManualPage& page : manualPages()) {
        auto* item = new QListWidgetItem(page.title, m_contents);
        item->setData(pageRole, page.name);
    }
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setAccessibleName(tr("Page of the manual"));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 8, 8, 4);
    bar->addWidget(m_back);
    bar->addWidget(m_forward);
    bar->addWidget(m_search, 1);
    auto* split = new Splitter(Qt::Horizontal, this);
    split->addWidget(m_contents);
    split->addWidget(m_text);
    split->setStretchFactor(1, 1);
    split->setSizes({theme.scaled(270), theme.scaled(770)});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(split, 1);
    auto* find = new QAction(this);
    find->setShortcut(QKeySequence::Find);
    connect(find, &QAction::triggered, m_search, [this] { m_search->setFocus(); });
    addAction(find);
    connect(m_search, &QLineEdit::textChanged, this, &ManualWindow::search);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (!m_text->find(m_search->text())) { // from the top again
            m_text->moveCursor(QTextCursor::Start);
            m_text->find(m_search->text());
        }
    });
    connect(m_contents, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* now) {
        if (now && now->data(pageRole).toString() != m_place.page) goTo({now->data(pageRole).toString(), {}});
    });
    connect(m_text, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& url) { goTo(manualLink(m_place.page, url.toString())); });
    connect(&theme, &Theme::changed, this, &ManualWindow::restyle);
    restyle();
    showPlace({manualPages().front().name, {}});
    m_text->setFocus();
}

void ManualWindow::restyle() {
    m_back->setIcon(m_theme.icon(QStringLiteral("back")));
    m_forward->setIcon(m_theme.icon(QStringLiteral("forward")));
    m_text->setLineWrapMode(QTextEdit::FixedPixelWidth);
    m_text->setLineWrapColumnOrWidth(m_theme.scaled(widestLine));
    if (!m_place.page.isEmpty()) write();
}

void ManualWindow::goTo(const ManualPlace& place) {
    if (!manualPage(place.page) || place == m_place) return;
    m_before.push_back(m_place);
    m_after.clear();
    showPlace(place);
}

void ManualWindow::goBack() {
    travel(m_before, m_after);
}

void ManualWindow::goForward() {
    travel(m_after, m_before);
}

void ManualWindow::travel(std::vector<ManualPlace>& from, std::vector<ManualPlace>& to) {
    if (from.empty()) return;
    to.push_back(m_place);
    const ManualPlace next = from.back();
    from.pop_back();
    showPlace(next);
}

void ManualWindow::showPlace(const ManualPlace& place) {
    const bool another = place.page != m_place.page;
    m_place = place;
    m_back->setEnabled(!m_before.empty());
    m_forward->setEnabled(!m_after.empty());
    for (int i = 0; i < m_contents->count(); ++i)
        if (m_contents->item(i)->data(pageRole).toString() == place.page) m_contents->setCurrentRow(i);
    if (another) write();
    scrollTo(place.heading);
}

/// The page in the fonts and colours of the window.
void ManualWindow::write() {
    const Colours& c = m_theme.colours();
    QTextDocument& document = *m_text->document();
    document.setDefaultFont(m_theme.font(FontRole::Text));
    document.setDocumentMargin(m_theme.scaled(24));
    document.setMarkdown(manualPage(m_place.page)->text, QTextDocument::MarkdownDialectGitHub);
    const QFont code = m_theme.font(FontRole::Code);
    QTextCursor cursor(&document);
    cursor.beginEditBlock();
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table) continue;
        QTextTableFormat shape = table->format();
        shape.setBorderCollapse(true);
        shape.setBorder(1);
        shape.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        shape.setBorderBrush(c.line2);
        shape.setCellPadding(m_theme.scaled(6));
        shape.setTopMargin(m_theme.scaled(4));
        shape.setBottomMargin(m_theme.scaled(12));
        table->setFormat(shape);
    }
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat shape = block.blockFormat();
        const int level = shape.headingLevel();
        shape.setLineHeight(135, QTextBlockFormat::ProportionalHeight);
        if (level > 0) shape.setTopMargin(m_theme.scaled(level == 1 ? 0 : 18));
        cursor.setPosition(block.position());
        shape.setBottomMargin(cursor.currentTable() ? 0 : m_theme.scaled(block.textList() ? 3 : 8));
        cursor.setBlockFormat(shape);
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment text = part.fragment();
            QTextCharFormat look = text.charFormat();
            if (look.isAnchor()) {
                look.setForeground(c.accent);
                look.setFontUnderline(false);
            } else {
                look.setForeground(c.text);
            }
            if (look.fontFixedPitch()) {
                look.setFont(code, QTextCharFormat::FontPropertiesSpecifiedOnly);
                look.setBackground(c.bg2);
            }
            cursor.setPosition(text.position());
            cursor.setPosition(text.position() + text.length(), QTextCursor::KeepAnchor);
            cursor.setCharFormat(look);
        }
    }
    cursor.endEditBlock();
}

void ManualWindow::scrollTo(const QString& heading) {
    QScrollBar& bar = *m_text->verticalScrollBar();
    bar.setValue(0);
    if (heading.isEmpty()) return;
    for (QTextBlock block = m_text->document()->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0 || manualAnchor(block.text()) != heading) continue;
        m_text->setTextCursor(QTextCursor(block));
        bar.setValue(bar.value() + m_text->cursorRect().top() - m_theme.scaled(12));
        return;
    }
}

/// Leaves the pages that have the words, and goes to the first of them.
void ManualWindow::search(const QString& text) {
    QListWidgetItem* first = nullptr;
    bool here = false;
    for (int i = 0; i < m_contents->count(); ++i) {
        QListWidgetItem* item = m_contents->item(i);
        const QString name = item->data(pageRole).toString();
        const bool has = manualPage(name)->text.contains(text, Qt::CaseInsensitive);
        item->setHidden(!has);
        if (has && !first) first = item;
        here = here || (has && name == m_place.page);
    }
    m_noPage->setWord(first ? QString() : tr("No page has %1 in it.").arg(text), tr("Clear the search"),
                      [this] { m_search->clear(); });
    if (text.isEmpty()) return;
    if (first && !here) m_contents->setCurrentItem(first);
    m_text->moveCursor(QTextCursor::Start);
    m_text->find(text);
}

} // namespace dynascope::app
