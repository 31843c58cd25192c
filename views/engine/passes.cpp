// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/passes.h"

#include "core/computed/node_values.h"
#include "core/diff/graph_diff.h"
#include "core/engine/cases/run_on.h"
#include "core/engine/client/torch_release.h"
#include "core/engine/wire/methods.h"
#include "core/engine/wire/verify.h"
#include "core/ir/text.h"
#include "core/passes/known_passes.h"
#include "core/rederive/rederive.h"
#include "core/rederive/saved_hooks.h"
#include "core/session/symbol_hints.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::views {

namespace {

using engine::CallError;

const QString passTag = QStringLiteral("pass");
const QString verifyTag = QStringLiteral("verify");

std::string graphText(const ir::Graph& graph) {
    return graph.style().form == ir::TextStyle::Form::Readable ? ir::printReadable(graph).text
                                                               : ir::printFx(graph);
}

/// `hooks`: what inline_hooks needs to know.
wire::PassOptions optionsOf(computed::FunctionalMode mode,
                            const std::map<std::string, std::string, std::less<>>& hooks) {
    wire::PassOptions out;
    out.options = {hooks.begin(), hooks.end()};
    out.remove = mode.removesViews ? "mutations_and_views" : "mutations";
    out.writeBack = mode.callerWritesBack ? "caller" : "graph";
    return out;
}

} // namespace

struct Passes::Ran {
    computed::MadeStage made; ///< its `known` says what was asked for before there is more
    int from = -1, replaces = -1;
    bool show = true;
};

QString callErrorText(const QString& what, const CallError& error) {
    const std::string node = error.node();
    const QString place = node.empty() ? QString() : QObject::tr(" at node %1").arg(toQString(node));
    return QObject::tr("%1%2: %3").arg(what, place, toQString(error.message));
}

Passes::Passes(Workspace& workspace, Engine& engine, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_engine(engine) {
    for (const passes::KnownPass& pass : passes::knownPasses())
        m_available.push_back({toQString(pass.name), toQString(pass.description)});
    connect(&m_workspace, &Workspace::captureClosed, this, &Passes::forgetClosed);
    connect(&m_workspace, &Workspace::captureReplaced, this, [this](int capture) {
        // A log that is followed is read anew again and again, mostly with nothing computed of it.
        if (m_computed.empty() && m_given.empty()) return;
        // The same stages are other objects now, and the old ones hold the old file.
        std::unordered_map<session::StageId, session::StagePtr> now;
        for (const session::Compile& compile : m_workspace.captures()[std::size_t(capture)].session->compiles)
            for (const session::StagePtr& stage : compile.stages)
                now.emplace(stage->id(), stage);
        for (auto& [id, computed] : m_computed)
            for (session::StagePtr* of : {&computed.root, &computed.source, &computed.twin})
                if (const auto at = now.find(session::idOf(of->get())); at != now.end()) *of = at->second;
        forgetClosed();
    });
}

bool Passes::has(const QString& pass) const {
    return std::any_of(m_available.begin(), m_available.end(),
                       [&](const EnginePass& known) { return known.name == pass; });
}

void Passes::remember(const std::vector<EnginePass>& passes) {
    if (m_asked) return;
    for (const EnginePass& pass : passes)
        if (!pass.name.isEmpty() && !has(pass.name)) m_available.push_back(pass);
}

void Passes::askAvailable() {
    if (m_asked || m_engine.state() == Engine::State::Absent) return;
    m_asked = true;
    m_engine.run<wire::PassesReply>(
        QStringLiteral("passes"), tr("its start"), this,
        [](engine::Client& client, const engine::CallOptions& options) { return client.passes(options); },
        [this](engine::Answer<wire::PassesReply> reply) {
            if (!reply) return; // an older engine: what every engine has stays
            std::vector<EnginePass> passes;
            for (const wire::PassInfo& pass : reply->passes)
                passes.push_back({toQString(pass.name), toQString(pass.description)});
            if (passes.empty()) return;
            m_available = std::move(passes);
            emit availableChanged();
        });
}

int Passes::selectedStage() const {
    const Place& place = m_workspace.place();
    for (const int index : {place.stageB, place.stageA})
        if (const session::StagePtr stage = m_workspace.stageAt(index);
            stage && stage->content == session::Stage::Content::Graph)
            return index;
    return -1;
}

bool Passes::isBusy() const {
    return m_engine.isRunning(passTag) || m_engine.isRunning(verifyTag);
}

const computed::ComputedStage* Passes::find(const session::Stage* stage) const {
    const auto at = m_computed.find(session::idOf(stage));
    return at == m_computed.end() ? nullptr : &at->second;
}

const computed::ComputedStage* Passes::shownFunctionalization() const {
    const Place& place = m_workspace.place();
    const auto recorded = [this](int index) -> const computed::ComputedStage* {
        const session::StagePtr stage = m_workspace.stageAt(index);
        const computed::ComputedStage* known = stage ? find(stage.get()) : nullptr;
        return known && known->recording ? known : nullptr;
    };
    for (const int index : {place.stageB, place.stageA})
        if (const computed::ComputedStage* known = recorded(index)) return known;
    for (int i = m_workspace.stageCount() - 1; i >= 0; --i)
        if (const computed::ComputedStage* known = recorded(i)) return known;
    return nullptr;
}

Passes::Source Passes::sourceOf(const session::Stage& root) const {
    Source source;
    const Result<ir::GraphPtr> graph = root.graph();
    if (graph) source.text = graphText(**graph);
    if (const auto* rows = givenRows(root)) {
        if (auto given = engine::formValues(*rows)) {
            source.on = std::move(*given);
            return source;
        }
    }
    // The inputs of a case are those of its graph; PyTorch's answers take the same. A capture has no values, but it
    // says what its inputs were like: seeded ones in their shapes.
    const session::Compile* compile = m_workspace.compile();
    if (compile && graph)
        if (auto on = engine::runOnOfGraph(compile, **graph)) source.on = std::move(*on);
    return source;
}

void Passes::run(const QString& pass, int from, Options options) {
    if (from < 0) from = selectedStage();
    const session::StagePtr stage = m_workspace.stageAt(from);
    if (!stage || stage->content != session::Stage::Content::Graph) {
        emit failed(tr("%1: choose a stage that has a graph").arg(pass));
        return;
    }
    if (m_engine.state() == Engine::State::Absent) {
        emit failed(m_engine.trouble());
        return;
    }
    if (const auto graph = stage->graph(); !graph) {
        emit failed(tr("%1: %2").arg(pass, toQString(graph.error().toString())));
        return;
    }
    Ran ran;
    ran.from = from;
    ran.show = options.show;
    computed::ComputedStage& asked = ran.made.known;
    asked.source = stage;
    const computed::ComputedStage* before = find(stage.get());
    asked.root = before ? before->root : stage;
    if (before) asked.passes = before->passes;
    asked.passes.push_back(pass.toStdString());
    asked.mode = pass == QLatin1String("functionalize") ? options.mode
                 : before                               ? before->mode
                                                        : computed::FunctionalMode{};
    for (const auto& [id, known] : m_computed)
        if (known.root == asked.root && known.passes == asked.passes && known.mode == asked.mode)
            ran.replaces = std::max(ran.replaces, m_workspace.indexOf(known.stage.get(), true));
    std::map<std::string, std::string, std::less<>> hooks;
    const std::vector<std::string>& names = asked.passes;
    if (std::find(names.begin(), names.end(), passes::inlineHooksPass.name) != names.end()) {
        auto known = engine::hookOptions(*m_workspace.session(), *m_workspace.compile(), *asked.root);
        if (!known) {
            emit failed(tr("%1: %2").arg(pass, toQString(known.error().message)));
            return;
        }
        hooks = std::move(*known);
    }
    const ir::GraphPtr sourceGraph = *stage->graph();
    const bool functionalizes = pass == QLatin1String("functionalize");
    computed::ProgramText program;
    if (!before) program = computed::programOf(*m_workspace.session(), *m_workspace.compile(), *sourceGraph);
    const std::string beforeText = before ? before->graphText : std::string();
    Source source = sourceOf(*asked.root);
    wire::RunOn beforeOn = source.on;
    if (before) beforeOn.attributes = before->attributes;

    const session::StagePtr root = asked.root;
    m_engine.run<Ran>(
        passTag, pass, this,
        [ran, hooks, source = std::move(source), functionalizes, program, beforeText,
         beforeOn = std::move(beforeOn)](engine::Client& client, const engine::CallOptions& options) mutable
        -> tl::expected<Ran, CallError> {
            computed::ComputedStage& asked = ran.made.known;
            wire::PassRequest request;
            request.on = source.on;
            request.passes = asked.passes;
            request.options = optionsOf(asked.mode, hooks);
            request.options.cells = functionalizes;
            request.scorecard = true; // normalize_ir says by it who shares memory
            request.shapes = true;
            auto answer = client.pass(source.text, request, options);
            if (!answer) return tl::unexpected(answer.error());
            std::shared_ptr<const wire::ExecuteReply> eager;
            // To hold each op against eager; a graph that cannot be run is still a graph.
            if (functionalizes)
                if (auto values = computed::fetchNodeValues(
                        client, beforeText.empty() ? source.text : beforeText, beforeOn, options))
                    eager = std::make_shared<const wire::ExecuteReply>(std::move(*values));
            auto made = computed::madeStage(std::move(asked),
                                            std::make_shared<const wire::PassReply>(std::move(*answer)),
                                            std::move(eager), std::move(program));
            if (!made)
                return tl::unexpected(
                    CallError{CallError::Kind::Refused,
                              "the engine's graph cannot be read: " + made.error().toString(),
                              0,
                              {}});
            ran.made = std::move(*made);
            return tl::expected<Ran, CallError>(std::move(ran));
        },
        [this, pass, stage, root](tl::expected<Ran, CallError> ran) {
            if (ran) return add(std::move(*ran));
            if (ran.error().kind == CallError::Kind::Cancelled) return;
            if (const QString lack = lackOfInputs(*root);
                !lack.isEmpty() && ran.error().kind == CallError::Kind::Refused)
                return emit inputsNeeded(pass, m_workspace.indexOf(stage.get()), lack);
            const QString message = callErrorText(pass, ran.error());
            emit passFailed(pass, stage, message);
            emit failed(message);
        });
}

void Passes::add(Ran ran) {
    // Another compile is looked at by now: nobody waits for it.
    if (m_workspace.stageAt(ran.from) != ran.made.known.source) return;
    for (const auto& [id, known] : m_computed) {
        const int index = m_workspace.indexOf(known.stage.get(), true);
        ran.made.stage->k += index >= 0 && index != ran.replaces && known.stage->name == ran.made.stage->name;
    }
    const session::StagePtr stage = std::move(ran.made.stage);
    const bool show = ran.show;
    const int from = ran.from;
    ran.made.known.stage = stage;
    keep(std::move(ran.made.known), ran.replaces);
    const int index = m_workspace.addComputed(stage, from, std::move(ran.made.origins), ran.replaces);
    compareWithTwin(stage);
    if (show) {
        Place place = m_workspace.place();
        place.stageA = from;
        place.stageB = index;
        if (place.page != Page::Functionalize) place.page = Page::Stages;
        place.node = {};
        m_workspace.go(place);
    }
    emit computed(index);
    verify(index);
}

void Passes::recompute(int index) {
    const session::StagePtr stage = m_workspace.stageAt(index);
    const computed::ComputedStage* known = stage ? find(stage.get()) : nullptr;
    if (!known || known->twin) return;
    int from = m_workspace.indexOf(known->source.get());
    // Computed anew meanwhile: the same passes made it.
    for (const auto& [id, other] : m_computed)
        if (from < 0 && other.root == known->root && other.mode == known->mode &&
            std::equal(other.passes.begin(), other.passes.end(), known->passes.begin(),
                       known->passes.end() - 1))
            from = m_workspace.indexOf(other.stage.get());
    if (from < 0) {
        emit failed(tr("%1 cannot be run again: the stage that it was made from was removed")
                        .arg(toQString(stage->label())));
        return;
    }
    run(toQString(known->passes.back()), from, {known->mode, true});
}

void Passes::compareWithTwin(const session::StagePtr& stage) {
    const session::Compile* compile = m_workspace.compile();
    const computed::ComputedStage* known = find(stage.get());
    const auto graph = stage->graph();
    if (!compile || !known || !graph) return;
    for (const session::StagePtr& captured : compile->stages) {
        if (captured == known->root || captured->content != session::Stage::Content::Graph) continue;
        const auto other = captured->graph();
        if (!other || (*other)->size() != (*graph)->size()) continue;
        if (!diff::diffGraphs(**graph, **other).identical()) continue;
        computed::StageVerdict verdict = m_workspace.verdict(stage.get());
        verdict.isomorphic = true;
        verdict.twin = captured->label();
        m_workspace.setVerdict(stage, std::move(verdict));
        return;
    }
}

void Passes::verify(int index) {
    const session::StagePtr stage = m_workspace.stageAt(index);
    const computed::ComputedStage* known = stage ? find(stage.get()) : nullptr;
    if (!known) {
        emit failed(tr("Verify: choose a computed stage. Run a pass first."));
        return;
    }
    using Checked = tl::expected<computed::CheckedStage, CallError>;
    const QString what = tr("verification of %1").arg(toQString(stage->label()));
    const auto done = [this, stage, release = m_workspace.session()->torchVersion](Checked checked) {
        takeChecked(stage, std::move(checked), release);
    };
    if (known->twin) {
        const session::Compile* compile = m_workspace.compile();
        m_engine.run<computed::CheckedStage>(
            verifyTag, what, this,
            [twin = known->twin, stage, hints = session::symbolHints(*compile)](
                engine::Client& client, const engine::CallOptions& options) -> Checked {
                const auto captured = twin->graph(), derived = stage->graph();
                if (!captured || !derived)
                    return tl::unexpected(CallError{
                        CallError::Kind::Refused, (captured ? derived : captured).error().message, 0, {}});
                const auto reply = engine::verifyDerived(client, **captured, **derived, hints, options);
                if (!reply) return tl::unexpected(reply.error());
                computed::CheckedStage out = computed::checkedStage(*reply);
                if (engine::isClose(*reply)) {
                    out = {};
                    out.verdict.kind = computed::StageVerdict::Kind::Equal;
                    out.verdict.text = engine::closeWords;
                }
                if (out.verdict.kind == computed::StageVerdict::Kind::Equal)
                    out.verdict.text = "Run beside " + twin->label() + ": " + out.verdict.text;
                return out;
            },
            done);
        return;
    }
    m_engine.run<computed::CheckedStage>(
        verifyTag, what, this,
        [source = sourceOf(*known->root), passes = known->passes,
         mode = known->mode](engine::Client& client, const engine::CallOptions& options) -> Checked {
            wire::VerifyRequest request;
            request.on = source.on;
            request.passes = passes;
            request.options = optionsOf(mode, {});
            const auto reply = client.verify(source.text, request, options);
            if (!reply) return tl::unexpected(reply.error());
            return computed::checkedStage(*reply);
        },
        done);
}

void Passes::takeChecked(const session::StagePtr& stage,
                         tl::expected<computed::CheckedStage, CallError> checked,
                         const std::string& release) {
    const auto at = m_computed.find(stage->id());
    if (at == m_computed.end()) return;
    computed::StageVerdict verdict;
    if (checked) {
        verdict = checked->verdict;
        at->second.differences = checked->differences;
        at->second.parting = checked->parting;
        const std::string apart = engine::releasesApart(m_engine.torchVersion(), release);
        if (!apart.empty()) verdict.text += (verdict.text.empty() ? "" : "; ") + apart;
    } else if (checked.error().kind == CallError::Kind::Cancelled ||
               checked.error().kind == CallError::Kind::EngineDied) {
        return;
    } else {
        verdict.kind = computed::StageVerdict::Kind::Declined;
        verdict.text = checked.error().message;
        if (at->second.reply)
            for (const std::string& note : at->second.reply->notes)
                verdict.text = note + ". " + verdict.text;
    }
    const computed::StageVerdict before = m_workspace.verdict(stage.get());
    verdict.isomorphic = before.isomorphic;
    verdict.twin = before.twin;
    m_workspace.setVerdict(stage, verdict);
    emit verified(m_workspace.indexOf(stage.get()));
}

void Passes::keep(computed::ComputedStage known, int replaces) {
    if (replaces >= 0)
        std::erase_if(m_computed, [&](const auto& entry) {
            return m_workspace.indexOf(entry.second.stage.get(), true) == replaces;
        });
    const session::StageId id = known.stage->id();
    m_computed.insert_or_assign(id, std::move(known));
}

int Passes::addDerived(computed::ComputedStage derived, int from, computed::StageVerdict verdict) {
    int replaces = -1;
    for (const auto& [id, known] : m_computed)
        if (known.twin == derived.twin)
            replaces = std::max(replaces, m_workspace.indexOf(known.stage.get(), true));
    const session::StagePtr stage = derived.stage;
    keep(std::move(derived), replaces);
    const int index = m_workspace.addComputed(stage, from, {}, replaces);
    m_workspace.setVerdict(stage, std::move(verdict));
    return index;
}

} // namespace dynascope::views
