// SPDX-License-Identifier: BSD-3-Clause
//
// Recording and replaying in the window: asks the engine for it and keeps what came of it, the newest run of
// each capture with its recordings, and earlier ones with their times.
#pragma once

#include "core/engine/wire/wire.h"
#include "core/rederive/workload.h"
#include "core/replay/live_replay.h"
#include "core/replay/recording_memory.h"
#include "core/replay/replay_export.h"
#include "views/engine/engine.h"
#include "views/workspace/workspace.h"

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace dynascope::views {

class Notebook;

/// One graph of a run. What the engine answered with the graph that it is about.
struct ReplayedGraph {
    QString name;            ///< "0/0 forward"
    std::size_t compile = 0; ///< into Session::compiles
    session::StagePtr stage; ///< captured or computed; null where it is not in the capture
    ir::GraphPtr graph;
    std::vector<std::string> names; ///< by node: what the program calls an input (programNames())
    replay::ReplayRecording recording;
    replay::GraphRun run;
    replay::GraphRole role;
};

/// A finished run. Immutable; share it.
struct ReplayedRun {
    session::SessionPtr session;
    ir::Address root; ///< of one graph; empty for a whole capture
    QString title;    ///< "0/0 forward", "3 graphs"
    std::vector<ReplayedGraph> graphs;
    replay::ReplayRun run;
    replay::KeptRun kept;
    std::vector<replay::RunChange> changes; ///< against the last earlier run of the same; empty for none
    std::int64_t changedSince = 0;          ///< when that was, seconds since 1970 UTC
    QStringList left;                       ///< graphs that were left out: name and why
};
using ReplayedRunPtr = std::shared_ptr<const ReplayedRun>;

/// A run among others, with or without its recordings.
struct KnownRun {
    replay::KeptRun kept;
    ReplayedRunPtr full; ///< null for one of an earlier session
};

/// Why a run came to nothing, and what would help.
struct ReplayTrouble {
    QString what, wayOut;
};

/// GUI thread only. Owned by the window.
class ReplayRuns : public QObject {
    Q_OBJECT
public:
    ReplayRuns(Workspace& workspace, Engine& engine, Notebook& notebook, QObject* parent = nullptr);

    struct Options {
        std::uint64_t iterations = 100;
        std::uint64_t verifyEvery = 25; ///< 0: never
    };
    /// What somebody gave for a stage's graph to run on; nothing where nobody did.
    using GivenInputs = std::optional<wire::RunOn>;
    void setGivenInputs(std::function<GivenInputs(const session::Stage&)> of) { m_given = std::move(of); }
    /// Records and replays the graph of a stage of the current compile.
    void runStage(int stage, Options options);
    /// All compiled graphs of the current capture, frames in recorded order, then their backwards.
    void runCapture(Options options);
    void cancel();
    [[nodiscard]] bool isRunning() const;
    /// "Replaying, 41 of 100"; empty where nothing runs.
    [[nodiscard]] QString progressText() const { return m_progress; }
    [[nodiscard]] double progress() const { return m_fraction; } ///< 0 to 1; negative while not known

    /// What is being replayed: recorded, without times; null where nothing is.
    [[nodiscard]] ReplayedRunPtr live() const { return m_live; }
    /// Where it is; nothing before it began.
    [[nodiscard]] replay::LivePlace livePlace() const;

    /// Of a capture, oldest first; only those of this window.
    [[nodiscard]] std::vector<ReplayedRunPtr> runs(const session::Session& session) const;
    /// The newest one; null for none.
    [[nodiscard]] ReplayedRunPtr newest(const session::Session& session) const;
    /// The same graphs' runs, those of the session file included, oldest first.
    [[nodiscard]] std::vector<KnownRun> history(const ReplayedRun& run) const;
    /// Why the last request for a capture came to nothing.
    [[nodiscard]] std::optional<ReplayTrouble> trouble(const session::Session& session) const;
    [[nodiscard]] Engine& engine() const { return m_engine; }

signals:
    void runningChanged(); ///< started, ended, or got on
    void liveChanged();    ///< live() is another, or, 30 times a second, it got on
    void finished(dynascope::views::ReplayedRunPtr run);
    void failed(const QString& message);

private:
    struct Request;
    struct Live;
    void start(Request request, Options options);
    [[nodiscard]] static std::vector<ReplayedGraph> graphsOf(const Request& request,
                                                             engine::WorkloadRun done);
    void take(const Request& request, engine::WorkloadRun done, const engine::EngineInfo& info);
    void endLive();
    void fail(const session::SessionPtr& session, const ReplayTrouble& trouble);

    Workspace& m_workspace;
    Engine& m_engine;
    Notebook& m_notebook;
    QHash<const session::Session*, std::vector<ReplayedRunPtr>> m_runs;
    QHash<const session::Session*, ReplayTrouble> m_troubles;
    std::function<GivenInputs(const session::Stage&)> m_given;
    bool m_waits = false; ///< for what else the engine runs
    QString m_progress;
    double m_fraction = -1;
    ReplayedRunPtr m_live;
    std::shared_ptr<Live> m_state; ///< shared with the thread that fills it
    QTimer* m_tick;
    std::uint64_t m_told = 0; ///< events as of the last liveChanged()
};

/// The graph's part of the run, by node name, for the canvas.
[[nodiscard]] NodeTimes nodeTimes(const ReplayedGraph& graph);

} // namespace dynascope::views
