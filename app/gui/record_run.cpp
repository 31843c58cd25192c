// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/record_run.h"

#include "app/cli/capture_setup.h"
#include "views/workspace/labels.h"

#include <QDir>
#include <QTimer>
#include <csignal>
#include <unistd.h>
#include <utility>

namespace dynascope::app {

using views::toQString;

namespace {

constexpr int progressEvery = 500, patience = 5000; ///< milliseconds

} // namespace

RecordRun::RecordRun(QObject* parent)
    : QObject(parent)
    , m_progress(new QTimer(this))
    , m_patience(new QTimer(this)) {
    m_progress->setInterval(progressEvery);
    m_patience->setSingleShot(true);
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.setChildProcessModifier([] { ::setpgid(0, 0); }); // cancelling reaches what it starts
    connect(m_progress, &QTimer::timeout, this, &RecordRun::progressed);
    connect(m_patience, &QTimer::timeout, this, [this] { signalAll(SIGKILL); });
    connect(&m_process, &QProcess::readyReadStandardOutput, this,
            [this] { emit output(m_decoder(m_process.readAllStandardOutput())); });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(tr("%1 could not be started: %2").arg(m_request.program, m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        if (m_cancelled)
            end(tr("cancelled"));
        else if (status == QProcess::CrashExit)
            end(tr("ended by signal %1").arg(code));
        else
            end(code == 0 ? QString() : tr("ended with status %1").arg(code));
    });
}

RecordRun::~RecordRun() {
    m_process.disconnect(this);
    if (!isRunning()) return;
    signalAll(SIGTERM);
    if (!m_process.waitForFinished(1000)) signalAll(SIGKILL);
    m_process.waitForFinished(1000);
}

QStringList RecordRun::environment(const ProgramToRecord& request) {
    QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    for (const QString& variable : request.variables)
        if (variable.startsWith(QLatin1String("PYTHONPATH=")))
            own.insert(QStringLiteral("PYTHONPATH"), variable.mid(11));
    QStringList out = request.variables;
    out.removeIf([](const QString& variable) { return !variable.contains(u'='); });
    const auto recorder = cli::recorderFolder();
    const QString folder = QDir(request.outputFolder).absolutePath();
    cli::CaptureRequest capture{request.live.toStdString(), {}, request.passes, request.profileSteps};
    capture.memory = request.memory;
    capture.values = request.values;
    capture.flight = request.flight;
    for (const QString& setting : request.settings)
        capture.settings.push_back(setting.toStdString());
    for (const auto& [name, value] :
         cli::captureVariables(folder.toStdString(), recorder.value_or("share/dynascope/capture"),
                               own.value(QStringLiteral("PYTHONPATH")).toStdString(), capture)) {
        const QString key = toQString(name) + u'=';
        out.removeIf([&](const QString& variable) { return variable.startsWith(key); });
        out << key + toQString(value);
    }
    return out;
}

Result<void> RecordRun::start(const ProgramToRecord& request) {
    if (isRunning()) return failure("a program is being recorded already");
    if (const auto recorder = cli::recorderFolder(); !recorder) return tl::unexpected(recorder.error());
    const auto fail = [](const QString& what, const QString& folder) {
        return failure(what.toStdString(), folder.toStdString());
    };
    if (!request.workingFolder.isEmpty() && !QDir(request.workingFolder).exists())
        return fail(tr("the working directory does not exist"), request.workingFolder);
    if (!QDir().mkpath(request.outputFolder))
        return fail(tr("the folder cannot be made"), request.outputFolder);
    m_request = request;
    m_request.outputFolder = QDir(request.outputFolder).absolutePath();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& variable : RecordRun::environment(m_request))
        environment.insert(variable.section(u'=', 0, 0), variable.section(u'=', 1));
    m_process.setProcessEnvironment(environment);
    m_process.setWorkingDirectory(request.workingFolder);
    m_decoder = QStringDecoder(QStringDecoder::Utf8);
    m_cancelled = false;
    m_running = true;
    m_progress->start();
    m_process.start(request.program, request.arguments, QIODevice::ReadOnly);
    return {};
}

bool RecordRun::isRunning() const {
    return m_running;
}

QString RecordRun::progress() const {
    return toQString(cli::captureSummary(m_request.outputFolder.toStdString()));
}

void RecordRun::signalAll(int signal) {
    if (const qint64 group = m_process.processId(); group > 1) ::kill(-pid_t(group), signal);
}

void RecordRun::cancel() {
    if (!isRunning()) return;
    m_cancelled = true;
    signalAll(SIGTERM);
    m_patience->start(patience);
}

void RecordRun::end(const QString& problem) {
    if (!std::exchange(m_running, false)) return;
    m_progress->stop();
    m_patience->stop();
    emit output(m_decoder(m_process.readAllStandardOutput()));
    emit finished(problem);
}

} // namespace dynascope::app
