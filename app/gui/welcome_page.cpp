// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/welcome_page.h"

#include "app/gui/sample_picture.h"
#include "app/gui/samples.h"
#include "views/theme/shown_text.h"

#include <QAbstractButton>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

constexpr qsizetype shownRecent = 6;
constexpr std::size_t shownSamples = 6, columns = 3;

/// A picture, a name and what can be seen; a click opens the sample.
class SampleCard : public QAbstractButton {
public:
    SampleCard(Theme& theme, const Sample& sample, QWidget* parent)
        : QAbstractButton(parent)
        , m_theme(theme)
        , m_detail(sample.detail) {
        setObjectName(QStringLiteral("sampleCard"));
        setText(sample.title);
        setToolTip(plainToolTip(sample.path));
        setAccessibleName(tr("Open the sample %1").arg(sample.title));
        setAccessibleDescription(sample.detail);
        setCursor(Qt::PointingHandCursor);
        setFocusPolicy(Qt::StrongFocus);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        setAttribute(Qt::WA_Hover);
    }
    [[nodiscard]] QSize sizeHint() const override { return {m_theme.scaled(224), m_theme.scaled(152)}; }
    [[nodiscard]] QSize minimumSizeHint() const override {
        return {m_theme.scaled(150), sizeHint().height()};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Colours& c = m_theme.colours();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(hasFocus() || underMouse() ? c.accent : c.line, 1));
        painter.setBrush(isDown() ? c.bg3 : c.bg1);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        const int edge = m_theme.scaled(12), line = m_theme.scaled(17);
        const int pictured = height() - 2 * edge - 3 * line;
        const double wide = std::min<double>(width() - 2 * edge, pictured / 0.4);
        paintSample(painter, QRectF(edge, edge, wide, pictured), text(), m_theme);
        QRect row(edge, height() - edge - 3 * line, width() - 2 * edge, line);
        painter.setFont(m_theme.font(FontRole::Strong));
        painter.setPen(c.text);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), text(), Qt::ElideRight, row.width()));
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text2);
        row.translate(0, line);
        row.setHeight(2 * line);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_detail);
    }

private:
    Theme& m_theme;
    QString m_detail;
};

/// What a first look is for: the keys, and what they answer.
QString firstSteps() {
    return WelcomePage::tr(
        "A capture opens on its answers: why the graph broke, why it was compiled again, where time went. "
        "Each has a click to its proof; Alt+Home comes back. Ctrl+1 shows the graphs and Ctrl+Right the next "
        "stage of the compile; Ctrl+K finds everything; F1 lists the keys.");
}

} // namespace

WelcomePage::WelcomePage(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_area(new QScrollArea(this)) {
    setObjectName(QStringLiteral("welcomePage"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(24, 24, 24, 24);
    m_area->setWidgetResizable(true);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setFocusPolicy(Qt::NoFocus);
    m_area->viewport()->setAutoFillBackground(false);
    outer->addWidget(m_area);
    connect(&m_theme, &Theme::changed, this, &WelcomePage::rebuild);
    rebuild();
}

void WelcomePage::setRecentFiles(const QStringList& files) {
    if (files == m_recent) return;
    m_recent = files;
    m_stale = true;
    QTimer::singleShot(0, this, &WelcomePage::rebuildIfShown);
}

void WelcomePage::rebuildIfShown() {
    if (m_stale && isVisible()) rebuild();
}

void WelcomePage::showEvent(QShowEvent* event) {
    rebuildIfShown();
    QWidget::showEvent(event);
}

void WelcomePage::setDropHint(bool on) {
    m_dropHint = on;
    update();
}

void WelcomePage::rebuild() {
    m_stale = false;
    auto* page = new QWidget;
    auto* middle = new QVBoxLayout(page);
    middle->setContentsMargins(16, 16, 16, 16);
    auto* shown = new QWidget(page);
    shown->setMaximumWidth(m_theme.scaled(760));
    shown->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    auto* column = new QVBoxLayout(shown);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(m_theme.scaled(6));

    const auto label = [&](const QString& text, const char* role) {
        auto* l = new QLabel(text, shown);
        l->setTextFormat(Qt::PlainText);
        l->setWordWrap(true);
        l->setProperty("role", role);
        column->addWidget(l);
    };
    const auto section = [&](const QString& title) {
        column->addSpacing(m_theme.scaled(10));
        label(title, "section");
    };
    label(tr("Dynascope"), "figure");
    label(tr("What torch.compile did with a program: open a trace, a graph text or a session, or drop it "
             "here."),
          "label");
    column->addSpacing(m_theme.scaled(4));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(m_theme.scaled(8));
    const auto button = [&](const QString& icon, const QString& text, const QString& tip) {
        auto* out = new QPushButton(m_theme.icon(icon), text, shown);
        out->setToolTip(tip);
        buttons->addWidget(out);
        return out;
    };
    auto* open = button(QStringLiteral("folder"), tr("Open a capture..."), tr("Open  (Ctrl+O)"));
    open->setIcon(m_theme.icon(QStringLiteral("folder"), m_theme.colours().accent));
    open->setProperty("primary", true);
    auto* record = button(QStringLiteral("terminal"), tr("Record a program..."),
                          tr("Runs a Python program as it is and opens what torch.compile did  (Ctrl+R)"));
    record->setObjectName(QStringLiteral("welcomeRecord"));
    auto* paste =
        button(QStringLiteral("paste"), tr("Paste a graph..."), tr("A graph as text  (Ctrl+Shift+V)"));
    buttons->addStretch(1);
    column->addLayout(buttons);
    connect(open, &QPushButton::clicked, this, &WelcomePage::openDialogRequested);
    connect(record, &QPushButton::clicked, this, &WelcomePage::recordRequested);
    connect(paste, &QPushButton::clicked, this, &WelcomePage::pasteRequested);

    section(tr("Try first"));
    label(firstSteps(), "label");

    if (const std::vector<Sample> samples = bundledSamples(); !samples.empty()) {
        section(tr("Samples"));
        auto* grid = new QGridLayout;
        grid->setSpacing(m_theme.scaled(10));
        for (std::size_t i = 0; i < std::min(samples.size(), shownSamples); ++i) {
            auto* card = new SampleCard(m_theme, samples[i], shown);
            connect(card, &QAbstractButton::clicked, this,
                    [this, path = samples[i].path] { emit openRequested(path); });
            grid->addWidget(card, int(i / columns), int(i % columns));
        }
        column->addLayout(grid);
    }
    if (!m_recent.isEmpty()) {
        section(tr("Recent"));
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(m_theme.scaled(16));
        grid->setVerticalSpacing(m_theme.scaled(5));
        grid->setColumnStretch(1, 1);
        for (qsizetype i = 0; i < std::min(m_recent.size(), shownRecent); ++i) {
            const QFileInfo file(m_recent[i]);
            auto* link = new QPushButton(QString(file.fileName()).replace(u'&', QStringLiteral("&&")), shown);
            link->setProperty("link", true);
            link->setCursor(Qt::PointingHandCursor);
            link->setToolTip(plainToolTip(m_recent[i]));
            connect(link, &QPushButton::clicked, this,
                    [this, path = m_recent[i]] { emit openRequested(path); });
            grid->addWidget(link, int(i), 0, Qt::AlignLeft);
            auto* where =
                new QLabel(elided(fontMetrics(), file.path(), Qt::ElideMiddle, m_theme.scaled(420)), shown);
            where->setTextFormat(Qt::PlainText);
            where->setProperty("role", "label");
            grid->addWidget(where, int(i), 1);
        }
        column->addLayout(grid);
    }
    auto* across = new QHBoxLayout;
    across->addStretch(1);
    across->addWidget(shown, 1000);
    across->addStretch(1);
    middle->addStretch(1);
    middle->addLayout(across);
    middle->addStretch(1);
    m_area->setWidget(page); // ends the one before
    page->setAutoFillBackground(false);
}

void WelcomePage::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), c.bg0);
    painter.setPen(QPen(m_dropHint ? c.accent : c.line2, m_dropHint ? 2 : 1, Qt::CustomDashLine));
    QPen pen = painter.pen();
    pen.setDashPattern({5, 4});
    painter.setPen(pen);
    if (m_dropHint) painter.setBrush(c.accentBg);
    painter.drawRoundedRect(QRectF(rect()).adjusted(16.5, 16.5, -16.5, -16.5), 8, 8);
}

} // namespace dynascope::app
