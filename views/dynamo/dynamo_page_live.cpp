// SPDX-License-Identifier: BSD-3-Clause
//
// DynamoPage and recordings that grow: reading on while a program writes, and the program that waits.
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/dynamo_private.h"
#include "views/dynamo/live_bar.h"
#include "views/dynamo/steps_strip.h"
#include "views/models/labels.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QTabWidget>
#include <QTimer>
#include <algorithm>
#include <functional>

namespace dynascope::views {

namespace {

using dynamo::noStep;
using dynamo::StepIndex;

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
QStringList pathsOf(const Workspace::Capture& capture) {
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

LiveBar* DynamoPage::live() const {
    return d->live;
}

void DynamoPage::connectLive() {
    d->look = new QTimer(this);
    d->look->setSingleShot(true);
    connect(d->look, &QTimer::timeout, this, &DynamoPage::lookForMore);
    connect(d->live, &LiveBar::stopped, this, [this](const QString& path, StepIndex step) {
        d->pages->setCurrentIndex(0);
        if (!showsFile(path)) return emit recordingWanted(path);
        d->wanted = step;
        d->signature = 0;
        lookForMore();
    });
    connect(d->live, &LiveBar::changed, this, &DynamoPage::stepped);
    const auto tell = [this] { tellBreakpoints(); };
    connect(&d->breakpoints->model(), &BreakpointsModel::edited, this, tell);
    connect(&d->breakpoints->model(), &BreakpointsModel::modelReset, this, tell);
}

void DynamoPage::setLive(LiveSession* session) {
    d->live->setSession(session);
    tellBreakpoints();
}

void DynamoPage::tellBreakpoints() {
    if (!d->live->session()) return;
    std::vector<dynamo::LiveBreakpoint> out;
    for (const dynamo::Breakpoint& breakpoint : d->breakpoints->model().enabled())
        out.push_back(breakpoint.where());
    d->live->session()->setBreakpoints(std::move(out));
}

bool DynamoPage::showsFile(const QString& path) const {
    const auto same = [&](const QString& other) {
        return QFileInfo(other).canonicalFilePath() == QFileInfo(path).canonicalFilePath();
    };
    return d->index >= 0 && d->index < d->paths.size() && same(d->paths[d->index]);
}

/// Whether the reader is behind all that was recorded so far, which may be nothing.
bool DynamoPage::isAtEnd() const {
    return d->step == noStep || std::size_t(d->step) + 1 == d->recording->steps().size();
}

/// Whether the program that waits does so in the recording that is shown.
bool DynamoPage::waitsHere() const {
    const LiveSession::Program* program = d->live->waiting();
    return program && showsFile(toQString(program->recording()));
}

/// What the program is told instead of a step through the recording: it takes it itself, where the reader is
/// at its end.
std::optional<dynamo::LiveCommand> DynamoPage::liveCommand(StepCommand command) const {
    if (!d->recording || d->busy || !isAtEnd() || !waitsHere()) return {};
    switch (command) {
    case StepCommand::Over:
        return dynamo::LiveCommand::Next;
    case StepCommand::In:
        return dynamo::LiveCommand::Step;
    case StepCommand::Out:
        return dynamo::LiveCommand::Out;
    case StepCommand::Line:
        return dynamo::LiveCommand::Line;
    case StepCommand::Run:
        return dynamo::LiveCommand::Continue;
    default:
        return {};
    }
}

void DynamoPage::watchFiles() {
    const Workspace::Capture* capture = workspace().capture();
    d->paths = capture ? pathsOf(*capture) : QStringList();
    d->signature = 0;
    d->wanted = noStep;
    d->look->start(shortestWait);
}

bool DynamoPage::awaitLive() {
    if (!waitsHere() || d->live->waiting()->last.step == noStep) return false;
    d->wanted = d->live->waiting()->last.step;
    d->look->start(0);
    return true;
}

void DynamoPage::lookForMore() {
    if (!d->recording || d->index >= d->paths.size() || d->reading) return;
    const QString path = d->paths[d->index];
    const bool tail = QFileInfo::exists(path + QStringLiteral(".tail"));
    // Without a tail nobody writes; the last look comes after it went.
    if (!tail && !d->growing && d->wanted == noStep) return d->look->start(4 * shortestWait);
    if (!isVisible() && d->wanted == noStep) return d->look->start(4 * shortestWait);
    d->growing = tail;
    const std::size_t signature = signatureOf(path);
    if (signature == std::exchange(d->signature, signature)) return d->look->start(shortestWait);
    d->reading = true;
    struct Read {
        dynamo::RecordingPtr recording;
        qint64 milliseconds = 0;
    };
    workspace().tasks().run<Read>(
        QStringLiteral("dynamo.grow"), this,
        [path](const TaskContext& task) {
            QElapsedTimer timer;
            timer.start();
            const auto recording = dynamo::Recording::open(path.toStdString(), task);
            return Read{recording ? *recording : nullptr, timer.elapsed()};
        },
        [this, path](Read read) {
            d->reading = false;
            d->look->start(
                std::max(shortestWait, int(std::min<qint64>(read.milliseconds * restFactor, 60'000))));
            if (d->index >= d->paths.size() || d->paths[d->index] != path) return;
            if (read.recording) takeNewer(std::move(read.recording));
        });
}

void DynamoPage::takeNewer(dynamo::RecordingPtr recording) {
    // A block that was packed while the file was read lets it look shorter; the next look has it whole.
    if (d->busy || !d->recording || recording->steps().size() < d->recording->steps().size()) {
        d->signature = 0;
        return;
    }
    const bool atEnd = isAtEnd();
    const bool sameSize = recording->steps().size() == d->recording->steps().size();
    const StepIndex wanted = std::exchange(d->wanted, noStep);
    d->recording = recording;
    d->known[std::size_t(d->index)] = recording;
    forgetShown();
    d->strip->setRecording(recording);
    if (recording->steps().empty()) return;
    showContent();
    const StepIndex last = StepIndex(recording->steps().size() - 1);
    const StepIndex to = wanted != noStep && wanted <= last ? wanted : atEnd ? last : d->step;
    if (wanted != noStep && wanted > last) {
        d->wanted = wanted; // it is not in the file yet
        d->signature = 0;
    }
    adopt(to);
    if (!sameSize) d->answer->setText(d->growing ? tr("still being written") : QString());
    Place place = workspace().place();
    if (place.page == Page::Dynamo && place.own.of<DynamoPlace>().step != int(to)) {
        place.own.set(DynamoPlace{d->index, int(to)});
        workspace().go(place, false);
    }
}

} // namespace dynascope::views
