// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/layout_process.h"

#include "core/base/log.h"
#include "core/base/sanitizers.h"

namespace dynascope::views::canvas {

LayoutProcess::LayoutProcess(QObject* parent)
    : QObject(parent) {
    m_budget.setSingleShot(true);
    m_budget.setInterval(budgetMs);
    connect(&m_budget, &QTimer::timeout, this, [this] {
        log::write(log::Topic::Layout, "dot spent its budget of ", budgetMs, " ms and is killed");
        end({});
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        const bool good = status == QProcess::NormalExit && code == 0;
        end(good ? m_process.readAllStandardOutput() : QByteArray());
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        log::write(log::Topic::Layout,
                   "dot's process does not start: ", m_process.errorString().toStdString());
        end({});
    });
}

LayoutProcess::~LayoutProcess() {
    cancel();
}

void LayoutProcess::start(const QString& program, const QByteArray& request) {
    cancel();
    log::write(log::Topic::Layout, "asking dot: ", request.size(), " bytes");
    m_running = true;
    // The runtime of the thread sanitizer does not stand how Qt starts programs: the picture is made without dot.
    if constexpr (threadSanitized) return end({});
    m_budget.start();
    m_process.setStandardErrorFile(QProcess::nullDevice());
    m_process.start(program, {QStringLiteral("layout")});
    if (!m_running) return; // failed at once
    m_process.write(request);
    m_process.closeWriteChannel();
}

void LayoutProcess::cancel() {
    m_running = false;
    m_budget.stop();
    if (m_process.state() == QProcess::NotRunning) return;
    log::write(log::Topic::Layout, "killing process ", m_process.processId());
    m_process.blockSignals(true);
    m_process.kill();
    m_process.waitForFinished(500);
    m_process.blockSignals(false);
}

void LayoutProcess::end(const QByteArray& answer) {
    if (!m_running) return;
    log::write(log::Topic::Layout, "dot ended after ", budgetMs - std::max(0, m_budget.remainingTime()),
               " ms, ", answer.size(), " bytes", answer.isEmpty() ? ": the layered layout stays" : "");
    m_running = false;
    m_budget.stop();
    if (m_process.state() != QProcess::NotRunning) cancel();
    emit finished(answer);
}

} // namespace dynascope::views::canvas
