// SPDX-License-Identifier: BSD-3-Clause
#include "views/inspector/fact_view.h"

#include "views/inspector/fact_text.h"
#include "views/theme/shown_text.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

QLabel* chipLabel(const QString& text, const QString& tone) {
    auto* chip = new QLabel(text);
    chip->setTextFormat(Qt::PlainText);
    chip->setProperty("chip", tone.isEmpty() ? QStringLiteral("plain") : tone);
    chip->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Maximum);
    return chip;
}

QString plain(const Tokens& tokens) {
    QString out;
    for (const Token& token : tokens)
        out += token.text;
    return out;
}

/// A label that gives way: it is cut with an ellipsis, and then says all of it as a tooltip.
class ElidedLabel : public QLabel {
public:
    ElidedLabel(const QString& text, const QString& toolTip)
        : m_text(text)
        , m_toolTip(toolTip) {
        setTextFormat(Qt::PlainText);
        setMinimumWidth(0);
        setText(text);
        setToolTip(toolTip);
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QLabel::resizeEvent(event);
        const QString shown = elided(fontMetrics(), m_text, Qt::ElideRight, width());
        if (shown == text()) return;
        setText(shown);
        setToolTip(shown == m_text ? m_toolTip : (m_text + u'\n' + m_toolTip).trimmed());
    }

private:
    QString m_text, m_toolTip;
};

} // namespace

FactView::FactView(Theme& theme, QWidget* parent)
    : QScrollArea(parent)
    , m_theme(theme) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_page = new QWidget;
    m_column = new QVBoxLayout(m_page);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    setWidget(m_page);
}

void FactView::setFacts(const Facts& facts) {
    const int scroll = verticalScrollBar()->value();
    m_page->setUpdatesEnabled(false);
    while (QLayoutItem* item = m_column->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    const QFontMetrics metrics(m_theme.font(FontRole::Text));
    m_labelWidth = m_theme.scaled(62);
    for (const Section& section : facts.sections)
        for (const Fact& fact : section.facts)
            if (fact.kind == Fact::Kind::Labelled)
                m_labelWidth = std::max(m_labelWidth, metrics.horizontalAdvance(fact.label) + 2);
    m_labelWidth = std::min(m_labelWidth, m_theme.scaled(86));
    if (!facts.title.isEmpty()) m_column->addWidget(heading(facts));
    for (const Section& section : facts.sections)
        m_column->addWidget(sectionWidget(section));
    m_column->addStretch(1);
    m_page->setUpdatesEnabled(true);
    verticalScrollBar()->setValue(scroll);
}

void FactView::insertWidget(int section, QWidget* widget) {
    m_column->insertWidget(std::min(section + 1, m_column->count() - 1), widget);
}

QWidget* FactView::heading(const Facts& facts) {
    auto* out = new QWidget;
    auto* row = new QHBoxLayout(out);
    row->setContentsMargins(12, 10, 12, 4);
    row->setSpacing(8);
    if (facts.stripe.isValid()) {
        auto* stripe = new QFrame;
        stripe->setFixedWidth(4);
        stripe->setStyleSheet(QStringLiteral("background:%1;border-radius:2px").arg(facts.stripe.name()));
        row->addWidget(stripe);
    } else if (!facts.icon.isEmpty()) {
        auto* icon = new QLabel;
        const Colours& colours = m_theme.colours();
        icon->setPixmap(m_theme.icon(facts.icon, facts.good ? colours.added : colours.removed)
                            .pixmap(m_theme.scaled(18), m_theme.scaled(18)));
        row->addWidget(icon, 0, Qt::AlignTop);
    }
    auto* names = new QVBoxLayout;
    names->setSpacing(1);
    auto* title = new ElidedLabel(facts.title, {});
    title->setFont(m_theme.font(facts.stripe.isValid() ? FontRole::NodeName : FontRole::Title));
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    names->addWidget(title);
    auto* subtitle = new FactText(facts.subtitle, m_theme);
    connect(subtitle, &FactText::followed, this, &FactView::followed);
    names->addWidget(subtitle);
    row->addLayout(names, 1);
    if (!facts.chip.isEmpty()) row->addWidget(chipLabel(facts.chip, facts.chipTone), 0, Qt::AlignTop);
    return out;
}

QWidget* FactView::sectionWidget(const Section& section) {
    auto* out = new QWidget;
    auto* column = new QVBoxLayout(out);
    column->setContentsMargins(12, 6, 12, 8);
    column->setSpacing(4);
    auto* body = new QWidget(out); // shown below: without a parent it would flash as a window
    if (!section.title.isEmpty()) {
        auto* line = new QFrame;
        line->setProperty("box", "line");
        line->setFrameShape(QFrame::HLine);
        column->insertWidget(0, line);
        column->setContentsMargins(12, 0, 12, 8);
        auto* row = new QHBoxLayout;
        row->setContentsMargins(0, 4, 0, 0);
        auto* title = new QToolButton;
        title->setText(section.title);
        title->setFont(m_theme.font(FontRole::Section));
        title->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        title->setCheckable(true);
        title->setAccessibleName(section.title);
        title->setStyleSheet(
            QStringLiteral(
                "QToolButton,QToolButton:checked,QToolButton:hover{background:transparent;border:1px solid "
                "transparent;padding:1px 0;color:%1}QToolButton:focus{border-color:%2}")
                .arg(m_theme.colours().text2.name(), m_theme.colours().accent.name()));
        const bool open =
            m_unfolded.contains(section.title) || (section.open && !m_folded.contains(section.title));
        const auto show = [this, title, body](bool isOpen) {
            body->setVisible(isOpen);
            title->setIcon(m_theme.icon(isOpen ? QStringLiteral("down") : QStringLiteral("next")));
            title->setToolTip(isOpen ? tr("Fold this section") : tr("Open this section"));
        };
        title->setIconSize({m_theme.scaled(12), m_theme.scaled(12)});
        title->setChecked(open);
        show(open);
        connect(title, &QToolButton::toggled, this, [this, show, name = section.title](bool isOpen) {
            (isOpen ? m_unfolded : m_folded).insert(name);
            (isOpen ? m_folded : m_unfolded).remove(name);
            show(isOpen);
        });
        row->addWidget(title);
        row->addStretch(1);
        if (!section.chip.isEmpty()) row->addWidget(chipLabel(section.chip, section.chipTone));
        column->addLayout(row);
    }
    auto* grid = new QGridLayout(body);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    grid->setColumnMinimumWidth(0, 0);
    for (std::size_t i = 0; i < section.facts.size(); ++i)
        addFact(section.facts[i], *grid, int(i));
    column->addWidget(body);
    return out;
}

void FactView::addFact(const Fact& fact, QGridLayout& grid, int row) {
    if (fact.kind == Fact::Kind::Labelled) {
        auto* label = new ElidedLabel(fact.label, fact.toolTip);
        label->setFont(m_theme.font(FontRole::Text));
        label->setProperty("role", "label");
        label->setFixedWidth(m_labelWidth);
        if (fact.change == diff::Change::Changed)
            label->setStyleSheet(QStringLiteral("color:%1").arg(m_theme.colours().changed.name()));
        grid.addWidget(label, row, 0, Qt::AlignTop);
        auto* value = new FactText(fact.tokens, m_theme);
        value->setToolTip(fact.toolTip);
        value->setAccessibleName(fact.label);
        connect(value, &FactText::followed, this, &FactView::followed);
        grid.addWidget(value, row, 1);
        return;
    }
    if (fact.kind == Fact::Kind::Paragraph) {
        auto* value = new FactText(fact.tokens, m_theme);
        connect(value, &FactText::followed, this, &FactView::followed);
        grid.addWidget(value, row, 0, 1, 2);
        return;
    }
    grid.addWidget(framed(fact), row, 0, 1, 2);
}

QWidget* FactView::framed(const Fact& fact) {
    const Colours& c = m_theme.colours();
    auto* out = new QFrame;
    auto* row = new QHBoxLayout(out);
    row->setContentsMargins(8, 3, 8, 3);
    row->setSpacing(8);
    const bool code = fact.kind == Fact::Kind::Code;
    const DiffColours colours = c.diff(fact.change);
    auto* sign = new QLabel;
    sign->setTextFormat(Qt::PlainText);
    sign->setFont(m_theme.font(FontRole::CodeSmall));
    if (code) {
        sign->setText(fact.number > 0 ? QString::number(fact.number) : QString());
    } else {
        const char32_t mark = diff::changeSign(fact.change);
        sign->setText(QString::fromUcs4(&mark, 1));
        sign->setToolTip(QString::fromUtf8(diff::changeName(fact.change).data(),
                                           qsizetype(diff::changeName(fact.change).size())));
    }
    const QColor fill = code                       ? (fact.marked ? c.accentBg : c.bg2)
                        : colours.fill.alpha() > 0 ? colours.fill
                                                   : c.bg2;
    const QColor border = code ? c.line2 : QColor();
    out->setObjectName(QStringLiteral("framed"));
    out->setStyleSheet(QStringLiteral("#framed{background:%1;border:%2;border-radius:4px}")
                           .arg(fill.name(), border.isValid() ? QStringLiteral("1px solid ") + border.name()
                                                              : QStringLiteral("0")));
    sign->setStyleSheet(
        QStringLiteral("color:%1;background:transparent").arg((code ? c.text3 : colours.line).name()));
    row->addWidget(sign, 0, Qt::AlignTop);
    auto* value = new FactText(fact.tokens, m_theme);
    connect(value, &FactText::followed, this, &FactView::followed);
    row->addWidget(value, 1);
    return out;
}

QString FactView::plainText(const Facts& facts) {
    QString out = facts.title + u'\n' + plain(facts.subtitle) + u'\n';
    for (const Section& section : facts.sections) {
        if (!section.title.isEmpty()) out += u'\n' + section.title + u'\n';
        for (const Fact& fact : section.facts)
            out += (fact.label.isEmpty() ? QString() : fact.label + QStringLiteral(": ")) +
                   plain(fact.tokens) + u'\n';
    }
    return out;
}

} // namespace dynascope::views
