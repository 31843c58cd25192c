// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/rederivations.h"

#include "core/ir/text.h"
#include "core/session/byte_source.h"
#include "views/models/labels.h"

#include <algorithm>
#include <array>

namespace dynascope::views {

namespace {

using engine::CallError;
using engine::Rederived;
using engine::RederivedStage;

const QString rederiveTag = QStringLiteral("rederive");

} // namespace

session::StagePtr derivedStage(const session::Stage& twin, ir::GraphPtr graph, const std::string& text) {
    auto out = std::make_shared<session::Stage>();
    out->name = twin.name;
    out->k = twin.k;
    out->attempt = twin.attempt;
    out->detail = "derived";
    out->phase = session::Phase::Computed;
    out->payload = {session::makeByteSource(text), 0, text.size(), false};
    out->setGraph(std::move(graph));
    return out;
}

Rederivations::Rederivations(Workspace& workspace, Passes& passes, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_passes(passes)
    , m_engine(passes.engine()) {
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        QHash<const session::Stage*, Rederivation> kept;
        for (const Workspace::Capture& capture : m_workspace.captures())
            for (const session::Compile& compile : capture.session->compiles)
                for (const session::StagePtr& stage : compile.stages)
                    if (const auto at = m_known.find(stage.get()); at != m_known.end())
                        kept.insert(stage.get(), *at);
        m_known = std::move(kept);
        emit changed();
    });
    connect(&m_workspace, &Workspace::captureReplaced, this,
            [this](int capture, const session::SessionPtr& before) {
                const session::SessionPtr& now = m_workspace.captures()[std::size_t(capture)].session;
                const auto moved = movedStages(*before, *now);
                for (auto at = moved.begin(); at != moved.end(); ++at)
                    if (m_known.contains(at.key())) m_known.insert(at->get(), m_known.take(at.key()));
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

void Rederivations::run() {
    const session::Compile* compile = m_workspace.compile();
    if (!compile) return;
    if (m_engine.state() == Engine::State::Absent) {
        emit failed(m_engine.trouble());
        return;
    }
    const session::SessionPtr session = m_workspace.capture()->session;
    const auto index = std::size_t(compile - session->compiles.data());
    m_asked = {session.get(), index};
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
        [this, session, index](tl::expected<Rows, CallError> rows) {
            if (rows)
                take(session, index, std::move(*rows));
            else if (rows.error().kind != CallError::Kind::Cancelled)
                emit failed(tr("Rederive: %1").arg(toQString(rows.error().message)));
            emit changed();
        });
    emit changed();
}

void Rederivations::take(const session::SessionPtr& asked, std::size_t index,
                         std::vector<RederivedStage> rows) {
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
            if (stage->label() == row.stage) {
                m_known.insert(stage.get(), {std::move(row), std::move(metadata)});
                if (shownAs(stage.get()) >= 0) show(stage); // what it showed is of the last time
                break;
            }
        metadata.reset();
    }
    const QString said = summary(compile);
    emit derived(*session);
    emit done(said.isEmpty() ? tr("This compile has no graph of AOTAutograd to derive.")
                             : tr("Derived anew: %1.").arg(said));
}

const RederivedStage* Rederivations::find(const session::Stage* stage) const {
    const auto at = m_known.find(stage);
    return at == m_known.end() ? nullptr : &at->row;
}

const RederivedStage* Rederivations::metadataOf(const session::Stage* stage) const {
    const auto at = m_known.find(stage);
    return at == m_known.end() || !at->metadata ? nullptr : &*at->metadata;
}

int Rederivations::shownAs(const session::Stage* stage) const {
    for (int i = 0; i < m_workspace.stageCount(); ++i) {
        const session::StagePtr computed = m_workspace.stageAt(i);
        const ComputedStage* known = computed ? m_passes.find(computed.get()) : nullptr;
        if (known && known->twin.get() == stage) return i;
    }
    return -1;
}

int Rederivations::showDerived(int index) {
    const session::StagePtr stage = m_workspace.stageAt(index);
    if (!stage) return -1;
    const auto at = m_known.find(stage.get());
    const int shown = shownAs(stage.get());
    const bool current =
        shown >= 0 && (at == m_known.end() || *m_workspace.stageAt(shown)->graph() == at->row.derived);
    return current ? shown : show(stage);
}

int Rederivations::show(const session::StagePtr& stage) {
    const auto at = m_known.find(stage.get());
    const session::Compile* compile = m_workspace.compile();
    const int index = m_workspace.indexOf(stage.get());
    if (at == m_known.end() || !at->row.derived || !compile || index < 0) return -1;
    int from = -1;
    for (int i = 0; i < int(compile->stages.size()); ++i)
        if (compile->stages[std::size_t(i)]->label() == at->row.from) from = i;
    if (from < 0) from = std::max(0, predecessor(*compile, index));
    ComputedStage derived;
    derived.graphText = ir::printReadable(*at->row.derived).text;
    derived.stage = derivedStage(*stage, at->row.derived, derived.graphText);
    derived.root = derived.stage;
    derived.source = m_workspace.stageAt(from);
    derived.twin = stage;
    derived.nodesBefore = derived.source->nodeCount();
    derived.nodesAfter = at->row.derived->size();
    derived.microseconds = at->row.microseconds;
    Verdict verdict;
    verdict.text = this->text(stage.get());
    verdict.isomorphic = at->row.verdict == Rederived::Isomorphic;
    verdict.twin = toQString(stage->label());
    verdict.node = at->row.nodeGot;
    verdict.kind = at->row.verdict == Rederived::Different  ? Verdict::Kind::Different
                   : at->row.verdict == Rederived::Declined ? Verdict::Kind::Declined
                                                            : Verdict::Kind::Equal;
    return m_passes.addDerived(std::move(derived), from, std::move(verdict));
}

std::vector<StageRederivation> Rederivations::toSave(const session::Session& session) const {
    std::vector<StageRederivation> out;
    for (const session::Compile& compile : session.compiles)
        for (const session::StagePtr& stage : compile.stages)
            if (const auto at = m_known.find(stage.get()); at != m_known.end())
                out.push_back(
                    {stage,
                     {compile.rank, compile.id.toString(), stage->attempt, stage->name, stage->k, {}},
                     *at});
    return out;
}

void Rederivations::restore(std::vector<StageRederivation> saved) {
    for (StageRederivation& known : saved)
        if (!m_known.contains(known.stage.get())) m_known.insert(known.stage.get(), std::move(known.said));
    if (!saved.empty()) emit changed();
}

QString Rederivations::word(const RederivedStage& row) {
    if (row.verdict == Rederived::Different && !row.versions.empty()) return tr("differs");
    return toQString(engine::rederivedName(row.verdict));
}

QString Rederivations::text(const session::Stage* stage) const {
    const auto at = m_known.find(stage);
    if (at == m_known.end()) return {};
    const RederivedStage& row = at->row;
    QString out = tr("Derived from %1: %2").arg(toQString(row.from), word(row));
    if (row.verdict == Rederived::Isomorphic) out += tr(", %1 nodes").arg(row.nodes);
    if (!row.versions.empty()) out += QStringLiteral("; ") + toQString(row.versions);
    if (row.verdict == Rederived::Equivalent) out += tr(": another graph, the same numbers");
    if (!row.reason.empty()) out += QStringLiteral(". ") + toQString(row.reason);
    if (!row.missedGuard.empty()) out += tr(". But %1").arg(toQString(row.missedGuard));
    if (!row.leftOut.empty()) out += QStringLiteral("; ") + toQString(row.leftOut);
    if (!row.hooks.empty()) out += QStringLiteral("; ") + toQString(row.hooks);
    if (at->metadata) {
        out += tr(". Metadata: %1").arg(word(*at->metadata));
        if (at->metadata->verdict == Rederived::Isomorphic) out += tr(", %1 fields").arg(at->metadata->nodes);
        if (!at->metadata->reason.empty()) out += QStringLiteral(". ") + toQString(at->metadata->reason);
    }
    return out;
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
