// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/pane_header.h"
#include "views/theme/shown_text.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>

namespace dynascope::views::canvas {

namespace {

constexpr int discSize = 18;
constexpr int headerHeight = 30;

} // namespace

SideDisc::SideDisc(const Theme& theme, QString letter, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_letter(std::move(letter)) {
    setFixedSize(discSize, discSize);
    setAccessibleName(tr("Stage %1").arg(m_letter));
    setToolTip(tr("Stage %1").arg(m_letter));
}

void SideDisc::setActive(bool active) {
    m_active = active;
    update();
}

void SideDisc::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_active ? Qt::NoPen : QPen(c.text3, 1));
    painter.setBrush(m_active ? QBrush(c.accent) : QBrush(Qt::NoBrush));
    painter.drawEllipse(QRectF(rect()).adjusted(1, 1, -1, -1));
    painter.setPen(m_active ? (c.dark ? c.bg0 : c.bg1) : c.text2);
    QFont font = m_theme.font(FontRole::Section);
    font.setWeight(QFont::Bold);
    painter.setFont(font);
    painter.drawText(rect(), Qt::AlignCenter, m_letter);
}

void SideDisc::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) emit clicked();
}

PaneHeader::PaneHeader(const Theme& theme, Kind kind, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_kind(kind)
    , m_discA(new SideDisc(theme, "A", this))
    , m_discB(new SideDisc(theme, "B", this))
    , m_name(new QLabel(this))
    , m_detail(new QLabel(this))
    , m_progress(new QLabel(this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_whole(new QPushButton(tr("Show all"), this))
    , m_counts(new QLabel(this))
    , m_bar(new QProgressBar(this)) {
    setFixedHeight(headerHeight);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 0, 6, 1);
    row->setSpacing(7);
    for (QLabel* label : {m_name, m_detail, m_progress})
        label->setTextFormat(Qt::PlainText);
    m_name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_name->setMinimumWidth(40);
    // What a wide pane had room for must not hold it wide.
    for (QLabel* label : {m_detail, m_progress})
        label->setMinimumWidth(1);
    m_detail->setProperty("role", "label");
    m_progress->setProperty("role", "label");
    m_cancel->setProperty("link", true);
    m_cancel->setToolTip(tr("Stop laying out; the picture stays as it is"));
    m_whole->setProperty("link", true);
    m_whole->setToolTip(tr("Only some nodes of this graph are drawn: draw all of them again (Esc)"));
    m_counts->setTextFormat(Qt::RichText);
    m_counts->setAccessibleName(tr("Differences"));
    row->addWidget(m_discA);
    row->addWidget(m_discB);
    row->addWidget(m_name, 1);
    row->addWidget(m_detail);
    row->addWidget(m_whole);
    row->addStretch(0);
    row->addWidget(m_progress);
    row->addWidget(m_cancel);
    row->addWidget(m_counts);
    m_bar->setTextVisible(false);
    m_bar->setRange(0, 0);
    m_bar->hide();
    m_progress->hide();
    m_cancel->hide();
    m_whole->hide();
    setSwitch(false, kind == Kind::B ? Side::B : Side::A);
    connect(m_cancel, &QPushButton::clicked, this, &PaneHeader::cancelled);
    connect(m_whole, &QPushButton::clicked, this, &PaneHeader::wholeAsked);
    connect(m_discA, &SideDisc::clicked, this, [this] { emit sideChosen(Side::A); });
    connect(m_discB, &SideDisc::clicked, this, [this] { emit sideChosen(Side::B); });
    connect(&theme, &Theme::changed, this, &PaneHeader::restyle);
    restyle();
}

void PaneHeader::restyle() {
    m_name->setFont(m_theme.font(FontRole::Strong));
    for (const auto& [button, icon] : m_buttons)
        button->setIcon(m_theme.icon(icon));
    QStringList parts;
    for (const auto& [change, count] : m_numbers) {
        const char32_t sign = diff::changeSign(change);
        const bool quiet = count == 0 || change == diff::Change::Same || change == diff::Change::Respelled;
        const QColor colour = quiet ? m_theme.colours().text2 : m_theme.colours().diff(change).line;
        parts << QStringLiteral("<span style='color:%1;font-weight:%2'>%3%4</span>")
                     .arg(colour.name(), quiet ? "400" : "600", QString::fromUcs4(&sign, 1))
                     .arg(count);
    }
    m_counts->setFont(m_theme.font(FontRole::CodeSmall));
    m_counts->setText(parts.join(QStringLiteral("&nbsp; ")));
    m_counts->setVisible(!parts.isEmpty());
    elide();
    update();
}

void PaneHeader::setStage(const QString& name, const QString& detail) {
    m_fullName = name;
    m_name->setToolTip(name);
    m_fullDetail = detail;
    elide();
}

/// How many nodes are drawn goes first, then how many there are, and only then letters of the name.
void PaneHeader::elide() {
    const QFontMetricsF metrics(m_name->font());
    const int whole = static_cast<int>(metrics.horizontalAdvance(m_fullName)) + 4;
    m_name->setMaximumWidth(whole);
    const QMargins margins = layout()->contentsMargins();
    int room = width() - margins.left() - margins.right() - whole - layout()->spacing();
    for (int i = 0; i < layout()->count(); ++i) {
        const QWidget* widget = layout()->itemAt(i)->widget();
        if (widget == nullptr || widget == m_name || widget == m_detail || !widget->isVisibleTo(this))
            continue;
        room -= widget->sizeHint().width() + layout()->spacing();
    }
    const QFontMetricsF small(m_detail->font());
    QString detail;
    for (const QString& text : {m_fullDetail, m_fullDetail.section(QStringLiteral(", "), 0, 0)}) {
        if (small.horizontalAdvance(text) + 4 > room) continue;
        detail = text;
        break;
    }
    m_detail->setText(detail);
    m_detail->setToolTip(m_fullDetail);
    layout()->activate();
    m_name->setText(elided(metrics, m_fullName, Qt::ElideMiddle, std::max(20, m_name->width())));
}

void PaneHeader::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_bar->setGeometry(0, height() - 2, width(), 2);
    m_bar->raise();
    layout()->activate();
    elide();
}

void PaneHeader::setCounts(const diff::GraphDiff* diff) {
    m_numbers.clear();
    if (diff != nullptr) {
        m_numbers = {{diff::Change::Added, diff->added},         {diff::Change::Removed, diff->removed},
                     {diff::Change::Changed, diff->changed},     {diff::Change::Moved, diff->moved},
                     {diff::Change::Respelled, diff->respelled}, {diff::Change::Same, diff->same}};
        // Moved nodes are rare; the other five always show, so that the eye finds them at one place.
        std::erase_if(m_numbers,
                      [](const auto& n) { return n.first == diff::Change::Moved && n.second == 0; });
        m_counts->setToolTip(tr("%1 added, %2 removed, %3 changed, %4 moved, %5 respelled, %6 the same")
                                 .arg(diff->added)
                                 .arg(diff->removed)
                                 .arg(diff->changed)
                                 .arg(diff->moved)
                                 .arg(diff->respelled)
                                 .arg(diff->same));
    }
    restyle();
}

void PaneHeader::setProgress(const QString& text) {
    m_progress->setText(text);
    const bool running = !text.isEmpty();
    m_progress->setVisible(running);
    m_cancel->setVisible(running);
    m_bar->setVisible(running);
    m_counts->setVisible(!running && !m_numbers.empty());
    elide();
}

void PaneHeader::setPart(bool part) {
    m_whole->setVisible(part);
    elide();
}

void PaneHeader::setSwitch(bool visible, Side side) {
    const bool merged = m_kind == Kind::Merged;
    m_discA->setVisible(visible || merged || m_kind == Kind::A);
    m_discB->setVisible(visible || merged || m_kind == Kind::B);
    m_discA->setActive(merged || side == Side::A);
    m_discB->setActive(merged || side == Side::B);
    for (SideDisc* disc : {m_discA, m_discB})
        disc->setCursor(visible ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

QToolButton* PaneHeader::addButton(const QString& icon, const QString& toolTip, bool checkable) {
    auto* button = new QToolButton(this);
    button->setIcon(m_theme.icon(icon));
    button->setIconSize(QSize(15, 15));
    button->setAutoRaise(true);
    button->setProperty("plain", true);
    button->setCheckable(checkable);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(button);
    m_buttons.emplace_back(button, icon);
    return button;
}

void PaneHeader::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.colours().bg2);
    painter.fillRect(0, height() - 1, width(), 1, m_theme.colours().line);
}

} // namespace dynascope::views::canvas
