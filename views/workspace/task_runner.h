// SPDX-License-Identifier: BSD-3-Clause
//
// Work off the GUI thread with "the newest request wins": a request with a tag stops and drops the older one
// of that tag.
#pragma once

#include "core/base/task.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace dynascope::views {

/// Owned by the main window; GUI thread only. Destroying it stops every task and waits for them.
class TaskRunner : public QObject {
    Q_OBJECT
public:
    explicit TaskRunner(QObject* parent = nullptr);
    ~TaskRunner() override;

    /// Runs `work` on a pool thread and then, on the GUI thread, `done(result)`, unless a newer request with
    /// the same tag came, it was cancelled, or `context` is gone. `T` is any movable value. What `work`
    /// throws ends the task alone: failed() instead of `done`.
    template <typename T>
    void run(const QString& tag, QObject* context, std::function<T(const TaskContext&)> work,
             std::function<void(T)> done);

    /// Runs `body` on the caller's thread; the message of what it throws.
    [[nodiscard]] static std::optional<QString> guarded(const std::function<void()>& body);

    void cancel(const QString& tag);
    [[nodiscard]] bool isRunning(const QString& tag) const;
    /// Nothing runs, and nothing waits to be delivered.
    [[nodiscard]] bool isIdle() const { return m_jobs.isEmpty(); }

signals:
    /// At most 30 times a second for each tag. `total` is 0 while unknown.
    void progress(const QString& tag, const QString& phase, quint64 done, quint64 total);
    void started(const QString& tag);
    void finished(const QString& tag); ///< also after a cancel
    /// Before finished(): the task threw, which is a fault of this program. `message` is what() of it, `context`
    /// who waited for the task; it may be null.
    void failed(const QString& tag, const QString& message, QObject* context);

protected:
    void customEvent(QEvent* event) override;

private:
    struct Job;
    class Turn;
    /// Functions on their way to another thread, oldest first. Qt's own queues would copy and drop them where no
    /// thread sanitizer sees the order.
    class Queue {
    public:
        Queue() = default;
        Queue(const Queue&) = delete;
        Queue& operator=(const Queue&) = delete;
        ~Queue() { order(); }
        void push(std::function<void()> function);
        [[nodiscard]] std::function<void()> pop(); ///< of one that is not empty
        /// What came before this in one thread is over for another that calls it, or pops, later.
        void order() { const std::lock_guard lock(m_mutex); }

    private:
        std::mutex m_mutex;
        std::deque<std::function<void()>> m_waiting;
    };
    void post(std::function<void()> news); ///< from any thread, to be called on the GUI thread
    std::shared_ptr<Job> begin(const QString& tag, QObject* context);
    void submit(std::shared_ptr<Job> job, std::function<void()> body);
    void finish(const std::shared_ptr<Job>& job, std::function<void()> deliver);
    void fail(const std::shared_ptr<Job>& job, const QString& message);

    Queue m_work; ///< to the pool
    Queue m_news; ///< from it
    std::unique_ptr<Turn> m_turn;
    QThreadPool m_pool;
    QHash<QString, std::shared_ptr<Job>> m_jobs;
};

} // namespace dynascope::views

#include "views/workspace/task_runner_impl.h"
