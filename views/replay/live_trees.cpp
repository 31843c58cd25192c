// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/live_trees.h"

#include "views/workspace/labels.h"

#include <atomic>
#include <optional>
#include <utility>

namespace dynascope::views {

using engine::CallError;
using replay::TreeStep;

namespace {

const QString treeTag = QStringLiteral("replay.trees");

} // namespace

/// Filled by the thread that carries events out, looked at by the timer.
struct LiveTrees::Shared {
    std::atomic<bool> pause{false};
    std::mutex mutex; ///< the one below
    std::vector<replay::TreeLogPart> parts;
    std::optional<engine::LiveTree> tree; ///< of the thread under way
};

LiveTrees::LiveTrees(Workspace& workspace, Engine& engine, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_engine(engine)
    , m_tick(new QTimer(this)) {
    m_tick->setInterval(33);
    connect(m_tick, &QTimer::timeout, this, &LiveTrees::take);
    connect(&m_engine, &Engine::cancelled, this, [this](const QString& tag) {
        if (tag != treeTag || !isBusy()) return;
        take();
        end(State::Failed, tr("Cancelled. What ran until then is shown."));
    });
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        if (!m_session.expired() || m_state == State::None) return;
        if (isBusy()) m_engine.cancel();
        m_run.reset();
        end(State::None);
    });
}

bool LiveTrees::isOfOpenCapture() const {
    const auto session = m_session.lock();
    return session && m_workspace.capture() && m_workspace.capture()->session == session;
}

LiveTrees::State LiveTrees::state() const {
    return isOfOpenCapture() ? m_state : State::None;
}

replay::TreeRunPtr LiveTrees::run() const {
    return isOfOpenCapture() ? m_run : nullptr;
}

QString LiveTrees::trouble() const {
    return isOfOpenCapture() ? m_trouble : QString();
}

void LiveTrees::start(const Options& options, bool paused) {
    if (!m_workspace.capture() || isBusy()) return;
    m_session = m_workspace.capture()->session;
    m_options = options;
    m_run.reset();
    const auto before = std::exchange(m_shared, std::make_shared<Shared>());
    m_trouble.clear();
    if (m_engine.state() == Engine::State::Absent) return end(State::Failed, m_engine.trouble());
    m_state = State::Preparing;
    engine::TreeWorkloadOptions how;
    how.iterations = options.iterations;
    how.moveParameters = options.moveParameters;
    how.hold = options.hold;
    how.backend = options.backend.toStdString();
    struct Begun {
        replay::TreeProgram program;
    };
    m_engine.run<Begun>(
        treeTag, tr("CUDA-graph trees"), this,
        [session = m_workspace.capture()->session, how, before, shared = m_shared](
            engine::Client& client, const engine::CallOptions& call) -> tl::expected<Begun, CallError> {
            if (before && before->tree) before->tree->drop();
            auto tree = engine::LiveTree::begin(client, engine::workloadOf(*session), how, call.task);
            if (!tree) return tl::unexpected(tree.error());
            Begun out{tree->program()};
            shared->tree = std::move(*tree);
            return out;
        },
        [this, paused, shared = m_shared](tl::expected<Begun, CallError> begun) {
            if (shared != m_shared) return;
            if (!begun) {
                if (begun.error().kind == CallError::Kind::Cancelled)
                    return end(State::Failed, tr("Cancelled."));
                return end(State::Failed, toQString(begun.error().message));
            }
            m_run = std::make_shared<replay::TreeRun>(std::move(begun->program));
            m_state = State::Paused;
            emit changed();
            if (!paused) advance(Goal::End);
        });
    emit changed();
}

void LiveTrees::advance(Goal goal) {
    if (state() != State::Paused || !m_shared || !m_shared->tree) return;
    m_state = State::Running;
    m_shared->pause = false;
    struct Stop {
        bool end = false;
    };
    m_engine.run<Stop>(
        treeTag, tr("CUDA-graph trees"), this,
        [goal, shared = m_shared](engine::Client&,
                                  const engine::CallOptions& call) -> tl::expected<Stop, CallError> {
            while (!shared->pause) {
                if (call.task.cancelled())
                    return tl::unexpected(CallError{CallError::Kind::Cancelled, {}, 0, {}});
                auto part = shared->tree->next(1, call.task);
                if (!part) return tl::unexpected(part.error());
                const bool end = part->end;
                const bool wanted =
                    !part->steps.empty() &&
                    ((goal == Goal::Call && part->steps.back().event == TreeStep::Event::Call) ||
                     (goal == Goal::Mark && isTreeMark(part->steps.back())));
                {
                    const std::lock_guard lock(shared->mutex);
                    shared->parts.push_back(std::move(*part));
                }
                if (end) return Stop{true};
                if (wanted) break;
            }
            return Stop{};
        },
        [this, shared = m_shared](tl::expected<Stop, CallError> stop) {
            if (shared != m_shared) return;
            take();
            if (m_state != State::Running) return; // what came did not fit
            if (!stop) {
                if (stop.error().kind == CallError::Kind::Cancelled)
                    return end(State::Failed, tr("Cancelled. What ran until then is shown."));
                return end(State::Failed, toQString(stop.error().message));
            }
            end(stop->end ? State::Ended : State::Paused);
        });
    m_tick->start();
    emit changed();
}

void LiveTrees::take() {
    if (!m_shared || !m_run) return;
    std::vector<replay::TreeLogPart> parts;
    {
        const std::lock_guard lock(m_shared->mutex);
        parts.swap(m_shared->parts);
    }
    if (parts.empty()) return;
    for (replay::TreeLogPart& part : parts)
        if (const auto appended = m_run->append(std::move(part)); !appended) {
            m_shared->pause = true;
            emit grew();
            return end(State::Failed, toQString(appended.error().message));
        }
    emit grew();
}

void LiveTrees::end(State state, const QString& trouble) {
    m_tick->stop();
    m_state = state;
    m_trouble = trouble;
    emit changed();
}

void LiveTrees::pause() {
    if (m_state == State::Running) m_shared->pause = true;
}

void LiveTrees::go() {
    advance(Goal::End);
}

void LiveTrees::stepCall() {
    advance(Goal::Call);
}

void LiveTrees::runToMark() {
    advance(Goal::Mark);
}

void LiveTrees::cancel() {
    if (isBusy())
        m_engine.cancel();
    else if (m_state == State::Paused)
        end(State::Failed, tr("Cancelled. What ran until then is shown."));
}

} // namespace dynascope::views
