// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program under the recorder, as `dynascope-cli capture` does, with its output in the window.
#pragma once

#include "core/base/result.h"

#include <QObject>
#include <QProcess>
#include <QStringDecoder>
#include <QStringList>

class QTimer;

namespace dynascope::app {

/// What File > Record was asked to run.
struct ProgramToRecord {
    QString program; ///< "python", found as a shell would find it
    QStringList arguments;
    QString workingFolder;
    QString outputFolder;   ///< made if it is missing
    QStringList variables;  ///< further ones, "NAME=value"
    QString live;           ///< the socket of live mode; empty for none
    QStringList settings{}; ///< of torch._dynamo.config, as cli::captureVariables() takes them
    bool passes = false;    ///< Inductor's passes are recorded as well
    int profileSteps = 0;   ///< steps that are profiled once compiling has settled; 0: none
    bool memory = false;    ///< a snapshot of a GPU's allocator at the end, one a process
    bool values = false;    ///< what compiled graphs were called with
    bool flight = false;    ///< dumps of the flight recorder, one a rank
};

/// GUI thread only. One program at a time, and all that it starts: they are a process group of their own.
class RecordRun : public QObject {
    Q_OBJECT
public:
    explicit RecordRun(QObject* parent = nullptr);
    ~RecordRun() override; ///< ends the program

    /// The environment that the program gets, as far as it differs from ours: "NAME=value".
    [[nodiscard]] static QStringList environment(const ProgramToRecord& request);

    /// An Error if it could not even be tried; a program that cannot be started ends at once.
    [[nodiscard]] Result<void> start(const ProgramToRecord& request);
    /// Asks it to end; after five seconds it is made to.
    void cancel();
    [[nodiscard]] bool isRunning() const;
    [[nodiscard]] const ProgramToRecord& request() const { return m_request; }
    /// "DIR: 2 recordings, 41 KiB".
    [[nodiscard]] QString progress() const;

signals:
    void output(const QString& text);
    void progressed();
    /// `problem` is empty where the program ended by itself with status 0.
    void finished(const QString& problem);

private:
    void signalAll(int signal);
    void end(const QString& problem);

    ProgramToRecord m_request;
    QProcess m_process;
    QStringDecoder m_decoder{QStringDecoder::Utf8};
    QTimer *m_progress, *m_patience;
    bool m_cancelled = false, m_running = false;
};

} // namespace dynascope::app
