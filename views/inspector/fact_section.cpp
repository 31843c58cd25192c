// SPDX-License-Identifier: BSD-3-Clause
#include "views/inspector/fact_section.h"

#include "views/inspector/fact_text.h"
#include "views/theme/shown_text.h"

#include <QFrame>
#include <QGridLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

namespace dynascope::views {

namespace {

/// What a label is measured by before it has a width: more than any has room for.
constexpr qsizetype longestMeasure = 200;
constexpr double cornerRadius = 4;

bool isFramed(const Fact& fact) {
    return fact.kind == Fact::Kind::Card || fact.kind == Fact::Kind::Code;
}

/// Whether the widgets of one fact can show another.
bool looksAlike(const Fact& a, const Fact& b) {
    if (a.kind != b.kind) return false;
    if (isFramed(a)) return a.change == b.change && a.marked == b.marked;
    return a.kind != Fact::Kind::Labelled ||
           (a.change == diff::Change::Changed) == (b.change == diff::Change::Changed);
}

/// Painted here: a style sheet of its own would be resolved for every widget in it.
class Framed : public QWidget {
public:
    Framed(const QColor& fill, const QColor& border, QWidget* parent)
        : QWidget(parent)
        , m_fill(fill.rgb())
        , m_border(border) {}

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(m_border.isValid() ? QPen(m_border, 1) : QPen(Qt::NoPen));
        painter.setBrush(m_fill);
        const double inset = m_border.isValid() ? 0.5 : 0;
        painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), cornerRadius,
                                cornerRadius);
    }

private:
    QColor m_fill, m_border;
};

void setTextColour(QWidget& widget, const QColor& colour) {
    QPalette palette = widget.palette();
    palette.setColor(QPalette::WindowText, colour);
    widget.setPalette(palette);
}

} // namespace

ElidedLabel::ElidedLabel(QWidget* parent)
    : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setMinimumWidth(0);
}

void ElidedLabel::setWhole(const QString& text, const QString& toolTip) {
    m_text = text;
    m_toolTip = toolTip;
    if (m_isLaidOut) return fit();
    setText(shownText(m_text.left(longestMeasure), longestMeasure));
    setToolTip(m_toolTip);
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    m_isLaidOut = true;
    fit();
}

void ElidedLabel::fit() {
    const QString shown = elided(fontMetrics(), m_text, Qt::ElideRight, width());
    if (shown != text()) setText(shown);
    setToolTip(shown == m_text ? m_toolTip : (m_text + u'\n' + m_toolTip).trimmed());
}

QLabel* chipLabel(const QString& text, const QString& tone, QWidget* parent) {
    auto* chip = new QLabel(text, parent);
    chip->setTextFormat(Qt::PlainText);
    chip->setProperty("chip", tone.isEmpty() ? QStringLiteral("plain") : tone);
    chip->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Maximum);
    return chip;
}

FactSection::FactSection(QString title, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_title(std::move(title))
    , m_body(new QWidget(this))
    , m_grid(new QGridLayout(m_body)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 6, 12, 8);
    column->setSpacing(4);
    if (!m_title.isEmpty()) addTitle();
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(8);
    m_grid->setVerticalSpacing(3);
    m_grid->setColumnStretch(1, 1);
    m_grid->setColumnMinimumWidth(0, 0);
    column->addWidget(m_body);
}

void FactSection::addTitle() {
    auto* column = static_cast<QVBoxLayout*>(layout());
    auto* line = new QFrame(this);
    line->setProperty("box", "line");
    line->setFrameShape(QFrame::HLine);
    column->addWidget(line);
    column->setContentsMargins(12, 0, 12, 8);
    m_titleRow = new QHBoxLayout;
    m_titleRow->setContentsMargins(0, 4, 0, 0);
    m_button = new QToolButton(this);
    m_button->setProperty("fold", true);
    m_button->setText(m_title);
    m_button->setFont(m_theme.font(FontRole::Section));
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_button->setCheckable(true);
    m_button->setAccessibleName(m_title);
    m_button->setIconSize({m_theme.scaled(12), m_theme.scaled(12)});
    connect(m_button, &QToolButton::toggled, this, [this](bool open) {
        setOpen(open);
        emit toggled(m_title, open);
    });
    m_titleRow->addWidget(m_button);
    m_titleRow->addStretch(1);
    column->addLayout(m_titleRow);
}

void FactSection::setSection(const Section& section, int labelWidth, bool open) {
    const bool isOther = section != m_section || labelWidth != m_labelWidth;
    if (m_titleRow && (section.chip != m_section.chip || section.chipTone != m_section.chipTone)) {
        delete std::exchange(m_chip, nullptr);
        if (!section.chip.isEmpty())
            m_titleRow->addWidget(m_chip = chipLabel(section.chip, section.chipTone, this));
    }
    if (isOther) {
        m_section = section;
        m_labelWidth = labelWidth;
        m_isFilled = false;
    }
    if (!m_button) return fill();
    const QSignalBlocker quietly(m_button);
    m_button->setChecked(open);
    setOpen(open);
}

void FactSection::setOpen(bool open) {
    if (open) fill();
    if (std::exchange(m_open, open) == open) return;
    m_body->setVisible(open);
    m_button->setIcon(m_theme.icon(open ? QStringLiteral("down") : QStringLiteral("next")));
    m_button->setToolTip(open ? tr("Fold this section") : tr("Open this section"));
}

void FactSection::fill() {
    if (std::exchange(m_isFilled, true)) return;
    const std::size_t count = m_section.facts.size();
    const auto drop = [this](Row& row) {
        for (QWidget* widget : row.widgets) {
            m_grid->removeWidget(widget);
            widget->hide();
            widget->deleteLater(); // this may be what a link in it leads to
        }
    };
    while (m_rows.size() > count) {
        drop(m_rows.back());
        m_rows.pop_back();
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Fact& fact = m_section.facts[i];
        if (i == m_rows.size()) {
            m_rows.push_back(makeRow(fact, int(i)));
        } else if (!looksAlike(m_rows[i].fact, fact)) {
            drop(m_rows[i]);
            m_rows[i] = makeRow(fact, int(i));
        } else if (m_rows[i].fact != fact) {
            setRow(m_rows[i], fact);
        }
        if (ElidedLabel* label = m_rows[i].label) label->setFixedWidth(m_labelWidth);
    }
}

FactSection::Row FactSection::makeRow(const Fact& fact, int row) {
    Row out;
    QWidget* parent = m_body;
    if (fact.kind == Fact::Kind::Labelled) {
        out.label = new ElidedLabel(m_body);
        out.label->setFont(m_theme.font(FontRole::Text));
        if (fact.change == diff::Change::Changed)
            setTextColour(*out.label, m_theme.colours().changed);
        else
            out.label->setProperty("role", "label");
        m_grid->addWidget(out.label, row, 0, Qt::AlignTop);
        out.widgets.push_back(out.label);
    } else if (isFramed(fact)) {
        const Colours& c = m_theme.colours();
        const bool code = fact.kind == Fact::Kind::Code;
        const DiffColours colours = c.diff(fact.change);
        const QColor fill = code                       ? (fact.marked ? c.accentBg : c.bg2)
                            : colours.fill.alpha() > 0 ? colours.fill
                                                       : c.bg2;
        parent = new Framed(fill, code ? c.line2 : QColor(), m_body);
        auto* box = new QHBoxLayout(parent);
        box->setContentsMargins(8, 3, 8, 3);
        box->setSpacing(8);
        out.sign = new QLabel(parent);
        out.sign->setTextFormat(Qt::PlainText);
        out.sign->setFont(m_theme.font(FontRole::CodeSmall));
        setTextColour(*out.sign, code ? c.text3 : colours.line);
        box->addWidget(out.sign, 0, Qt::AlignTop);
    }
    out.value = new FactText({}, m_theme, parent);
    connect(out.value, &FactText::followed, this, &FactSection::followed);
    setRow(out, fact);
    if (out.sign) {
        static_cast<QHBoxLayout*>(parent->layout())->addWidget(out.value, 1);
        m_grid->addWidget(parent, row, 0, 1, 2);
        out.widgets.push_back(parent);
    } else {
        const int from = out.label ? 1 : 0;
        m_grid->addWidget(out.value, row, from, 1, 2 - from);
        out.widgets.push_back(out.value);
    }
    return out;
}

void FactSection::setRow(Row& row, const Fact& fact) {
    row.fact = fact;
    row.value->setTokens(fact.tokens);
    if (row.label) {
        row.label->setWhole(fact.label, fact.toolTip);
        row.value->setToolTip(fact.toolTip);
        row.value->setAccessibleName(fact.label);
    } else if (row.sign && fact.kind == Fact::Kind::Code) {
        row.sign->setText(fact.number > 0 ? QString::number(fact.number) : QString());
    } else if (row.sign) {
        const char32_t mark = diff::changeSign(fact.change);
        row.sign->setText(QString::fromUcs4(&mark, 1));
        row.sign->setToolTip(QString::fromUtf8(diff::changeName(fact.change).data(),
                                               qsizetype(diff::changeName(fact.change).size())));
    }
}

} // namespace dynascope::views
