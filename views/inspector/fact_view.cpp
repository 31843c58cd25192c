// SPDX-License-Identifier: BSD-3-Clause
#include "views/inspector/fact_view.h"

#include "views/inspector/fact_section.h"
#include "views/inspector/fact_text.h"

#include <QHash>
#include <QLabel>
#include <QPainter>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace dynascope::views {

namespace {

/// Of a label, to see how wide it is: more than the widest column has room for.
constexpr qsizetype longestLabel = 64;

QString plain(const Tokens& tokens) {
    QString out;
    for (const Token& token : tokens)
        out += token.text;
    return out;
}

/// The colour of what is told of.
class Stripe : public QWidget {
public:
    Stripe(const QColor& colour, QWidget* parent)
        : QWidget(parent)
        , m_colour(colour) {
        setFixedWidth(4);
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_colour);
        painter.drawRoundedRect(rect(), 2, 2);
    }

private:
    QColor m_colour;
};

bool sameHeading(const Facts& a, const Facts& b) {
    return a.title == b.title && a.subtitle == b.subtitle && a.chip == b.chip && a.chipTone == b.chipTone &&
           a.stripe == b.stripe && a.icon == b.icon && a.good == b.good;
}

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
    m_column->addStretch(1);
    setWidget(m_page);
    connect(&m_theme, &Theme::changed, this, [this] {
        m_isRestyled = true;
        // Whoever has another look in the facts themselves sets them anew by then; so does who put widgets in.
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (m_isRestyled && m_inserted.empty()) setFacts(Facts(m_last));
            },
            Qt::QueuedConnection);
    });
}

void FactView::drop(QWidget* widget) {
    if (!widget) return;
    m_column->removeWidget(widget);
    widget->hide();
    widget->deleteLater(); // a link in it may be what leads here
}

void FactView::setFacts(const Facts& facts) {
    const int scroll = verticalScrollBar()->value();
    m_last = facts;
    m_page->setUpdatesEnabled(false);
    for (const QPointer<QWidget>& widget : std::exchange(m_inserted, {}))
        drop(widget);
    if (std::exchange(m_isRestyled, false)) {
        drop(std::exchange(m_heading, nullptr));
        for (FactSection* section : std::exchange(m_sections, {}))
            drop(section);
    }
    setHeading(facts);
    setSections(facts.sections);
    m_page->setUpdatesEnabled(true);
    verticalScrollBar()->setValue(scroll);
}

void FactView::setHeading(const Facts& facts) {
    if (facts.title.isEmpty()) return drop(std::exchange(m_heading, nullptr));
    if (m_heading && sameHeading(m_shown, facts)) return;
    drop(m_heading);
    m_heading = heading(facts);
    m_column->insertWidget(0, m_heading);
    m_shown = facts;
    m_shown.sections.clear();
}

void FactView::setSections(const std::vector<Section>& sections) {
    const QFontMetrics metrics(m_theme.font(FontRole::Text));
    int labelWidth = m_theme.scaled(62);
    for (const Section& section : sections)
        for (const Fact& fact : section.facts)
            if (fact.kind == Fact::Kind::Labelled)
                labelWidth =
                    std::max(labelWidth, metrics.horizontalAdvance(fact.label.left(longestLabel)) + 2);
    labelWidth = std::min(labelWidth, m_theme.scaled(86));

    QHash<QString, QList<FactSection*>> known; // of one title the first is last
    for (auto at = m_sections.rbegin(); at != m_sections.rend(); ++at)
        known[(*at)->title()] << *at;
    m_sections.clear();
    for (const Section& section : sections) {
        QList<FactSection*>& same = known[section.title];
        FactSection* shown = same.isEmpty() ? nullptr : same.takeLast();
        if (!shown) {
            shown = new FactSection(section.title, m_theme, m_page);
            connect(shown, &FactSection::followed, this, &FactView::followed);
            connect(shown, &FactSection::toggled, this, [this](const QString& title, bool isOpen) {
                (isOpen ? m_unfolded : m_folded).insert(title);
                (isOpen ? m_folded : m_unfolded).remove(title);
            });
        }
        shown->setSection(section, labelWidth,
                          m_unfolded.contains(section.title) ||
                              (section.open && !m_folded.contains(section.title)));
        m_sections.push_back(shown);
    }
    for (const QList<FactSection*>& unused : std::as_const(known))
        for (FactSection* section : unused)
            drop(section);
    int index = m_heading ? 1 : 0;
    for (FactSection* section : m_sections) {
        if (const QLayoutItem* there = m_column->itemAt(index); !there || there->widget() != section) {
            m_column->removeWidget(section);
            m_column->insertWidget(index, section);
        }
        ++index;
    }
}

void FactView::insertWidget(int section, QWidget* widget) {
    m_column->insertWidget(std::min(section + 1, m_column->count() - 1), widget);
    m_inserted.emplace_back(widget);
}

QWidget* FactView::heading(const Facts& facts) {
    auto* out = new QWidget(m_page);
    auto* row = new QHBoxLayout(out);
    row->setContentsMargins(12, 10, 12, 4);
    row->setSpacing(8);
    if (facts.stripe.isValid()) {
        row->addWidget(new Stripe(facts.stripe, out));
    } else if (!facts.icon.isEmpty()) {
        auto* icon = new QLabel(out);
        const Colours& colours = m_theme.colours();
        icon->setPixmap(m_theme.icon(facts.icon, facts.good ? colours.added : colours.removed)
                            .pixmap(m_theme.scaled(18), m_theme.scaled(18)));
        row->addWidget(icon, 0, Qt::AlignTop);
    }
    auto* names = new QVBoxLayout;
    names->setSpacing(1);
    auto* title = new ElidedLabel(out);
    title->setWhole(facts.title, {});
    title->setFont(m_theme.font(facts.stripe.isValid() ? FontRole::NodeName : FontRole::Title));
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    names->addWidget(title);
    auto* subtitle = new FactText(facts.subtitle, m_theme, out);
    connect(subtitle, &FactText::followed, this, &FactView::followed);
    names->addWidget(subtitle);
    row->addLayout(names, 1);
    if (!facts.chip.isEmpty()) row->addWidget(chipLabel(facts.chip, facts.chipTone, out), 0, Qt::AlignTop);
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
