// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/live_bar.h"

#include "core/base/words.h"
#include "views/base/page_parts.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using dynamo::LiveCommand;
using dynamo::LiveEvent;
using dynamo::LiveStop;

struct Spec {
    LiveCommand command;
    const char *text, *icon, *tip;
};
constexpr Spec specs[] = {
    {LiveCommand::Continue, QT_TRANSLATE_NOOP("LiveBar", "Continue"), "play",
     QT_TRANSLATE_NOOP("LiveBar", "Let the program run to its next breakpoint")},
    {LiveCommand::Next, QT_TRANSLATE_NOOP("LiveBar", "Step over"), "arrow-right",
     QT_TRANSLATE_NOOP("LiveBar", "Trace one instruction, with the calls that it inlines")},
    {LiveCommand::Step, QT_TRANSLATE_NOOP("LiveBar", "Step in"), "down",
     QT_TRANSLATE_NOOP("LiveBar", "Trace one instruction, in whatever frame")},
    {LiveCommand::Line, QT_TRANSLATE_NOOP("LiveBar", "Next line"), "",
     QT_TRANSLATE_NOOP("LiveBar", "Trace to the next line of this frame")},
    {LiveCommand::Out, QT_TRANSLATE_NOOP("LiveBar", "Step out"), "up",
     QT_TRANSLATE_NOOP("LiveBar", "Trace to the caller's next instruction")},
    {LiveCommand::BreakGraph, QT_TRANSLATE_NOOP("LiveBar", "Break graph here"), "scissors",
     QT_TRANSLATE_NOOP("LiveBar",
                       "Refuse this instruction as comptime.graph_break() would: at a call the graph "
                       "ends here and the rest is compiled as a function of its own")},
    {LiveCommand::Pause, QT_TRANSLATE_NOOP("LiveBar", "Pause"), "",
     QT_TRANSLATE_NOOP("LiveBar", "Stop at the next instruction that Dynamo traces")},
    {LiveCommand::Detach, QT_TRANSLATE_NOOP("LiveBar", "Detach"), "cross",
     QT_TRANSLATE_NOOP("LiveBar", "Let the program run on without stops; it goes on recording")},
};

QString reasonText(const LiveEvent& event) {
    switch (event.stop) {
    case LiveStop::Start:
        return LiveBar::tr("before anything is traced");
    case LiveStop::Breakpoint:
        return LiveBar::tr("at a breakpoint");
    case LiveStop::Step:
        return LiveBar::tr("after a step");
    case LiveStop::Pause:
        return LiveBar::tr("on request");
    case LiveStop::GraphBreak:
        return LiveBar::tr("at a graph break");
    case LiveStop::Exception:
        return LiveBar::tr("at an exception");
    case LiveStop::Other:
        break;
    }
    return {};
}

QString programName(const LiveSession::Program& program) {
    QStringList arguments;
    for (const std::string& argument : program.hello.arguments)
        arguments << toQString(baseName(argument));
    QString out = arguments.join(u' ').left(60);
    if (program.hello.rank >= 0) out += LiveBar::tr(" rank %1").arg(program.hello.rank);
    if (program.hello.pid >= 0) out += LiveBar::tr(" pid %1").arg(program.hello.pid);
    return out.trimmed();
}

} // namespace

LiveBar::LiveBar(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_programs(new QComboBox)
    , m_text(plainLabel({}, "strong"))
    , m_note(plainLabel({}, "hint")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    m_programs->setAccessibleName(tr("Program"));
    row->addWidget(m_programs);
    row->addWidget(m_text);
    row->addWidget(m_note, 1);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    for (const Spec& spec : specs) {
        auto* button = new QToolButton;
        button->setText(tr(spec.text));
        button->setToolButtonStyle(*spec.icon == '\0' ? Qt::ToolButtonTextOnly
                                                      : Qt::ToolButtonTextBesideIcon);
        if (*spec.icon != '\0') {
            const QString icon = QLatin1String(spec.icon);
            button->setIcon(theme.icon(icon));
            connect(&theme, &Theme::changed, button,
                    [&theme, button, icon] { button->setIcon(theme.icon(icon)); });
        }
        button->setToolTip(tr(spec.tip));
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::clicked, this, [this, command = spec.command] { send(command); });
        row->addWidget(button);
        m_buttons.push_back({spec.command, button});
    }
    connect(m_programs, &QComboBox::activated, this,
            [this](int index) { this->show(m_programs->itemData(index).toInt()); });
    update();
}

void LiveBar::setSession(LiveSession* session) {
    if (m_session) m_session->disconnect(this);
    m_session = session;
    m_program = 0;
    if (session) {
        connect(session, &LiveSession::programChanged, this, [this](int id) {
            const LiveSession::Program* shown = m_session->program(m_program);
            const LiveSession::Program* now = m_session->program(id);
            // One that stops is shown, unless another one waits already.
            if (id == m_program || !shown || (now && now->isStopped() && !shown->isStopped()))
                return this->show(id);
            update();
        });
        connect(session, &LiveSession::programGone, this, [this](int id) {
            if (id == m_program) {
                const std::vector<LiveSession::Program> left = m_session->programs();
                m_program = left.empty() ? 0 : left.front().id;
            }
            update();
        });
        connect(session, &QObject::destroyed, this, [this] {
            m_program = 0;
            update();
        });
    }
    update();
}

LiveSession* LiveBar::session() const {
    return m_session;
}

const LiveSession::Program* LiveBar::waiting() const {
    const LiveSession::Program* program = m_session ? m_session->program(m_program) : nullptr;
    return program && program->isStopped() ? program : nullptr;
}

QString LiveBar::text() const {
    return isHidden() ? QString() : m_text->text() + u' ' + m_note->text();
}

QToolButton* LiveBar::button(LiveCommand command) const {
    for (const Button& made : m_buttons)
        if (made.command == command) return made.button;
    return nullptr;
}

void LiveBar::send(LiveCommand command) {
    if (m_session && m_program != 0) m_session->send(m_program, command);
}

void LiveBar::show(int id) {
    m_program = id;
    update();
    if (const LiveSession::Program* program = waiting())
        emit stopped(toQString(program->recording()), program->last.step);
}

void LiveBar::update() {
    const LiveSession::Program* program = m_session ? m_session->program(m_program) : nullptr;
    setVisible(program != nullptr);
    if (program) {
        const std::vector<LiveSession::Program> all = m_session->programs();
        m_programs->clear();
        for (const LiveSession::Program& one : all)
            m_programs->addItem(programName(one) + (one.isStopped() ? tr(", paused") : QString()), one.id);
        m_programs->setCurrentIndex(m_programs->findData(m_program));
        m_programs->setVisible(all.size() > 1);
        const LiveEvent& last = program->last;
        const bool here = program->isStopped();
        QString text = here ? tr("Paused %1").arg(reasonText(last)) : tr("Running");
        if (here && !last.op.empty())
            text += QStringLiteral(": %1 %2:%3")
                        .arg(toQString(last.op), toQString(baseName(last.file)))
                        .arg(last.line);
        m_text->setText(text);
        QString note = all.size() > 1 ? QString() : programName(*program);
        if (here && !last.text.empty()) note = toQString(last.text).section(u'\n', 0, 0);
        if (!program->error.isEmpty()) note = program->error;
        m_note->setText(note);
        m_note->setToolTip(plainToolTip(here && !last.text.empty() ? toQString(last.text) : note));
        for (const Button& made : m_buttons) {
            // At a break or an exception the instruction has been refused already.
            const bool broken = last.stop == LiveStop::GraphBreak || last.stop == LiveStop::Exception ||
                                last.stop == LiveStop::Start;
            made.button->setEnabled(made.command == LiveCommand::Detach       ? true
                                    : made.command == LiveCommand::Pause      ? !here
                                    : made.command == LiveCommand::BreakGraph ? here && !broken
                                                                              : here);
        }
    }
    emit changed();
}

} // namespace dynascope::views
