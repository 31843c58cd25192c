// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/rederivations.h"

#include "core/rederive/rederive.h"
#include "core/session/stage_order.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dynascope::views {

namespace {

using engine::CallError;
using engine::Rederived;
using engine::RederivedStage;

const QString rederiveTag = QStringLiteral("rederive");

} // namespace

Rederivations::Rederivations(Workspace& workspace, Passes& passes, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_passes(passes)
    , m_engine(passes.engine()) {
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        QHash<session::StageId, computed::Rederivation> kept;
        for (const Workspace::Capture& capture : m_workspace.captures())
            for (const session::Compile& compile : capture.session->compiles)
                for (const session::StagePtr& stage : compile.stages)
                    if (const auto at = m_known.find(stage->id()); at != m_known.end())
                        kept.insert(stage->id(), *at);
        m_known = std::move(kept);
        emit changed();
    });
    connect(&m_workspace, &Workspace::captureReplaced, this,
            [this](int capture, const session::SessionPtr& before) {
                const session::SessionPtr& now = m_workspace.captures()[std::size_t(capture)].session;
                if (m_asked.first == before.get()) {
                    const session::Compile& was = before->compiles[m_asked.second];
                    m_asked = {nullptr, 0};
                    for (std::size_t i = 0; i < now->compiles.size(); ++i)
                        if (now->compiles[i].rank == was.rank && now->compiles[i].id == was.id)
                            m_asked = {now.get(), i};
                }
                emit changed();
            });
    connect(&m_engine, &Engine::cancelled, this, &Rederivations::changed);
}

bool Rederivations::isRunning(const session::Session& session, std::size_t compile) const {
    return m_engine.isRunning(rederiveTag) && m_asked == std::pair(&session, compile);
}

bool Rederivations::isRunning() const {
    return m_engine.isRunning(rederiveTag);
}

bool Rederivations::isEngineWanted() const {
    return m_engine.isBusyBeside(rederiveTag);
}

void Rederivations::run() {
    const session::Compile* compile = m_workspace.compile();
    if (!compile) return;
    if (m_engine.state() == Engine::State::Absent) {
        emit failed(m_engine.trouble());
        return;
    }
    const session::SessionPtr session = m_workspace.capture()->session;
    start(session, std::size_t(compile - session->compiles.data()), false);
}

void Rederivations::runQuietly(const session::SessionPtr& session, std::size_t compile) {
    if (isRunning() && !m_quiet) return;
    start(session, compile, true);
}

void Rederivations::stopQuietly() {
    if (isQuiet()) m_engine.cancel(rederiveTag);
}

void Rederivations::start(const session::SessionPtr& session, std::size_t index, bool quiet) {
    m_asked = {session.get(), index};
    m_quiet = quiet;
    using Rows = std::vector<RederivedStage>;
    m_engine.run<Rows>(
        rederiveTag, tr("rederive"), this,
        [session, index](engine::Client& client,
                         const engine::CallOptions& options) -> tl::expected<Rows, CallError> {
            Rows rows = engine::rederive(*session, index, &client, options.task);
            if (options.task.cancelled())
                return tl::unexpected(CallError{CallError::Kind::Cancelled, "cancelled", 0, {}});
            // An engine that died says nothing of any graph; what was known of them stays.
            for (const RederivedStage& row : rows)
                if (row.lost) return tl::unexpected(*row.lost);
            return rows;
        },
        [this, session, index, quiet](tl::expected<Rows, CallError> rows) {
            QString trouble;
            if (rows)
                take(session, index, std::move(*rows), quiet);
            else if (rows.error().kind != CallError::Kind::Cancelled)
                trouble = tr("Rederive: %1").arg(toQString(rows.error().message));
            if (!quiet && !trouble.isEmpty()) emit failed(trouble);
            emit changed();
            if (quiet) emit runQuietlyEnded(trouble);
        });
    emit changed();
}

void Rederivations::take(const session::SessionPtr& asked, std::size_t index,
                         std::vector<RederivedStage> rows, bool quiet) {
    // Closed meanwhile, its stages are forgotten already; read again meanwhile, they are others.
    const session::SessionPtr session = m_workspace.current(asked);
    if (!session) return;
    const session::Compile& was = asked->compiles[index];
    const auto found =
        std::find_if(session->compiles.begin(), session->compiles.end(), [&was](const session::Compile& one) {
            return one.rank == was.rank && one.id == was.id;
        });
    if (found == session->compiles.end()) return;
    const session::Compile& compile = *found;
    // Metadata comes before the graph that it is of.
    std::optional<RederivedStage> metadata;
    for (RederivedStage& row : rows) {
        if (row.stage == "aot_forward_graph_fw_metadata") {
            metadata = std::move(row);
            continue;
        }
        for (const session::StagePtr& stage : compile.stages)
            if (stage->label() == row.stage && stage->attempt == row.attempt) {
                m_known.insert(stage->id(), {std::move(row), std::exchange(metadata, std::nullopt)});
                if (shownAs(stage.get()) >= 0) show(stage); // what it showed is of the last time
                break;
            }
        metadata.reset();
    }
    const QString said = summary(compile);
    // What nobody asked for makes no document modified; it is saved with the rest.
    if (quiet) return;
    emit derived(*session);
    emit done(said.isEmpty() ? tr("This compile has no graph of AOTAutograd to derive.")
                             : tr("Derived again: %1.").arg(said));
}

const RederivedStage* Rederivations::find(const session::Stage* stage) const {
    const auto at = m_known.find(session::idOf(stage));
    return at == m_known.end() ? nullptr : &at->row;
}

const RederivedStage* Rederivations::metadataOf(const session::Stage* stage) const {
    const auto at = m_known.find(session::idOf(stage));
    return at == m_known.end() || !at->metadata ? nullptr : &*at->metadata;
}

int Rederivations::shownAs(const session::Stage* stage) const {
    for (int i = 0; i < m_workspace.stageCount(); ++i) {
        const session::StagePtr computed = m_workspace.stageAt(i);
        const computed::ComputedStage* known = computed ? m_passes.find(computed.get()) : nullptr;
        if (known && known->twin.get() == stage) return i;
    }
    return -1;
}

int Rederivations::showDerived(int index) {
    const session::StagePtr stage = m_workspace.stageAt(index);
    if (!stage) return -1;
    const auto at = m_known.find(stage->id());
    const int shown = shownAs(stage.get());
    const bool current =
        shown >= 0 && (at == m_known.end() || *m_workspace.stageAt(shown)->graph() == at->row.derived);
    return current ? shown : show(stage);
}

int Rederivations::show(const session::StagePtr& stage) {
    const auto at = m_known.find(stage->id());
    const session::Compile* compile = m_workspace.compile();
    const int index = m_workspace.indexOf(stage.get());
    if (at == m_known.end() || !at->row.derived || !compile || index < 0) return -1;
    int from = -1;
    for (int i = 0; i < int(compile->stages.size()); ++i)
        if (const session::Stage& one = *compile->stages[std::size_t(i)];
            one.label() == at->row.from && one.attempt == stage->attempt)
            from = i;
    if (from < 0) from = std::max(0, predecessor(*compile, index));
    auto [derived, verdict] = computed::shownRederivation(*at, stage, m_workspace.stageAt(from));
    return m_passes.addDerived(std::move(derived), from, std::move(verdict));
}

std::vector<computed::StageRederivation> Rederivations::toSave(const session::Session& session) const {
    std::vector<computed::StageRederivation> out;
    for (const session::Compile& compile : session.compiles)
        for (const session::StagePtr& stage : compile.stages)
            if (const auto at = m_known.find(stage->id()); at != m_known.end())
                out.push_back(
                    {stage,
                     {compile.rank, compile.id.toString(), stage->attempt, stage->name, stage->k, {}},
                     *at});
    return out;
}

void Rederivations::restore(const std::vector<computed::StageRederivation>& saved) {
    for (const computed::StageRederivation& known : saved)
        if (!m_known.contains(known.stage->id())) m_known.insert(known.stage->id(), known.said);
    if (!saved.empty()) emit changed();
}

QString Rederivations::text(const session::Stage* stage) const {
    const auto at = m_known.find(session::idOf(stage));
    return at == m_known.end() ? QString() : toQString(computed::rederivedText(*at));
}

QString Rederivations::summary(const session::Compile& compile) const {
    std::array<int, 6> count{};
    bool any = false;
    for (const session::StagePtr& stage : compile.stages)
        if (const RederivedStage* row = find(stage.get())) {
            ++count[std::size_t(row->verdict)];
            any = true;
        }
    if (!any) return {};
    QStringList parts;
    for (std::size_t i = 0; i < count.size(); ++i)
        if (count[i] > 0)
            parts << QStringLiteral("%1 %2").arg(count[i]).arg(
                toQString(engine::rederivedName(static_cast<Rederived>(i))));
    return parts.join(QStringLiteral(", "));
}

} // namespace dynascope::views
