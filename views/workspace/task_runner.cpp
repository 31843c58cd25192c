// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/task_runner.h"

#include "core/base/log.h"
#include "core/base/sanitizers.h"

#include <QMetaObject>
#include <QRunnable>
#include <QThread>
#include <algorithm>
#include <exception>
#include <new>

namespace dynascope::views {

namespace {
constexpr auto reportInterval = std::chrono::milliseconds(34);
char submitted; ///< its address alone, which needs nothing of the task that is handed over
} // namespace

TaskRunner::TaskRunner(QObject* parent)
    : QObject(parent) {
    // A superseded task may hold its thread for up to 50 ms more, so there are more threads than cores on
    // small machines.
    m_pool.setMaxThreadCount(std::max(4, QThread::idealThreadCount()));
}

TaskRunner::~TaskRunner() {
    for (const std::shared_ptr<Job>& job : std::as_const(m_jobs))
        job->stop.request_stop();
    m_jobs.clear();
    m_pool.waitForDone();
    takeOver(&m_pool);
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
        handOver(this);
        QMetaObject::invokeMethod(
            this,
            [this, stop = raw->stop, tag = raw->tag, done = progress.done, total = progress.total,
             phase = QString::fromUtf8(progress.phase.data(), qsizetype(progress.phase.size()))] {
                takeOver(this);
                if (!stop.stop_requested()) emit this->progress(tag, phase, done, total);
            },
            Qt::QueuedConnection);
    };
    m_jobs.insert(tag, job);
    emit started(tag);
    return job;
}

void TaskRunner::submit(std::shared_ptr<Job> job, std::function<void()> body) {
    if (job->stop.stop_requested()) return; // cancelled by a slot connected to started()
    QRunnable* task = QRunnable::create([job = std::move(job), body = std::move(body), pool = &m_pool] {
        takeOver(&submitted);
        if (!job->stop.stop_requested()) body();
        handOver(pool);
    });
    handOver(&submitted);
    m_pool.start(task);
}

void TaskRunner::finish(const std::shared_ptr<Job>& job, std::function<void()> deliver) {
    handOver(job.get());
    QMetaObject::invokeMethod(
        this,
        [this, job, deliver = std::move(deliver)] {
            takeOver(job.get());
            if (m_jobs.value(job->tag) != job) return; // superseded or cancelled: finished() was emitted then
            m_jobs.remove(job->tag);
            if (job->wanted()) deliver();
            emit finished(job->tag);
        },
        Qt::QueuedConnection);
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
