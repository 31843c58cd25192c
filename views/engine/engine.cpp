// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/engine.h"

#include "views/workspace/labels.h"

#include <QFileInfo>
#include <QStandardPaths>
#include <QTimer>

namespace dynascope::views {

namespace {

constexpr int watchEveryMs = 1000;

using Failure = engine::CallError::Kind;

} // namespace

Engine::Engine(std::vector<std::string> command, QObject* parent)
    : QObject(parent)
    , m_command(std::move(command))
    , m_client(std::make_shared<engine::Client>(m_command))
    , m_watch(new QTimer(this)) {
    if (!commandExists()) {
        m_state = State::Absent;
        m_trouble = tr("There is no dynascope-engine beside this program. ./run builds it when PyTorch is "
                       "in .venv; --engine names another one.");
    }
    connect(&m_tasks, &TaskRunner::finished, this, [this](const QString& tag) {
        // Still known here: it was cancelled, or a newer request takes its place.
        if (m_tasks.isRunning(tag) || !m_whats.contains(tag)) return;
        end(tag);
        emit cancelled(tag);
    });
    connect(&m_tasks, &TaskRunner::progress, this,
            [this](const QString& tag, const QString& phase, quint64 done, quint64 total) {
                emit progress(phase.isEmpty() ? m_whats.value(tag) : phase, done, total, tag);
            });
    // An engine that dies while nothing runs is noticed here.
    m_watch->setInterval(watchEveryMs);
    connect(m_watch, &QTimer::timeout, this, [this] {
        if (m_state != State::Ready || m_client->running()) return;
        m_trouble = tr("The engine stopped. Nothing shown is lost.");
        setState(State::Stopped);
    });
}

Engine::~Engine() = default;

bool Engine::commandExists() const {
    if (m_command.empty()) return false;
    const QString program = toQString(m_command.front());
    if (program.contains(u'/')) return QFileInfo(program).isExecutable();
    return !QStandardPaths::findExecutable(program).isEmpty();
}

QString Engine::statusText() const {
    switch (m_state) {
    case State::Absent:
        return tr("No engine");
    case State::Idle:
        return tr("Engine not started");
    case State::Busy:
        return m_what.isEmpty() ? tr("Engine busy") : tr("Running %1").arg(m_what);
    case State::Ready:
        return tr("Engine ready, LibTorch %1").arg(toQString(m_info.torch));
    case State::Stopped:
        return tr("Engine stopped");
    }
    return {};
}

void Engine::begin(const QString& tag, const QString& what) {
    m_tasks.cancel(tag); // its end is told before the new one starts
    m_whats.insert(tag, what);
    m_what = what;
    setState(State::Busy);
}

void Engine::note(const QString& what, const engine::CallError* error) {
    if (!error) {
        m_trouble.clear();
        if (!m_watch->isActive()) m_watch->start();
        return;
    }
    const QString message = toQString(error->message);
    if (error->kind == Failure::NotStarted)
        m_trouble = tr("The engine could not be started: %1").arg(message);
    else if (error->kind == Failure::EngineDied)
        m_trouble = tr("The engine stopped while running %1 (%2). Nothing shown is lost.").arg(what, message);
    else if (error->kind == Failure::TimedOut)
        m_trouble =
            tr("The engine did not answer while running %1 and was ended. Nothing shown is lost.").arg(what);
    else
        m_trouble.clear();
}

void Engine::end(const QString& tag) {
    m_whats.remove(tag);
    if (!m_whats.isEmpty()) return;
    if (!m_trouble.isEmpty() && (m_state == State::Absent || !m_client->running()))
        setState(commandExists() ? State::Stopped : State::Absent);
    else if (m_known && m_client->running())
        setState(State::Ready);
    else
        setState(commandExists() ? State::Idle : State::Absent);
}

void Engine::setState(State state) {
    m_state = state;
    emit stateChanged();
}

void Engine::cancel() {
    const QStringList tags = m_whats.keys();
    for (const QString& tag : tags)
        m_tasks.cancel(tag);
}

void Engine::cancel(const QString& tag) {
    if (m_whats.contains(tag)) m_tasks.cancel(tag);
}

void Engine::start() {
    run<int>(
        QStringLiteral("start"), tr("its start"), this,
        [](engine::Client&, const engine::CallOptions&) -> tl::expected<int, engine::CallError> { return 0; },
        [](const tl::expected<int, engine::CallError>&) {});
}

} // namespace dynascope::views
