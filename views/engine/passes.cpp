// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/passes.h"

#include "core/computed/node_values.h"
#include "core/diff/graph_diff.h"
#include "core/engine/cases/graph_inputs.h"
#include "core/engine/client/torch_release.h"
#include "core/engine/wire/methods.h"
#include "core/engine/wire/verify.h"
#include "core/ir/text.h"
#include "core/passes/known_passes.h"
#include "core/rederive/rederive.h"
#include "core/rederive/saved_hooks.h"
#include "core/session/byte_source.h"
#include "core/session/symbol_hints.h"
#include "views/engine/pass_replies.h"
#include "views/models/labels.h"

#include <algorithm>
#include <unordered_set>

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

wire::RunOn runOn(const Passes::Source& source) {
    wire::RunOn out;
    out.inputs = source.inputs;
    out.attributes = source.attributes;
    return out;
}

} // namespace

struct Passes::Ran {
    ComputedStage stage;
    int from = -1, replaces = -1;
    bool show = true;
    diff::Origins origins;
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
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        // Only what the workspace still holds: nobody else can reach the rest.
        std::unordered_set<const session::Stage*> held;
        for (const Workspace::Capture& capture : m_workspace.captures())
            for (const session::Compile& compile : capture.session->compiles)
                for (const Workspace::Computed& computed : m_workspace.computedOf(compile))
                    held.insert(computed.stage.get());
        std::erase_if(m_computed, [&](const auto& entry) { return !held.contains(entry.first); });
        forgetInputs();
    });
    connect(&m_workspace, &Workspace::captureReplaced, this,
            [this](int capture, const session::SessionPtr& before) {
                const auto moved =
                    movedStages(*before, *m_workspace.captures()[std::size_t(capture)].session);
                for (auto& [stage, computed] : m_computed)
                    if (const auto at = moved.find(computed.root.get()); at != moved.end())
                        computed.root = *at;
                for (auto at = moved.begin(); at != moved.end(); ++at) {
                    const auto given = std::find_if(m_given.begin(), m_given.end(), [&](const auto& entry) {
                        return entry.first.get() == at.key();
                    });
                    if (given == m_given.end()) continue;
                    auto rows = std::move(given->second);
                    m_given.erase(given);
                    m_given.insert_or_assign(*at, std::move(rows));
                }
                forgetInputs();
            });
}

bool Passes::has(const QString& pass) const {
    return std::any_of(m_available.begin(), m_available.end(),
                       [&](const PassInfo& known) { return known.name == pass; });
}

void Passes::remember(const std::vector<PassInfo>& passes) {
    if (m_asked) return;
    for (const PassInfo& pass : passes)
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
            std::vector<PassInfo> passes;
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

const ComputedStage* Passes::find(const session::Stage* stage) const {
    const auto at = m_computed.find(stage);
    return at == m_computed.end() ? nullptr : &at->second;
}

const ComputedStage* Passes::shownFunctionalization() const {
    const Place& place = m_workspace.place();
    const auto recorded = [this](int index) -> const ComputedStage* {
        const session::StagePtr stage = m_workspace.stageAt(index);
        const ComputedStage* known = stage ? find(stage.get()) : nullptr;
        return known && known->recording ? known : nullptr;
    };
    for (const int index : {place.stageB, place.stageA})
        if (const ComputedStage* known = recorded(index)) return known;
    for (int i = m_workspace.stageCount() - 1; i >= 0; --i)
        if (const ComputedStage* known = recorded(i)) return known;
    return nullptr;
}

Passes::Source Passes::sourceOf(const session::Stage& root) const {
    Source source;
    if (const auto graph = root.graph()) source.text = graphText(**graph);
    if (const auto* rows = givenRows(root)) {
        if (auto given = engine::formValues(*rows)) {
            source.inputs = std::move(given->inputs);
            source.attributes = std::move(given->attributes);
            return source;
        }
    }
    const session::Compile* compile = m_workspace.compile();
    // The inputs of a case are those of its graph; PyTorch's answers take the same.
    if (compile) {
        source.inputs = wire::parsed(compile->runInputs);
        source.attributes = wire::parsed(compile->runAttributes);
        // A capture has no values, but it says what its inputs were like: seeded ones in their shapes.
        const auto graph = root.graph();
        if (!source.inputs.is_object() && graph)
            if (auto made = engine::inputsOfCapture(*compile, **graph)) source.inputs = std::move(*made);
    }
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
    ran.stage.source = stage;
    const ComputedStage* before = find(stage.get());
    ran.stage.root = before ? before->root : stage;
    if (before) ran.stage.passes = before->passes;
    ran.stage.passes.push_back(pass.toStdString());
    ran.stage.mode = pass == QLatin1String("functionalize") ? options.mode
                     : before                               ? before->mode
                                                            : computed::FunctionalMode{};
    for (const auto& [key, known] : m_computed)
        if (known.root == ran.stage.root && known.passes == ran.stage.passes && known.mode == ran.stage.mode)
            ran.replaces = std::max(ran.replaces, m_workspace.indexOf(key, true));
    std::map<std::string, std::string, std::less<>> hooks;
    const std::vector<std::string>& names = ran.stage.passes;
    if (std::find(names.begin(), names.end(), passes::inlineHooksPass.name) != names.end()) {
        auto known = engine::hookOptions(*m_workspace.session(), *m_workspace.compile(), *ran.stage.root);
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
    const wire::Any beforeAttributes = before ? before->attributes : wire::Any();

    m_engine.run<Ran>(
        passTag, pass, this,
        [ran, hooks, source = sourceOf(*ran.stage.root), sourceGraph, functionalizes, program, beforeText,
         beforeAttributes](engine::Client& client,
                           const engine::CallOptions& options) mutable -> tl::expected<Ran, CallError> {
            wire::PassRequest request;
            request.on = runOn(source);
            request.passes = ran.stage.passes;
            request.options = optionsOf(ran.stage.mode, hooks);
            request.options.cells = request.scorecard = functionalizes;
            request.shapes = true;
            auto answer = client.pass(source.text, request, options);
            if (!answer) return tl::unexpected(answer.error());
            const auto reply = std::make_shared<const wire::PassReply>(std::move(*answer));
            ComputedStage& out = ran.stage;
            out.graphText = reply->graph;
            out.attributes = reply->attributes;
            out.microseconds = reply->medianMicroseconds;
            out.nodesBefore = sourceGraph->size();
            auto graph = ir::readGraph(out.graphText);
            if (!graph)
                return tl::unexpected(
                    CallError{CallError::Kind::Refused,
                              "the engine's graph cannot be read: " + graph.error().toString(),
                              0,
                              {}});
            *graph = withShapes(**graph, *reply);
            out.nodesAfter = (*graph)->size();
            ran.origins = originsOf(*reply, *sourceGraph, **graph);
            out.reply = reply;
            auto made = std::make_shared<session::Stage>();
            made->name = out.passes.back();
            made->phase = session::Phase::Computed;
            if (out.mode.removesViews) made->detail = "mutations and views";
            if (out.mode.callerWritesBack)
                made->detail += made->detail.empty() ? "caller writes back" : ", caller writes back";
            made->payload = {session::makeByteSource(out.graphText), 0, out.graphText.size(), false};
            made->setGraph(*graph);
            out.stage = std::move(made);
            if (functionalizes) {
                computed::FunctionalRun run = computed::functionalRun(*reply, sourceGraph);
                run.mode = out.mode;
                run.program = std::move(program);
                run.graph = *graph;
                // To hold each op against eager; a graph that cannot be run is still a graph.
                if (auto values = computed::fetchNodeValues(
                        client, beforeText.empty() ? source.text : beforeText, source.inputs,
                        beforeText.empty() ? source.attributes : beforeAttributes, options)) {
                    run.eager = computed::nodeValues(*values);
                    out.eager = std::make_shared<const wire::ExecuteReply>(std::move(*values));
                }
                out.recording = std::make_shared<const computed::FunctionalRecording>(std::move(run));
            }
            return tl::expected<Ran, CallError>(std::move(ran));
        },
        [this, pass, stage, root = ran.stage.root](tl::expected<Ran, CallError> ran) {
            if (ran)
                add(std::move(*ran));
            else if (ran.error().kind == CallError::Kind::Cancelled)
                return;
            else if (const QString lack = lackOfInputs(*root);
                     !lack.isEmpty() && ran.error().kind == CallError::Kind::Refused)
                emit inputsNeeded(pass, m_workspace.indexOf(stage.get()), lack);
            else
                emit failed(callErrorText(pass, ran.error()));
        });
}

void Passes::add(Ran ran) {
    // Another compile is looked at by now: nobody waits for it.
    if (m_workspace.stageAt(ran.from) != ran.stage.source) return;
    const session::StagePtr stage = ran.stage.stage;
    int k = 0;
    for (const auto& [key, known] : m_computed) {
        const int index = m_workspace.indexOf(key, true);
        k += index >= 0 && index != ran.replaces && known.stage->name == stage->name;
    }
    const bool show = ran.show;
    const int from = ran.from;
    // Not shared yet with anybody else.
    std::const_pointer_cast<session::Stage>(stage)->k = k;
    if (ran.replaces >= 0)
        std::erase_if(m_computed, [&](const auto& entry) {
            return m_workspace.indexOf(entry.first, true) == ran.replaces;
        });
    m_computed.insert_or_assign(stage.get(), std::move(ran.stage));
    const int index = m_workspace.addComputed(stage, from, std::move(ran.origins), ran.replaces);
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
    const ComputedStage* known = stage ? find(stage.get()) : nullptr;
    if (!known || known->twin) return;
    int from = m_workspace.indexOf(known->source.get());
    // Computed anew meanwhile: the same passes made it.
    for (const auto& [key, other] : m_computed)
        if (from < 0 && other.root == known->root && other.mode == known->mode &&
            std::equal(other.passes.begin(), other.passes.end(), known->passes.begin(),
                       known->passes.end() - 1))
            from = m_workspace.indexOf(key);
    if (from < 0) {
        emit failed(tr("%1 cannot be computed again: the stage that it was made from was removed")
                        .arg(toQString(stage->label())));
        return;
    }
    run(toQString(known->passes.back()), from, {known->mode, true});
}

void Passes::compareWithTwin(const session::StagePtr& stage) {
    const session::Compile* compile = m_workspace.compile();
    const ComputedStage* known = find(stage.get());
    const auto graph = stage->graph();
    if (!compile || !known || !graph) return;
    for (const session::StagePtr& captured : compile->stages) {
        if (captured == known->root || captured->content != session::Stage::Content::Graph) continue;
        const auto other = captured->graph();
        if (!other || (*other)->size() != (*graph)->size()) continue;
        if (!diff::diffGraphs(**graph, **other).identical()) continue;
        Verdict verdict = m_workspace.verdict(stage.get());
        verdict.isomorphic = true;
        verdict.twin = toQString(captured->label());
        m_workspace.setVerdict(stage, std::move(verdict));
        return;
    }
}

void Passes::verify(int index) {
    const session::StagePtr stage = m_workspace.stageAt(index);
    const ComputedStage* known = stage ? find(stage.get()) : nullptr;
    if (!known) {
        emit failed(tr("Verify: choose a computed stage. Run a pass first."));
        return;
    }
    using Checked = tl::expected<CheckedStage, CallError>;
    const QString what = tr("verification of %1").arg(toQString(stage->label()));
    const auto done = [this, stage, release = m_workspace.session()->torchVersion](Checked checked) {
        takeChecked(stage, std::move(checked), release);
    };
    if (known->twin) {
        const session::Compile* compile = m_workspace.compile();
        m_engine.run<CheckedStage>(
            verifyTag, what, this,
            [twin = known->twin, stage, hints = session::symbolHints(*compile)](
                engine::Client& client, const engine::CallOptions& options) -> Checked {
                const auto captured = twin->graph(), derived = stage->graph();
                if (!captured || !derived)
                    return tl::unexpected(CallError{
                        CallError::Kind::Refused, (captured ? derived : captured).error().message, 0, {}});
                const auto reply = engine::verifyDerived(client, **captured, **derived, hints, options);
                if (!reply) return tl::unexpected(reply.error());
                CheckedStage out = checkedStage(*reply);
                if (engine::isClose(*reply)) {
                    out = {};
                    out.verdict.kind = Verdict::Kind::Equal;
                    out.verdict.text = toQString(std::string(engine::closeWords));
                }
                if (out.verdict.kind == Verdict::Kind::Equal)
                    out.verdict.text =
                        tr("Run beside %1: %2").arg(toQString(twin->label()), out.verdict.text);
                return out;
            },
            done);
        return;
    }
    m_engine.run<CheckedStage>(
        verifyTag, what, this,
        [source = sourceOf(*known->root), passes = known->passes,
         mode = known->mode](engine::Client& client, const engine::CallOptions& options) -> Checked {
            wire::VerifyRequest request;
            request.on = runOn(source);
            request.passes = passes;
            request.options = optionsOf(mode, {});
            const auto reply = client.verify(source.text, request, options);
            if (!reply) return tl::unexpected(reply.error());
            return checkedStage(*reply);
        },
        done);
}

void Passes::takeChecked(const session::StagePtr& stage, tl::expected<CheckedStage, CallError> checked,
                         const std::string& release) {
    const auto at = m_computed.find(stage.get());
    if (at == m_computed.end()) return;
    Verdict verdict;
    if (checked) {
        verdict = checked->verdict;
        at->second.differences = checked->differences;
        at->second.parting = checked->parting;
        const std::string apart = engine::releasesApart(m_engine.torchVersion(), release);
        if (!apart.empty())
            verdict.text += (verdict.text.isEmpty() ? QString() : QStringLiteral("; ")) + toQString(apart);
    } else if (checked.error().kind == CallError::Kind::Cancelled ||
               checked.error().kind == CallError::Kind::EngineDied) {
        return;
    } else {
        verdict.kind = Verdict::Kind::Declined;
        verdict.text = toQString(checked.error().message);
        if (at->second.reply)
            for (const std::string& note : at->second.reply->notes)
                verdict.text = toQString(note) + QStringLiteral(". ") + verdict.text;
    }
    const Verdict before = m_workspace.verdict(stage.get());
    verdict.isomorphic = before.isomorphic;
    verdict.twin = before.twin;
    m_workspace.setVerdict(stage, verdict);
    emit verified(m_workspace.indexOf(stage.get()));
}

int Passes::addDerived(ComputedStage derived, int from, Verdict verdict) {
    int replaces = -1;
    for (const auto& [key, known] : m_computed)
        if (known.twin == derived.twin) replaces = std::max(replaces, m_workspace.indexOf(key, true));
    const session::StagePtr stage = derived.stage;
    std::erase_if(m_computed, [&](const auto& entry) {
        return replaces >= 0 && m_workspace.indexOf(entry.first, true) == replaces;
    });
    m_computed.insert_or_assign(stage.get(), std::move(derived));
    const int index = m_workspace.addComputed(stage, from, {}, replaces);
    m_workspace.setVerdict(stage, std::move(verdict));
    return index;
}

} // namespace dynascope::views
