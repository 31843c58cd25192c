// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/recording_watch.h"

#include "views/workspace/labels.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTimer>
#include <algorithm>
#include <string_view>
#include <utility>

namespace dynascope::views {

namespace {

using dynamo::noStep;

constexpr int shortestWait = 400; ///< milliseconds between two looks at a file
constexpr int restFactor = 5;     ///< reading may take one part in so many of the time

/// Tells whether a recording has grown. Its tail is written through memory, which touches neither its size
/// nor its time.
std::size_t signatureOf(const QString& path) {
    QFile tail(path + QStringLiteral(".tail"));
    QByteArray bytes;
    if (tail.open(QIODevice::ReadOnly)) bytes = tail.readAll();
    return std::hash<std::string_view>{}({bytes.constData(), std::size_t(bytes.size())}) ^
           std::size_t(QFileInfo(path).size());
}

/// The files that the recordings of a capture were read from, in their order; empty where that is not sure.
QStringList pathsOf(const OpenCapture& capture) {
    QStringList out;
    if (capture.saved) return out; // what a session file holds does not grow
    const session::Inputs& inputs = capture.session->inputs;
    for (const session::InputFile& file : inputs.files) {
        if (!file.name.ends_with(".dsteps")) continue;
        const QString whole = toQString(inputs.path), name = toQString(file.name);
        out << (QFileInfo(whole).isDir() ? whole + u'/' + name : whole);
    }
    if (std::size_t(out.size()) != capture.session->recordings.size()) out.clear();
    return out;
}

} // namespace

RecordingWatch::RecordingWatch(TaskRunner& tasks, std::function<bool()> isSeen, QObject* parent)
    : QObject(parent)
    , m_tasks(tasks)
    , m_isSeen(std::move(isSeen))
    , m_timer(new QTimer(this)) {
    m_timer->setSingleShot(true);
    connect(m_timer, &QTimer::timeout, this, &RecordingWatch::look);
}

void RecordingWatch::watch(const OpenCapture* capture, int recording) {
    m_paths = capture ? pathsOf(*capture) : QStringList();
    m_index = recording;
    m_signature = 0;
    m_awaited = noStep;
    m_timer->start(shortestWait);
}

bool RecordingWatch::isOf(const QString& path) const {
    return m_index >= 0 && m_index < m_paths.size() &&
           QFileInfo(m_paths[m_index]).canonicalFilePath() == QFileInfo(path).canonicalFilePath();
}

void RecordingWatch::lookIn(int milliseconds) {
    m_timer->start(milliseconds);
}

void RecordingWatch::look() {
    if (m_index < 0 || m_index >= m_paths.size() || m_reading) return;
    const QString path = m_paths[m_index];
    const bool tail = QFileInfo::exists(path + QStringLiteral(".tail"));
    // Without a tail nobody writes; the last look comes after it went.
    if (!tail && !m_growing && m_awaited == noStep) return m_timer->start(4 * shortestWait);
    if (!m_isSeen() && m_awaited == noStep) return m_timer->start(4 * shortestWait);
    m_growing = tail;
    const std::size_t signature = signatureOf(path);
    if (signature == std::exchange(m_signature, signature)) return m_timer->start(shortestWait);
    m_reading = true;
    struct Read {
        dynamo::RecordingPtr recording;
        qint64 milliseconds = 0;
    };
    m_tasks.run<Read>(
        QStringLiteral("dynamo.grow"), this,
        [path](const TaskContext& task) {
            QElapsedTimer timer;
            timer.start();
            const auto recording = dynamo::Recording::open(path.toStdString(), task);
            return Read{recording ? *recording : nullptr, timer.elapsed()};
        },
        [this, path](const Read& answer) {
            m_reading = false;
            m_timer->start(
                std::max(shortestWait, int(std::min<qint64>(answer.milliseconds * restFactor, 60'000))));
            if (m_index >= m_paths.size() || m_paths[m_index] != path) return;
            if (answer.recording) emit read(answer.recording);
        });
}

} // namespace dynascope::views
