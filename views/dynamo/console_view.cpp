// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/console_view.h"

#include "core/dynamo/console.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStringListModel>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr int mostLines = 5000; ///< that the log keeps
constexpr qsizetype mostRecalled = 200;

} // namespace

ConsoleView::ConsoleView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_log(new QPlainTextEdit(this))
    , m_input(new QLineEdit(this))
    , m_completions(new QStringListModel(this)) {
    m_input->setObjectName(QStringLiteral("dynamo.consoleInput"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_log->setReadOnly(true);
    m_log->setMaximumBlockCount(mostLines);
    m_log->setFrameShape(QFrame::NoFrame);
    m_log->setAccessibleName(tr("Answers"));
    m_log->setPlaceholderText(
        tr("Ask what comptime would say at this step: print_locals(), print_value_stack(), print_graph(), "
           "get_local(\"x\"), graph_break(), help()"));
    m_input->setPlaceholderText(tr("print_locals()"));
    m_input->setAccessibleName(tr("Comptime call"));
    auto* completer = new QCompleter(m_completions, m_input);
    completer->setCompletionMode(QCompleter::PopupCompletion);
    m_input->setCompleter(completer);
    m_input->installEventFilter(this);
    column->addWidget(m_log, 1);
    column->addWidget(m_input);
    connect(m_input, &QLineEdit::returnPressed, this, &ConsoleView::ask);
    connect(m_input, &QLineEdit::textEdited, this, &ConsoleView::complete);
    restyle();
}

void ConsoleView::restyle() {
    for (QWidget* widget : {static_cast<QWidget*>(m_log), static_cast<QWidget*>(m_input)})
        widget->setFont(m_theme.font(FontRole::CodeSmall));
}

QString ConsoleView::log() const {
    return m_log->toPlainText();
}

void ConsoleView::setPlace(dynamo::RecordingPtr recording, dynamo::StepIndex step) {
    m_recording = std::move(recording);
    m_step = step;
}

void ConsoleView::setHistory(const QStringList& history) {
    m_history = history.last(std::min(history.size(), mostRecalled));
    m_recalled = m_history.size();
}

void ConsoleView::ask() {
    const QString call = m_input->text().trimmed();
    if (call.isEmpty() || !m_recording) return;
    const Result<std::string> answer = dynamo::answerComptime(*m_recording, m_step, call.toStdString());
    m_log->appendPlainText(QStringLiteral("%1 › %2").arg(m_step).arg(call));
    const QString text = answer ? toQString(*answer) : tr("error: %1").arg(toQString(answer.error().message));
    for (const QString& line : text.split(u'\n'))
        m_log->appendPlainText(QStringLiteral("    ") + line);
    m_history.removeAll(call);
    setHistory(m_history << call);
    m_input->clear();
}

void ConsoleView::complete() {
    QStringList list;
    if (m_recording)
        for (const std::string& one :
             dynamo::completeComptime(*m_recording, m_step, m_input->text().toStdString()))
            list << toQString(one);
    m_completions->setStringList(list);
}

void ConsoleView::recall(int direction) {
    m_recalled = std::clamp<qsizetype>(m_recalled + direction, 0, m_history.size());
    m_input->setText(m_recalled < m_history.size() ? m_history[m_recalled] : QString());
}

bool ConsoleView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_input || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
        recall(-1);
        return true;
    case Qt::Key_Down:
        recall(1);
        return true;
    case Qt::Key_Tab:
        complete();
        if (const QStringList list = m_completions->stringList(); list.size() == 1) {
            m_input->setText(list.front());
            return true;
        }
        if (m_completions->rowCount() > 1) {
            m_input->completer()->complete();
            return true;
        }
        return false; // the next field, as elsewhere
    default:
        return false;
    }
}

} // namespace dynascope::views
