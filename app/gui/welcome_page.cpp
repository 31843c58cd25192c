// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/welcome_page.h"

#include "app/gui/samples.h"
#include "views/theme/shown_text.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace dynascope::app {

using namespace views;

namespace {
constexpr qsizetype shownRecent = 6;
constexpr std::size_t shownSamples = 6;
} // namespace

WelcomePage::WelcomePage(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setObjectName(QStringLiteral("welcomePage"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(40, 40, 40, 40);
    connect(&m_theme, &Theme::changed, this, &WelcomePage::rebuild);
    rebuild();
}

void WelcomePage::setRecentFiles(const QStringList& files) {
    if (files == m_recent) return;
    m_recent = files;
    rebuild();
}

void WelcomePage::setDropHint(bool on) {
    m_dropHint = on;
    update();
}

void WelcomePage::rebuild() {
    delete m_column;
    m_column = new QWidget(this);
    m_column->setMaximumWidth(m_theme.scaled(620));
    auto* column = new QVBoxLayout(m_column);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(m_theme.scaled(6));

    const auto label = [&](const QString& text, const char* role) {
        auto* l = new QLabel(text, m_column);
        l->setTextFormat(Qt::PlainText);
        l->setProperty("role", role);
        column->addWidget(l);
        return l;
    };
    const auto link = [](const QString& text, QWidget* parent) {
        auto* button = new QPushButton(text, parent);
        button->setProperty("link", true);
        button->setCursor(Qt::PointingHandCursor);
        return button;
    };
    label(tr("Dynascope"), "figure");
    label(tr("Open a trace, a graph text or a session. Drop it here, or Ctrl+O."), "label");
    column->addSpacing(m_theme.scaled(8));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(m_theme.scaled(8));
    auto* open = new QPushButton(m_theme.icon(QStringLiteral("folder"), m_theme.colours().accent),
                                 tr("Open a capture..."), m_column);
    open->setProperty("primary", true);
    auto* paste = new QPushButton(m_theme.icon(QStringLiteral("paste")), tr("Paste a graph..."), m_column);
    buttons->addWidget(open);
    buttons->addWidget(paste);
    buttons->addStretch(1);
    column->addLayout(buttons);
    connect(open, &QPushButton::clicked, this, &WelcomePage::openDialogRequested);
    connect(paste, &QPushButton::clicked, this, &WelcomePage::pasteRequested);

    const auto section = [&](const QString& title) {
        column->addSpacing(m_theme.scaled(16));
        label(title, "section");
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(m_theme.scaled(16));
        grid->setVerticalSpacing(m_theme.scaled(5));
        grid->setColumnStretch(1, 1);
        column->addLayout(grid);
        return grid;
    };
    const auto row = [&](QGridLayout* grid, int at, const QString& path, const QString& title,
                         const QString& detail) {
        QPushButton* button = link(title, m_column);
        button->setToolTip(path);
        connect(button, &QPushButton::clicked, this, [this, path] { emit openRequested(path); });
        grid->addWidget(button, at, 0, Qt::AlignLeft);
        auto* what =
            new QLabel(elided(fontMetrics(), detail, Qt::ElideMiddle, m_theme.scaled(420)), m_column);
        what->setTextFormat(Qt::PlainText);
        what->setProperty("role", "label");
        grid->addWidget(what, at, 1);
    };
    const std::vector<Sample> samples = bundledSamples();
    if (!samples.empty()) {
        QGridLayout* grid = section(tr("Samples"));
        for (std::size_t i = 0; i < std::min(samples.size(), shownSamples); ++i)
            row(grid, int(i), samples[i].path, samples[i].title, samples[i].detail);
    }
    if (!m_recent.isEmpty()) {
        QGridLayout* grid = section(tr("Recent"));
        for (qsizetype i = 0; i < std::min(m_recent.size(), shownRecent); ++i) {
            const QFileInfo file(m_recent[i]);
            row(grid, int(i), m_recent[i], file.fileName(), file.path());
        }
    }
    auto* outer = static_cast<QVBoxLayout*>(layout());
    outer->addWidget(m_column, 0, Qt::AlignCenter);
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
