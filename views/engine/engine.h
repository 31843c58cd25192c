// SPDX-License-Identifier: BSD-3-Clause
//
// The window's way to dynascope-engine. The process starts with the first request; requests run on threads
// of their own, and what they returned stays valid whatever happens to the engine.
#pragma once

#include "core/engine/client/client.h"
#include "views/workspace/task_runner.h"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class QTimer;

namespace dynascope::views {

/// GUI thread only. Owned by the window.
class Engine : public QObject {
    Q_OBJECT
public:
    enum class State {
        Absent,  ///< there is no engine to start
        Idle,    ///< not started yet
        Busy,    ///< a request runs
        Ready,   ///< started, waiting
        Stopped, ///< it died or could not be started; the next request starts a new one
    };

    /// `command` is an argument list; engine::defaultEngineCommand() for the engine beside the program.
    explicit Engine(std::vector<std::string> command, QObject* parent = nullptr);
    ~Engine() override;

    [[nodiscard]] State state() const { return m_state; }
    /// "Engine ready, LibTorch 2.13.0+cpu", "Running functionalize", ...
    [[nodiscard]] QString statusText() const;
    /// Why it is absent or stopped and what to do about it; one or two sentences, empty otherwise.
    [[nodiscard]] QString trouble() const { return m_trouble; }
    [[nodiscard]] std::int64_t processId() const { return m_info.pid; } ///< 0 before the first start

    /// EngineInfo::torch of the engine that was started last.
    [[nodiscard]] const std::string& torchVersion() const { return m_info.torch; }
    /// EngineInfo::unconfined of the same.
    [[nodiscard]] const std::vector<std::string>& unconfined() const { return m_info.unconfined; }

    template <typename T>
    using Work =
        std::function<tl::expected<T, engine::CallError>(engine::Client&, const engine::CallOptions&)>;
    template <typename T>
    using Done = std::function<void(tl::expected<T, engine::CallError>)>;
    /// Runs `work` on a thread and then, on the GUI thread, `done(result)`, unless a newer request with the
    /// same tag came, it was cancelled or `context` is gone. `what` names it in the status bar:
    /// "functionalize". What `work` throws is a Refused call with its message.
    template <typename T>
    void run(const QString& tag, const QString& what, QObject* context, Work<T> work, Done<T> done);

    /// Stops everything that runs. What has arrived stays.
    void cancel();
    void cancel(const QString& tag);
    /// Starts the engine, also after it stopped.
    void start();
    [[nodiscard]] bool isRunning(const QString& tag) const { return m_tasks.isRunning(tag); }
    [[nodiscard]] bool isBusy() const { return !m_whats.isEmpty(); }
    /// Whether anything runs besides what has this tag.
    [[nodiscard]] bool isBusyBeside(const QString& tag) const {
        return m_whats.size() > (m_whats.contains(tag) ? 1 : 0);
    }

signals:
    void stateChanged();
    /// `total` is 0 while unknown; `tag` is the request's.
    void progress(const QString& what, quint64 done, quint64 total, const QString& tag);
    void cancelled(const QString& tag);

private:
    void begin(const QString& tag, const QString& what);
    void note(const QString& what, const engine::CallError* error);
    void setState(State state);
    void end(const QString& tag);
    [[nodiscard]] bool commandExists() const;

    std::vector<std::string> m_command;
    // Shared with the threads: the engine may have to be waited for after the window is gone.
    std::shared_ptr<engine::Client> m_client;
    State m_state = State::Idle;
    QString m_trouble, m_what;
    engine::EngineInfo m_info;
    bool m_known = false;            ///< m_info came
    QHash<QString, QString> m_whats; ///< of what runs, by tag
    QTimer* m_watch;
    TaskRunner m_tasks;
};

template <typename T>
void Engine::run(const QString& tag, const QString& what, QObject* context, Work<T> work, Done<T> done) {
    struct Outcome {
        tl::expected<T, engine::CallError> result;
        tl::expected<engine::EngineInfo, engine::CallError> info;
    };
    begin(tag, what);
    m_tasks.run<Outcome>(
        tag, this,
        [client = m_client, work = std::move(work)](const TaskContext& task) -> Outcome {
            engine::CallOptions options;
            options.task = task;
            options.grace = std::chrono::milliseconds(500);
            auto info = client->start(options);
            if (!info) return {tl::unexpected(info.error()), info};
            std::optional<tl::expected<T, engine::CallError>> result;
            if (const auto thrown = TaskRunner::guarded([&] { result.emplace(work(*client, options)); }))
                return {tl::unexpected(engine::CallError{
                            engine::CallError::Kind::Refused, thrown->toStdString(), 0, {}}),
                        std::move(info)};
            return {std::move(*result), std::move(info)};
        },
        [this, tag, what, context = QPointer<QObject>(context), done = std::move(done)](Outcome outcome) {
            if (outcome.info) {
                m_info = *outcome.info;
                m_known = true;
            }
            note(what, outcome.result ? nullptr : &outcome.result.error());
            end(tag);
            if (context) done(std::move(outcome.result));
        });
}

} // namespace dynascope::views
