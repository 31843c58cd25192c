// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/task_runner.h"

#include "core/base/log.h"

#include <QCoreApplication>
#include <QEvent>
#include <QRunnable>
#include <QThread>
#include <algorithm>
#include <exception>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace dynascope::views {

namespace {
constexpr auto reportInterval = std::chrono::milliseconds(34);
constexpr int niceness =
    5; ///< of the pool's threads and those that they start: a third of the window's weight

/// With as many tasks as cores the window would wait for its turn of the processor. Qt's priorities do nothing to
/// Linux's usual scheduling; the niceness of one thread does.
void yieldToTheWindow() {
    thread_local const bool done = ::setpriority(PRIO_PROCESS, id_t(::gettid()), niceness) == 0;
    static_cast<void>(done);
}
} // namespace

/// What the pool runs each time: the task that waits longest.
class TaskRunner::Turn : public QRunnable {
public:
    explicit Turn(Queue& work)
        : m_work(work) {
        setAutoDelete(false);
    }
    void run() override {
        yieldToTheWindow();
        m_work.pop()();
        m_work.order(); // for who waits until the pool is done, and then takes apart what the task read
    }

private:
    Queue& m_work;
};

void TaskRunner::Queue::push(std::function<void()> function) {
    const std::lock_guard lock(m_mutex);
    m_waiting.push_back(std::move(function));
}

std::function<void()> TaskRunner::Queue::pop() {
    const std::lock_guard lock(m_mutex);
    std::function<void()> first = std::move(m_waiting.front());
    m_waiting.pop_front();
    return first;
}

TaskRunner::TaskRunner(QObject* parent)
    : QObject(parent)
    , m_turn(std::make_unique<Turn>(m_work)) {
    // A superseded task may hold its thread for up to 50 ms more, so there are more threads than cores on
    // small machines.
    m_pool.setMaxThreadCount(std::max(4, QThread::idealThreadCount()));
}

TaskRunner::~TaskRunner() {
    for (const std::shared_ptr<Job>& job : std::as_const(m_jobs))
        job->stop.request_stop();
    m_jobs.clear();
    m_pool.waitForDone();
    m_work.order();
}

void TaskRunner::post(std::function<void()> news) {
    m_news.push(std::move(news));
    QCoreApplication::postEvent(this, new QEvent(QEvent::User));
}

/// One event, one piece of news: what waits behind it goes on in an event loop that this one may open.
void TaskRunner::customEvent(QEvent* /*event*/) {
    m_news.pop()();
}

std::shared_ptr<TaskRunner::Job> TaskRunner::begin(const QString& tag, QObject* context) {
    if (log::on(log::Topic::Tasks) && m_jobs.contains(tag))
        log::write(log::Topic::Tasks, tag.toStdString(), ": a newer request came");
    cancel(tag);
    auto job = std::make_shared<Job>();
    job->tag = tag;
    job->context = context;
    job->hasContext = context != nullptr;
    job->task.stop = job->stop.get_token();
    job->task.onProgress = [this, raw = job.get()](const Progress& progress) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        const std::chrono::steady_clock::duration last(raw->lastReport.load(std::memory_order_relaxed));
        if (now - last < reportInterval) return;
        raw->lastReport.store(now.count(), std::memory_order_relaxed);
        post([this, stop = raw->stop, tag = raw->tag, done = progress.done, total = progress.total,
              phase = QString::fromUtf8(progress.phase.data(), qsizetype(progress.phase.size()))] {
            if (!stop.stop_requested()) emit this->progress(tag, phase, done, total);
        });
    };
    m_jobs.insert(tag, job);
    emit started(tag);
    return job;
}

void TaskRunner::submit(std::shared_ptr<Job> job, std::function<void()> body) {
    if (job->stop.stop_requested()) return; // cancelled by a slot connected to started()
    m_work.push([job = std::move(job), body = std::move(body)] {
        if (!job->stop.stop_requested()) body();
    });
    m_pool.start(m_turn.get());
}

void TaskRunner::finish(const std::shared_ptr<Job>& job, std::function<void()> deliver) {
    post([this, job, deliver = std::move(deliver)] {
        if (m_jobs.value(job->tag) != job) return; // superseded or cancelled: finished() was emitted then
        m_jobs.remove(job->tag);
        if (job->wanted()) deliver();
        emit finished(job->tag);
    });
}

void TaskRunner::fail(const std::shared_ptr<Job>& job, const QString& message) {
    log::write(log::Topic::Tasks, job->tag.toStdString(), " failed: ", message.toStdString());
    finish(job, [this, job, message] { emit failed(job->tag, message, job->context); });
}

std::optional<QString> TaskRunner::guarded(const std::function<void()>& body) {
    try {
        body();
    } catch (const std::bad_alloc&) {
        return tr("there is not enough memory");
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    } catch (...) {
        return tr("an unknown exception");
    }
    return std::nullopt;
}

void TaskRunner::cancel(const QString& tag) {
    const std::shared_ptr<Job> job = m_jobs.take(tag);
    if (!job) return;
    if (log::on(log::Topic::Tasks)) log::write(log::Topic::Tasks, tag.toStdString(), " is cancelled");
    job->stop.request_stop();
    emit finished(tag);
}

bool TaskRunner::isRunning(const QString& tag) const {
    return m_jobs.contains(tag);
}

} // namespace dynascope::views
