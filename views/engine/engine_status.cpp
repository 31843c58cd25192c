// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/engine_status.h"

#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace dynascope::views {

EngineStatus::EngineStatus(Engine& engine, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_engine(engine)
    , m_theme(theme)
    , m_dot(new QLabel(this))
    , m_text(new QLabel(this))
    , m_button(new QPushButton(this)) {
    m_button->setObjectName(QStringLiteral("engine.button"));
    setObjectName(QStringLiteral("engineStatus"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 0, 8, 0);
    row->setSpacing(6);
    row->addWidget(m_dot);
    row->addWidget(m_text);
    row->addWidget(m_button);
    m_text->setTextFormat(Qt::PlainText);
    m_button->setProperty("link", true);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_engine.state() == Engine::State::Busy)
            m_engine.cancel();
        else
            m_engine.start();
    });
    connect(&m_engine, &Engine::stateChanged, this, [this] {
        m_progress.clear();
        refresh();
    });
    connect(&m_engine, &Engine::progress, this, [this](const QString& what, quint64 done, quint64 total) {
        m_progress = total > 0 ? tr("%1, %2 of %3").arg(what, numberText(done), numberText(total)) : what;
        refresh();
    });
    connect(&m_theme, &Theme::changed, this, &EngineStatus::refresh);
    refresh();
}

QString EngineStatus::text() const {
    return m_text->text();
}

QString EngineStatus::explanation() const {
    if (QString trouble = m_engine.trouble(); !trouble.isEmpty()) return trouble;
    if (m_engine.state() == Engine::State::Idle)
        return tr("dynascope-engine runs passes and graphs on LibTorch. It starts when it is needed.");
    QString text = tr("dynascope-engine, a process of its own, process %1").arg(m_engine.processId());
    if (m_engine.state() != Engine::State::Ready && m_engine.state() != Engine::State::Busy) return text;
    const std::vector<std::string>& open = m_engine.unconfined();
    if (open.empty())
        return text + u'\n' +
               tr("The kernel keeps it from writing files, from reading any but libraries, from the network "
                  "and "
                  "from starting programs.");
    QStringList can;
    for (const std::string& one : open)
        can += toQString(one);
    return text + u'\n' + tr("Not confined: a graph that takes it over could %1.").arg(can.join(tr(", ")));
}

void EngineStatus::refresh() {
    using State = Engine::State;
    const Colours& c = m_theme.colours();
    const State state = m_engine.state();
    const QColor colour = state == State::Ready     ? c.added
                          : state == State::Busy    ? c.accent
                          : state == State::Stopped ? c.removed
                                                    : c.text3;
    const int side = m_theme.scaled(8);
    QPixmap dot(side * 2, side * 2);
    dot.setDevicePixelRatio(2);
    dot.fill(Qt::transparent);
    QPainter painter(&dot);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool ring = state == State::Idle || state == State::Absent;
    painter.setPen(ring ? QPen(colour, 1.2, Qt::DashLine) : QPen(Qt::NoPen));
    painter.setBrush(ring ? QBrush(Qt::NoBrush) : QBrush(colour));
    painter.drawEllipse(QRectF(1, 1, side - 2, side - 2));
    painter.end();
    m_dot->setPixmap(dot);
    const bool busy = state == State::Busy;
    const bool open = (busy || state == State::Ready) && !m_engine.unconfined().empty();
    m_text->setText((busy && !m_progress.isEmpty() ? m_progress : m_engine.statusText()) +
                    (open ? tr(", not confined") : QString()));
    setToolTip(plainToolTip(explanation()));
    m_button->setText(busy ? tr("Cancel") : tr("Start again"));
    m_button->setVisible(busy || state == State::Stopped);
    setAccessibleName(m_text->text());
}

} // namespace dynascope::views
