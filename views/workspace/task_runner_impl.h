// SPDX-License-Identifier: BSD-3-Clause
//
// The template half of TaskRunner; included by task_runner.h only.
#pragma once

#include "views/workspace/task_runner.h"

#include <QPointer>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

namespace dynascope::views {

/// One request. Created and dropped on the GUI thread; the worker only reads `stop` and calls the progress
/// sink.
struct TaskRunner::Job {
    QString tag;
    QPointer<QObject> context;
    bool hasContext = false;
    std::stop_source stop;
    std::atomic<std::chrono::steady_clock::rep> lastReport = 0;
    TaskContext task;

    [[nodiscard]] bool wanted() const { return !stop.stop_requested() && (!hasContext || context); }
};

template <typename T>
void TaskRunner::run(const QString& tag, QObject* context, std::function<T(const TaskContext&)> work,
                     std::function<void(T)> done) {
    std::shared_ptr<Job> job = begin(tag, context);
    submit(job, [this, job, work = std::move(work), done = std::move(done)] {
        // Shared, because a std::function must be copyable and T need not be.
        std::shared_ptr<T> result;
        if (const std::optional<QString> thrown =
                guarded([&] { result = std::make_shared<T>(work(job->task)); }))
            fail(job, *thrown);
        else
            finish(job, [done, result] { done(std::move(*result)); });
    });
}

} // namespace dynascope::views
