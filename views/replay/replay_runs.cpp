// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/replay_runs.h"

#include "core/engine/cases/run_on.h"
#include "core/session/program_names.h"
#include "views/notes/notebook.h"
#include "views/workspace/labels.h"

#include <QDateTime>
#include <algorithm>
#include <mutex>

namespace dynascope::views {

namespace {

using engine::CallError;

const QString replayTag = QStringLiteral("replay");
constexpr std::size_t keptRecordings = 8; ///< runs of a capture whose recordings stay in memory

/// What helps where the engine cannot do a graph.
QString wayOut(const CallError& error, const engine::Workload& workload) {
    if (error.kind == CallError::Kind::NotStarted || error.kind == CallError::Kind::EngineDied)
        return ReplayRuns::tr("The next run starts a new engine. Nothing shown is lost.");
    const auto isAten = [](const engine::WorkloadGraph& graph) {
        return std::none_of(graph.graph->nodes().begin(), graph.graph->nodes().end(), [](const auto& node) {
            return node->op == ir::Op::CallModule || node->op == ir::Op::CallMethod;
        });
    };
    if (error.message.find("symbol") != std::string::npos || error.message.find("size") != std::string::npos)
        return ReplayRuns::tr("A capture with example sizes, or dynascope-cli replay --symbol s0=7, says "
                              "what the symbols stand for.");
    if (!workload.graphs.empty() && !std::all_of(workload.graphs.begin(), workload.graphs.end(), isAten))
        return ReplayRuns::tr("The graphs that AOTAutograd made of it hold aten operators only: choose one "
                              "of these.");
    return ReplayRuns::tr("Another stage, or another compile, may run: each is recorded on its own.");
}

} // namespace

struct ReplayRuns::Request {
    session::SessionPtr session;
    engine::Workload workload;
    ir::Address root;
    std::vector<session::StagePtr> stages; ///< by graph of the workload
    std::vector<std::size_t> compiles;
};

/// Filled on the engine's threads, looked at by the timer.
struct ReplayRuns::Live {
    replay::LiveReplay replay;
    std::mutex mutex; ///< the one below
    ReplayedRunPtr recorded;
};

ReplayRuns::ReplayRuns(Workspace& workspace, Engine& engine, Notebook& notebook, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_engine(engine)
    , m_notebook(notebook)
    , m_tick(new QTimer(this)) {
    m_tick->setInterval(33);
    connect(m_tick, &QTimer::timeout, this, [this] {
        if (!isRunning()) return endLive(); // cancelled
        if (m_waits && !m_engine.isBusyBeside(replayTag)) {
            m_waits = false;
            m_progress = tr("Recording");
            emit runningChanged();
        }
        {
            const std::lock_guard lock(m_state->mutex);
            m_live = m_state->recorded;
        }
        if (const std::uint64_t events = livePlace().events; std::exchange(m_told, events) != events)
            emit liveChanged();
    });
    connect(&m_engine, &Engine::progress, this,
            [this](const QString& what, quint64 done, quint64 total, const QString& tag) {
                if (tag != replayTag || !isRunning()) return; // what it waits for has progress of its own
                m_waits = false;
                m_progress =
                    total > 0 ? tr("%1, %2 of %3").arg(what, numberText(done), numberText(total)) : what;
                m_fraction = total > 0 ? double(done) / double(total) : -1;
                emit runningChanged();
            });
    connect(&m_engine, &Engine::cancelled, this, [this](const QString& tag) {
        if (tag == replayTag) emit runningChanged();
    });
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        const auto isOpen = [this](const session::Session* session) {
            return std::any_of(m_workspace.captures().begin(), m_workspace.captures().end(),
                               [&](const auto& capture) { return capture.session.get() == session; });
        };
        m_runs.removeIf([&](auto entry) { return !isOpen(entry.key()); });
        m_troubles.removeIf([&](auto entry) { return !isOpen(entry.key()); });
    });
    connect(&m_workspace, &Workspace::captureReplaced, this,
            [this](int capture, const session::SessionPtr& before) {
                const session::Session* now = m_workspace.captures()[std::size_t(capture)].session.get();
                if (m_runs.contains(before.get())) m_runs.insert(now, m_runs.take(before.get()));
                m_troubles.remove(before.get()); // what was in the way may be there by now
            });
}

replay::LivePlace ReplayRuns::livePlace() const {
    return m_state ? m_state->replay.place() : replay::LivePlace();
}

bool ReplayRuns::isRunning() const {
    return m_engine.isRunning(replayTag);
}

void ReplayRuns::cancel() {
    if (isRunning()) m_engine.cancel();
}

void ReplayRuns::runStage(int index, Options options) {
    const session::StagePtr stage = m_workspace.stageAt(index);
    const session::Compile* compile = m_workspace.compile();
    if (!stage || !compile || stage->content != session::Stage::Content::Graph) {
        if (m_workspace.capture())
            fail(m_workspace.capture()->session,
                 {tr("This stage has no graph."), tr("Choose a stage that has one on the timeline.")});
        return;
    }
    Request request;
    request.session = m_workspace.capture()->session;
    engine::WorkloadGraph graph;
    graph.name = compile->id.toString() + ' ' + stage->label();
    graph.address = {compile->rank, compile->id.toString(), stage->attempt, stage->name, stage->k, {}};
    const Result<ir::GraphPtr> read = stage->graph();
    if (!read) {
        fail(request.session, {toQString(graph.name + ": " + read.error().toString()),
                               tr("Records shows the text of the stage as it is in the file.")});
        return;
    }
    graph.graph = *read;
    const GivenInputs given = m_given ? m_given(*stage) : GivenInputs();
    Result<wire::RunOn> on = given ? Result<wire::RunOn>(*given) : engine::runOnOfGraph(compile, **read);
    if (!on) {
        fail(request.session,
             {toQString(graph.name + ": " + on.error().message),
              tr("Engine > Inputs of the graph takes what the text lacks; a capture with tensor "
                 "descriptions (TORCH_TRACE), or a stage that prints shapes and dtypes, has it.")});
        return;
    }
    graph.inputs = std::move(on->inputs);
    graph.attributes = std::move(on->attributes);
    request.root = graph.address;
    request.workload.graphs.push_back(std::move(graph));
    request.stages = {stage};
    request.compiles = {std::size_t(compile - request.session->compiles.data())};
    start(std::move(request), options);
}

void ReplayRuns::runCapture(Options options) {
    if (!m_workspace.capture()) return;
    Request request;
    request.session = m_workspace.capture()->session;
    start(std::move(request), options);
}

void ReplayRuns::start(Request request, Options options) {
    if (m_engine.state() == Engine::State::Absent)
        return fail(request.session, {m_engine.trouble(), tr("Captures can be read without it.")});
    m_troubles.remove(request.session.get());
    endLive();
    m_state = std::make_shared<Live>();
    m_told = 0;
    m_tick->start();
    m_waits = m_engine.isBusyBeside(replayTag);
    m_progress = m_waits ? tr("Waiting until the engine is free") : tr("Recording");
    m_fraction = -1;
    struct Outcome {
        Request request;
        engine::WorkloadRun done;
        engine::EngineInfo info;
        std::optional<CallError> error;
    };
    m_engine.run<Outcome>(
        replayTag, tr("replay"), this,
        [request = std::move(request), options,
         state = m_state](engine::Client& client,
                          const engine::CallOptions& call) mutable -> tl::expected<Outcome, CallError> {
            if (request.stages.empty()) {
                request.workload = engine::workloadOf(*request.session);
                for (const engine::WorkloadGraph& graph : request.workload.graphs) {
                    const session::Compile* compile =
                        request.session->find(graph.address.rank, graph.address.compileId);
                    session::StagePtr found;
                    for (const session::StagePtr& stage : compile->stages)
                        if (stage->name == graph.address.stage && stage->k == graph.address.k &&
                            stage->attempt == graph.address.attempt)
                            found = stage;
                    request.stages.push_back(std::move(found));
                    request.compiles.push_back(std::size_t(compile - request.session->compiles.data()));
                }
            }
            engine::WorkloadOptions how;
            how.iterations = options.iterations;
            how.nodeIterations = std::min<std::uint64_t>(options.iterations, 100);
            how.verifyEvery = options.verifyEvery;
            how.onEvents = [state](std::span<const replay::ReplayEvent> events) {
                state->replay.take(events);
            };
            how.onRecorded = [state, &request](const engine::WorkloadRun& soFar) {
                auto live = std::make_shared<ReplayedRun>();
                live->session = request.session;
                live->root = request.root;
                live->graphs = graphsOf(request, soFar);
                const std::lock_guard lock(state->mutex);
                state->recorded = std::move(live);
            };
            auto info = client.start(call);
            if (!info) return tl::unexpected(info.error());
            auto done = engine::runWorkload(client, request.workload, how, call.task);
            if (done) return Outcome{std::move(request), std::move(*done), std::move(*info), std::nullopt};
            // What was refused is told with the graphs that it is about.
            if (done.error().kind == CallError::Kind::Refused)
                return Outcome{std::move(request), {}, std::move(*info), done.error()};
            return tl::unexpected(done.error());
        },
        [this, session = m_workspace.capture()->session](tl::expected<Outcome, CallError> outcome) {
            m_progress.clear();
            endLive();
            if (outcome && !outcome->error)
                take(outcome->request, std::move(outcome->done), outcome->info);
            else if (outcome)
                fail(session, {tr("Cannot be replayed: %1").arg(toQString(outcome->error->message)),
                               wayOut(*outcome->error, outcome->request.workload)});
            else if (outcome.error().kind != CallError::Kind::Cancelled)
                fail(session,
                     {m_engine.trouble().isEmpty() ? toQString(outcome.error().message) : m_engine.trouble(),
                      wayOut(outcome.error(), {})});
            emit runningChanged();
        });
    emit runningChanged();
}

std::vector<ReplayedGraph> ReplayRuns::graphsOf(const Request& request, engine::WorkloadRun done) {
    std::vector<ReplayedGraph> out;
    done.run.graphs.resize(done.graphs.size()); // none yet of what only was recorded
    for (std::size_t i = 0; i < done.graphs.size(); ++i) {
        const std::size_t at = done.graphs[i];
        const engine::WorkloadGraph& graph = request.workload.graphs[at];
        ReplayedGraph made{
            toQString(graph.name),
            request.compiles[at],
            request.stages[at],
            graph.graph,
            session::programNames(session::namingOf(request.session->compiles[request.compiles[at]]),
                                  *graph.graph),
            std::move(done.recordings[i]),
            std::move(done.run.graphs[i]),
            {}};
        made.role.backward = made.stage && made.stage->phase == session::Phase::Backward;
        out.push_back(std::move(made));
    }
    // What a backward reads of a forward's results was saved for it.
    for (std::size_t i = 0; i < done.graphs.size(); ++i)
        for (const engine::WorkloadGraph::Wire& wire : request.workload.graphs[done.graphs[i]].wires) {
            const auto maker = std::find(done.graphs.begin(), done.graphs.end(), wire.graph);
            if (wire.ofInputs || maker == done.graphs.end()) continue;
            ReplayedGraph& forward = out[std::size_t(maker - done.graphs.begin())];
            std::size_t ordinal = 0;
            for (const ir::NodePtr& node : out[i].graph->nodes())
                if (node->op == ir::Op::Placeholder && ordinal++ == wire.input)
                    forward.role.saved.push_back(node->name);
        }
    return out;
}

void ReplayRuns::take(const Request& request, engine::WorkloadRun done, const engine::EngineInfo& info) {
    auto out = std::make_shared<ReplayedRun>();
    out->session = request.session;
    out->root = request.root;
    out->kept = replay::keptRun(done.recordings, done.run);
    out->kept.engine = info.engine;
    out->kept.torch = info.torch;
    out->kept.seconds = QDateTime::currentSecsSinceEpoch();
    for (const std::vector<std::string>* list : {&request.workload.left, &std::as_const(done.left)})
        for (const std::string& line : *list)
            out->left << toQString(line);
    out->graphs = graphsOf(request, std::move(done));
    out->run = out->kept.run;
    out->title = out->graphs.size() == 1 ? out->graphs.front().name
                                         : countText(out->graphs.size(), tr("graph"), tr("graphs"));
    for (const KnownRun& before : history(*out))
        if (auto changes = replay::compareRuns(before.kept, out->kept); !changes.empty()) {
            out->changes = std::move(changes);
            out->changedSince = before.kept.seconds;
        }
    const session::SessionPtr now = m_workspace.current(request.session);
    if (!now) return; // closed meanwhile
    std::vector<ReplayedRunPtr>& runs = m_runs[now.get()];
    runs.push_back(out);
    if (runs.size() > keptRecordings) runs.erase(runs.begin());
    m_notebook.addReplay(*now, {out->root, "cpu", replay::toJson(out->kept).dump()});
    for (const ReplayedGraph& graph : out->graphs)
        if (graph.stage) m_workspace.setNodeTimes(graph.stage, nodeTimes(graph));
    emit finished(out);
}

void ReplayRuns::endLive() {
    m_tick->stop();
    m_state.reset();
    if (std::exchange(m_live, nullptr)) emit liveChanged();
}

void ReplayRuns::fail(const session::SessionPtr& session, const ReplayTrouble& trouble) {
    if (const session::SessionPtr now = m_workspace.current(session)) m_troubles.insert(now.get(), trouble);
    emit failed(trouble.what);
    emit runningChanged();
}

std::vector<ReplayedRunPtr> ReplayRuns::runs(const session::Session& session) const {
    return m_runs.value(&session);
}

ReplayedRunPtr ReplayRuns::newest(const session::Session& session) const {
    const auto at = m_runs.find(&session);
    return at == m_runs.end() || at->empty() ? nullptr : at->back();
}

std::vector<KnownRun> ReplayRuns::history(const ReplayedRun& run) const {
    std::vector<KnownRun> out;
    const session::SessionPtr session = m_workspace.current(run.session);
    if (!session) return out;
    const std::vector<ReplayedRunPtr> full = runs(*session);
    for (const store::Replay& row : m_notebook.replays(*session)) {
        if (row.root != run.root || row.backend != "cpu") continue;
        Result<replay::KeptRun> kept = replay::readKeptRun(row.result);
        if (!kept) continue;
        KnownRun known{std::move(*kept), nullptr};
        for (const ReplayedRunPtr& one : full)
            if (one->root == run.root && one->kept == known.kept) known.full = one;
        out.push_back(std::move(known));
    }
    return out;
}

std::optional<ReplayTrouble> ReplayRuns::trouble(const session::Session& session) const {
    const auto at = m_troubles.find(&session);
    return at == m_troubles.end() ? std::nullopt : std::optional(*at);
}

NodeTimes nodeTimes(const ReplayedGraph& graph) {
    NodeTimes out;
    for (const replay::NodeTime& time : graph.run.nodes) {
        out.us.emplace(graph.recording.nodes[time.node].name, time.us.median);
        out.most = std::max(out.most, time.us.median);
        out.sum += time.us.median;
    }
    return out;
}

} // namespace dynascope::views
