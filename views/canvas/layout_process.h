// SPDX-License-Identifier: BSD-3-Clause
//
// One layout in a child process: Graphviz can be neither cancelled nor trusted with time, a child can.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QTimer>

namespace dynascope::views::canvas {

/// GUI thread only. A new start() or cancel() kills what is running, and nothing more is heard of it.
class LayoutProcess : public QObject {
    Q_OBJECT
public:
    static constexpr int budgetMs = 2000;

    explicit LayoutProcess(QObject* parent = nullptr);
    ~LayoutProcess() override;

    void start(const QString& program, const QByteArray& request);
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_running; }

signals:
    /// A JSON document; empty when the child failed, crashed, or spent its budget.
    void finished(const QByteArray& answer);

private:
    void end(const QByteArray& answer);
    QProcess m_process;
    QTimer m_budget;
    bool m_running = false;
};

} // namespace dynascope::views::canvas
