// SPDX-License-Identifier: BSD-3-Clause
#include "views/capture/filter_edit.h"

#include "core/base/words.h"
#include "views/capture/filter_popup.h"
#include "views/workspace/labels.h"

#include <QAction>
#include <QApplication>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QStyle>
#include <QTextCharFormat>
#include <QTimer>
#include <algorithm>

namespace dynascope::views {

namespace {
constexpr std::size_t shownValues = 8;
constexpr int readDelayMs = 150;
} // namespace

FilterEdit::FilterEdit(Theme& theme, QWidget* parent)
    : QLineEdit(parent)
    , m_theme(theme)
    , m_popup(new FilterPopup(theme, this))
    , m_delay(new QTimer(this)) {
    setPlaceholderText(tr("Filter: status:break file:cap.py"));
    setAccessibleName(tr("Filter"));
    setClearButtonEnabled(true);
    m_icon = addAction(m_theme.icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
    m_delay->setSingleShot(true);
    m_delay->setInterval(readDelayMs);
    connect(m_delay, &QTimer::timeout, this, &FilterEdit::read);
    connect(this, &QLineEdit::textChanged, this, &FilterEdit::textWasEdited);
    connect(this, &QLineEdit::textEdited, this, &FilterEdit::showCompletion);
    connect(m_popup, &FilterPopup::chosen, this, &FilterEdit::accept);
    connect(&m_theme, &Theme::changed, this, [this] {
        m_icon->setIcon(m_theme.icon(QStringLiteral("filter")));
        colour();
    });
}

FilterEdit::~FilterEdit() = default;

void FilterEdit::setValueSource(ValueSource source) {
    m_values = std::move(source);
}
void FilterEdit::setSummary(const QString& summary) {
    m_popup->setSummary(summary);
}

void FilterEdit::textWasEdited() {
    if (text().isEmpty())
        read(); // clearing shows everything at once
    else
        m_delay->start();
    colour();
}

void FilterEdit::read() {
    m_delay->stop();
    auto parsed = session::Filter::parse(text().toStdString());
    QString error;
    if (parsed) {
        m_filter = std::move(*parsed);
    } else {
        error = QString::fromStdString(parsed.error().message);
        if (parsed.error().column > 0) error += tr(" (column %1)").arg(parsed.error().column);
    }
    if (error != m_error) {
        m_error = error;
        setProperty("error", !m_error.isEmpty());
        style()->unpolish(this);
        style()->polish(this);
        emit errorChanged(m_error);
    }
    if (parsed) emit filterChanged();
}

void FilterEdit::colour() {
    if (m_colouring) return;
    // The only way to format parts of a QLineEdit: the attributes of an empty input method composition.
    QList<QInputMethodEvent::Attribute> attributes;
    QTextCharFormat keyFormat;
    keyFormat.setForeground(m_theme.colours().op(ir::OpKind::Write));
    const QString all = text();
    qsizetype start = 0;
    for (const QString& word : all.split(u' ')) {
        const qsizetype lead = word.startsWith(u'-') || word.startsWith(u'(') ? 1 : 0;
        const qsizetype colon = word.indexOf(u':');
        const auto keys = session::filterKeys();
        if (colon > lead && std::any_of(keys.begin(), keys.end(), [&](const session::FilterKey& k) {
                return toQString(k.name) == word.mid(lead, colon - lead);
            }))
            attributes.append({QInputMethodEvent::TextFormat, int(start + lead) - cursorPosition(),
                               int(colon - lead + 1), keyFormat});
        start += word.size() + 1;
    }
    QInputMethodEvent event(QString(), attributes);
    m_colouring = true;
    QCoreApplication::sendEvent(this, &event);
    m_colouring = false;
}

void FilterEdit::showCompletion() {
    const std::string all = text().toStdString();
    const std::size_t cursor = text().left(cursorPosition()).toStdString().size();
    const session::FilterToken token = session::filterTokenAt(all, cursor);
    const QString prefix = QString::fromStdString(token.prefix);
    std::vector<FilterPopup::Entry> entries;
    QString title = tr("Keys");
    if (!token.key.empty()) {
        const auto keys = session::filterKeys();
        const auto key =
            std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.name == token.key; });
        title = QString::fromStdString(token.key) + QStringLiteral(": ") + toQString(key->hint);
        const bool module = key->name == "module";
        const std::string wanted = lowered(token.prefix);
        if (m_values)
            for (const session::FilterValue& value : m_values(token.key)) {
                const QString shown = QString::fromStdString(value.value);
                if (!shown.contains(prefix, Qt::CaseInsensitive) &&
                    !(module && session::matchesModule(wanted, value.value)))
                    continue;
                entries.push_back({shown,
                                   module         ? countText(value.count, tr("tensor"), tr("tensors"))
                                   : key->onNodes ? countText(value.count, tr("node"), tr("nodes"))
                                                  : numberText(value.count),
                                   false});
                if (entries.size() == shownValues) break;
            }
    }
    for (const session::FilterKey& key : session::filterKeys()) {
        const QString name = toQString(key.name);
        if (toQString(token.key) == name || (token.key.empty() && !name.startsWith(prefix))) continue;
        if (!token.key.empty() && entries.size() >= shownValues + 3) break;
        entries.push_back({name + u':', toQString(key.examples), true});
    }
    if (entries.empty() || !hasFocus()) {
        m_popup->hide();
        return;
    }
    m_popup->setEntries(title, std::move(entries), prefix);
    m_popup->showUnder(*this);
}

void FilterEdit::accept(const QString& completion, bool isKey) {
    const std::string all = text().toStdString();
    const std::size_t cursor = text().left(cursorPosition()).toStdString().size();
    const session::FilterToken token = session::filterTokenAt(all, cursor);
    std::string head, tail;
    std::string inserted = completion.toStdString();
    if (isKey && !token.key.empty()) {
        head = all.substr(0, token.end) + ' ';
    } else {
        head = all.substr(0, token.begin);
        if (!isKey) inserted = session::quotedFilterValue(inserted) + ' ';
    }
    tail = all.substr(token.end);
    if (!isKey && tail.starts_with(' ')) tail.erase(0, 1);
    setText(QString::fromStdString(head + inserted + tail));
    setCursorPosition(int(QString::fromStdString(head + inserted).size()));
    if (isKey)
        showCompletion();
    else
        m_popup->hide();
}

void FilterEdit::keyPressEvent(QKeyEvent* event) {
    const bool open = m_popup->isVisible();
    switch (event->key()) {
    case Qt::Key_Down:
    case Qt::Key_Up:
        if (open)
            m_popup->move(event->key() == Qt::Key_Down ? 1 : -1);
        else if (event->key() == Qt::Key_Down)
            emit leaveDown();
        return;
    case Qt::Key_Escape:
        if (open)
            m_popup->hide();
        else if (!text().isEmpty())
            clear();
        else
            event->ignore();
        return;
    case Qt::Key_Tab:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const FilterPopup::Entry* entry = open ? m_popup->current() : nullptr) {
            const FilterPopup::Entry copy = *entry;
            accept(copy.text, copy.isKey);
            return;
        }
        m_popup->hide();
        if (event->key() != Qt::Key_Tab) {
            read();
            return;
        }
        break;
    case Qt::Key_Space:
        if (event->modifiers() & Qt::ControlModifier) {
            showCompletion();
            return;
        }
        break;
    default:
        break;
    }
    QLineEdit::keyPressEvent(event);
}

void FilterEdit::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    if (event->reason() == Qt::ShortcutFocusReason) selectAll();
}

void FilterEdit::focusOutEvent(QFocusEvent* event) {
    m_popup->hide();
    QLineEdit::focusOutEvent(event);
}

void FilterEdit::mouseReleaseEvent(QMouseEvent* event) {
    QLineEdit::mouseReleaseEvent(event);
    if (!hasSelectedText()) showCompletion();
}

} // namespace dynascope::views
