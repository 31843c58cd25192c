// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/follower.h"

#include "core/capture/log_memory.h"
#include "core/capture/packed.h"
#include "core/remote/open.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dynascope::views {

namespace {

const QString lookTag = QStringLiteral("follow.look");
constexpr std::chrono::milliseconds lookEvery{700};
constexpr int restPerRead = 4; ///< times what the last read took

using capture::Again;
using capture::DiskChange;
using session::Kind;

std::size_t bytesOf(const session::Session& session) {
    std::size_t out = 0;
    for (const session::InputFile& file : session.inputs.files)
        out += file.source->bytes().size();
    return out;
}

} // namespace

struct Follower::Read {
    Workspace::Capture capture;
    QString error;
    bool cut = false, goesOn = true;
    std::chrono::steady_clock::duration took{};
};

Follower::Follower(Workspace& workspace, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace) {
    connect(&m_workspace, &Workspace::captureOpened, this, &Follower::watch);
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        m_watched.removeIf([this](QHash<const session::Session*, Watch>::iterator watch) {
            if (indexOf(watch.key()) >= 0) return false;
            m_workspace.tasks().cancel(tagOf(*watch));
            return true;
        });
        if (m_watched.isEmpty()) m_timer.stop();
    });
    connect(&m_workspace, &Workspace::captureReplaced, this,
            [this](int capture, const session::SessionPtr& before) {
                Watch watch = m_watched.take(before.get());
                watch.differs = DiskChange::None;
                m_watched.insert(m_workspace.captures()[std::size_t(capture)].session.get(), watch);
            });
    m_timer.setInterval(lookEvery);
    connect(&m_timer, &QTimer::timeout, this, &Follower::look);
    for (int i = 0; i < int(m_workspace.captures().size()); ++i)
        watch(i);
}

void Follower::watch(int capture) {
    const Workspace::Capture& opened = m_workspace.captures()[std::size_t(capture)];
    Watch watch;
    watch.seen = opened.disk;
    watch.number = ++m_numbers;
    m_watched.insert(opened.session.get(), watch);
    if (!opened.disk.empty() && !m_timer.isActive()) m_timer.start();
}

void Follower::setInterval(std::chrono::milliseconds interval) {
    m_timer.setInterval(interval);
}

int Follower::indexOf(const session::Session* session) const {
    const auto& open = m_workspace.captures();
    const auto at = std::find_if(open.begin(), open.end(), [session](const Workspace::Capture& c) {
        return c.session.get() == session;
    });
    return at == open.end() ? -1 : int(at - open.begin());
}

Follower::Watch* Follower::watchOf(int capture) {
    if (capture < 0 || std::size_t(capture) >= m_workspace.captures().size()) return nullptr;
    const auto at = m_watched.find(m_workspace.captures()[std::size_t(capture)].session.get());
    return at == m_watched.end() ? nullptr : &*at;
}

QString Follower::tagOf(const Watch& watch) const {
    return QStringLiteral("follow.read:%1").arg(watch.number);
}

bool Follower::isOnDisk(int capture) const {
    if (capture < 0 || std::size_t(capture) >= m_workspace.captures().size()) return false;
    const Workspace::Capture& open = m_workspace.captures()[std::size_t(capture)];
    // A session file is written by ourselves; recordings that grow are looked at live.
    return !open.disk.empty() && !open.saved && open.session->recordings.empty() &&
           open.session->passRecordings.empty();
}

bool Follower::isElsewhere(int capture) const {
    if (capture < 0 || std::size_t(capture) >= m_workspace.captures().size()) return false;
    const Workspace::Capture& open = m_workspace.captures()[std::size_t(capture)];
    return !open.saved && remote::isAddress(open.session->inputs.path);
}

bool Follower::canReload(int capture) const {
    return isOnDisk(capture) || isElsewhere(capture);
}

QString Follower::whyNotFollowed(int capture) const {
    if (capture < 0 || std::size_t(capture) >= m_workspace.captures().size()) return tr("Open a log first");
    const Workspace::Capture& open = m_workspace.captures()[std::size_t(capture)];
    const session::Session& session = *open.session;
    if (open.saved) return tr("A session file does not grow: open the log itself to follow it");
    if (!session.recordings.empty())
        return tr("A recording that grows is read on by the page Dynamo, without this");
    if (!session.passRecordings.empty())
        return tr("A recording of passes lies beside this log, and is not read on");
    if (isElsewhere(capture)) return tr("It lies on another machine: Capture > Reload reads it again");
    if (!isOnDisk(capture)) return tr("This was not read from a file that could grow");
    if (session.kind != Kind::TorchTrace && session.kind != Kind::TorchLogs)
        return tr("Only logs are followed, and this is none: %1")
            .arg(toQString(session::kindName(session.kind)));
    const bool isPacked = std::any_of(
        session.inputs.files.begin(), session.inputs.files.end(),
        [](const session::InputFile& file) { return capture::looksPacked(file.source->bytes()); });
    return isPacked ? tr("A packed log is not followed: open the log that it is packed from") : QString();
}

bool Follower::isFollowing(int capture) const {
    return capture >= 0 && std::size_t(capture) < m_workspace.captures().size() &&
           m_workspace.captures()[std::size_t(capture)].followed;
}

QDateTime Follower::grewAt(int capture) const {
    if (capture < 0 || std::size_t(capture) >= m_workspace.captures().size()) return {};
    return m_watched.value(m_workspace.captures()[std::size_t(capture)].session.get()).grewAt;
}

void Follower::setFollowing(int capture, bool on) {
    Watch* watch = watchOf(capture);
    if (!watch || on == isFollowing(capture) || (on && !canFollow(capture))) return;
    watch->gone.clear();
    m_workspace.setFollowed(capture, on);
    if (on) {
        watch->memory = std::make_shared<capture::LogMemory>();
        look();
    } else {
        watch->memory.reset();
        m_workspace.tasks().cancel(tagOf(*watch));
        // A record that was still in the making is now what the file ends with.
        if (watch->cut) read(capture, Again::Whole, {});
    }
    emit changed(capture);
}

void Follower::reload(int capture) {
    if (canReload(capture)) read(capture, Again::Whole, {});
}

void Follower::look() {
    if (m_workspace.tasks().isRunning(lookTag)) return;
    struct Asked {
        session::SessionPtr session;
        bool whole = false; ///< also files that came into the folder
    };
    std::vector<Asked> asked;
    for (int i = 0; i < int(m_workspace.captures().size()); ++i)
        if (isOnDisk(i)) asked.push_back({m_workspace.captures()[std::size_t(i)].session, isFollowing(i)});
    if (asked.empty()) return;
    using Found = std::vector<std::pair<session::SessionPtr, capture::DiskStamp>>;
    m_workspace.tasks().run<Found>(
        lookTag, this,
        [asked = std::move(asked)](const TaskContext& task) {
            Found found;
            for (const Asked& one : asked) {
                if (task.cancelled()) break;
                found.emplace_back(one.session, one.whole ? capture::stampOf(one.session->inputs.path)
                                                          : capture::stampOf(one.session->inputs));
            }
            return found;
        },
        [this](const Found& found) {
            for (const auto& [session, stamp] : found)
                seen(session, stamp);
        });
}

void Follower::seen(const session::SessionPtr& session, const capture::DiskStamp& stamp) {
    const int capture = indexOf(session.get());
    Watch* watch = watchOf(capture);
    if (!watch || m_workspace.tasks().isRunning(tagOf(*watch))) return;
    if (!isFollowing(capture)) {
        capture::DiskStamp read = watch->seen;
        std::erase_if(read, [&](const auto& file) {
            return session->inputs.isFolder &&
                   std::none_of(
                       session->inputs.files.begin(), session->inputs.files.end(),
                       [&](const session::InputFile& one) { return file.first.ends_with(one.name); });
        });
        const capture::Changed change = capture::changedSince(read, stamp);
        if (change.change == DiskChange::None || watch->differs == change.change) return;
        watch->differs = change.change;
        emit differs(capture, toQString(capture::changeWords(change)));
        return;
    }
    capture::Changed change = capture::changedSince(watch->seen, stamp);
    if (change.change == DiskChange::None) return;
    if (stamp.empty()) {
        const QString words = toQString(capture::changeWords(change));
        if (std::exchange(watch->gone, words) != words) emit told(capture, words);
        return;
    }
    if (std::chrono::steady_clock::now() < watch->notBefore) return;
    // Another file took its name, whatever number the file system gave that.
    if (!watch->gone.isEmpty()) change.change = DiskChange::Replaced;
    watch->gone.clear();
    read(capture, Again::SoFar, change);
}

void Follower::read(int capture, Again again, const capture::Changed& because) {
    const session::SessionPtr before = m_workspace.captures()[std::size_t(capture)].session;
    Watch& watch = *watchOf(capture);
    // What was not only added to is read as if for the first time.
    if (watch.memory && because.change != DiskChange::Grew)
        watch.memory = std::make_shared<capture::LogMemory>();
    m_workspace.tasks().run<Read>(
        tagOf(watch), this,
        [before, again, memory = again == Again::SoFar ? watch.memory : nullptr](const TaskContext& task) {
            const auto began = std::chrono::steady_clock::now();
            Read out;
            out.capture.disk = capture::stampOf(before->inputs.path);
            const Result<session::SessionPtr> now = again == Again::Whole
                                                        ? remote::readAgain(*before, task)
                                                        : capture::readAgain(*before, again, task, memory);
            if (now) {
                out.capture.session = *now;
                out.capture.breaks = session::summarizeBreaks(**now);
                std::size_t onDisk = 0;
                for (const auto& [path, file] : capture::stampOf((*now)->inputs))
                    onDisk += file.size;
                out.cut = bytesOf(**now) < onDisk;
                out.goesOn = capture::goesOn(before->inputs, (*now)->inputs);
            } else {
                out.error = toQString(now.error().toString());
            }
            out.took = std::chrono::steady_clock::now() - began;
            return out;
        },
        [this, before, again, because](Read result) { take(before, again, because, std::move(result)); });
}

void Follower::take(const session::SessionPtr& before, Again again, capture::Changed because, Read result) {
    const int capture = indexOf(before.get());
    Watch* watch = watchOf(capture);
    if (!watch) return;
    watch->notBefore = std::chrono::steady_clock::now() + restPerRead * result.took;
    watch->seen = result.capture.disk;
    if (because.change == DiskChange::Grew && !result.goesOn) because.change = DiskChange::Rewritten;
    const bool grew = because.change == DiskChange::None || because.change == DiskChange::Grew;
    const QString words = toQString(capture::changeWords(because));
    if (!result.capture.session) {
        if (again == Again::Whole)
            emit failed(capture, result.error);
        else if (!grew)
            emit told(capture, tr("%1, and holds no record yet; what was read before stays").arg(words));
        return;
    }
    watch->cut = result.cut;
    const session::Session& now = *result.capture.session;
    // Nothing but a part of a record came in.
    if (again == Again::SoFar && grew && bytesOf(now) == bytesOf(*before) &&
        now.inputs.files.size() == before->inputs.files.size())
        return;
    if (again == Again::SoFar) watch->grewAt = QDateTime::currentDateTime();
    m_workspace.replaceCapture(capture, std::move(result.capture));
    if (again == Again::SoFar && !grew) emit told(capture, tr("%1: opened again").arg(words));
    if (again == Again::Whole) emit reloaded(capture);
    emit changed(capture);
}

} // namespace dynascope::views
