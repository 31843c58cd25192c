// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of a capture's graphs under CUDA-graph trees, carried out by the engine call by call: they can be
// paused, stepped and cancelled, and grow while one looks.
#pragma once

#include "core/rederive/tree_workload.h"
#include "core/replay/tree_run.h"
#include "views/engine/engine.h"
#include "views/workspace/workspace.h"

#include <QObject>
#include <QTimer>
#include <memory>
#include <mutex>

namespace dynascope::views {

/// GUI thread only. One run at a time; the last one of each capture is kept.
class LiveTrees : public QObject {
    Q_OBJECT
public:
    enum class State {
        None,      ///< nothing ran
        Preparing, ///< the graphs are brought to the engine
        Running,
        Paused,
        Ended,
        Failed, ///< trouble() says why; what was run until then is there
    };
    struct Options {
        std::uint64_t iterations = 6;
        std::uint64_t moveParameters = 0; ///< every how many iterations; 0: never
        std::uint64_t hold = 0;           ///< how many more iterations outputs are held
        QString backend = QStringLiteral("cpu");
    };

    LiveTrees(Workspace& workspace, Engine& engine, QObject* parent = nullptr);

    /// Begins anew, with the open capture. Runs until its end, or waits before its first event.
    void start(const Options& options, bool paused = false);
    void pause();
    void go();
    void stepCall();
    /// To the next call that is recorded anew, run eagerly or refused.
    void runToMark();
    void cancel();

    [[nodiscard]] State state() const; ///< of the open capture's run
    [[nodiscard]] bool isBusy() const { return m_state == State::Preparing || m_state == State::Running; }
    [[nodiscard]] bool canStep() const { return state() == State::Paused; }
    [[nodiscard]] replay::TreeRunPtr run() const; ///< of the open capture; null for none
    [[nodiscard]] QString trouble() const;        ///< likewise; one or two sentences
    [[nodiscard]] Engine& engine() const { return m_engine; }

signals:
    void changed(); ///< state, trouble, or another run
    void grew();    ///< the run has more steps; 30 times a second at most

private:
    enum class Goal { End, Call, Mark };
    struct Shared;
    void advance(Goal goal);
    void take();
    void end(State state, const QString& trouble = {});
    [[nodiscard]] bool isOfOpenCapture() const;

    Workspace& m_workspace;
    Engine& m_engine;
    QTimer* m_tick;
    State m_state = State::None;
    QString m_trouble;
    Options m_options;
    std::weak_ptr<const session::Session> m_session;
    std::shared_ptr<Shared> m_shared; ///< with the thread that carries events out
    std::shared_ptr<replay::TreeRun> m_run;
};

} // namespace dynascope::views
