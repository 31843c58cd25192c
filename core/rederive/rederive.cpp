// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/rederive.h"

#include "core/base/log.h"
#include "core/engine/cases/metadata_compare.h"
#include "core/engine/client/torch_release.h"
#include "core/ir/empty_like.h"
#include "core/passes/aot/tensorify.h"
#include "core/passes/match_in_order.h"
#include "core/passes/partition/captured_joint.h"
#include "core/ranks/collectives.h"
#include "core/rederive/at_sizes.h"
#include "core/rederive/compile_rounds.h"
#include "core/rederive/device_roles.h"
#include "core/rederive/missed_aliasing.h"
#include "core/rederive/partition_settings.h"
#include "core/rederive/rederive_trace.h"
#include "core/rederive/saved_hooks.h"
#include "core/rederive/split_like.h"
#include "core/session/compiled_by.h"
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace dynascope::engine {

namespace {

using session::Compile;
using session::Stage;
using session::StagePtr;

class CompileDeriver {
public:
    CompileDeriver(const session::Session& session, const Compile& compile, Client* engine,
                   std::vector<RederivedStage>& out, const RederiveLimits& limits, TaskContext task = {})
        : m_session(session)
        , m_engine(engine)
        , m_compile(compile)
        , m_rounds(session, compile)
        , m_hints(session::symbolHints(compile))
        , m_out(out)
        , m_limits(limits)
        , m_task(std::move(task)) {
        m_options.timeout = limits.call;
    }

    void run() {
        const log::Stopwatch all;
        log::write(log::Topic::Rederive, m_compile.id.toString(), " begins");
        for (const StagePtr& stage : m_compile.stages)
            if (!m_task.cancelled() &&
                (stage->name == "aot_joint_graph" || stage->name == "aot_inference_graph")) {
                const log::Stopwatch watch;
                const std::size_t first = m_out.size();
                trace(*stage);
                tell(first, watch);
            }
        for (const StagePtr& forward : m_compile.stages) {
            if (forward->name != "aot_forward_graph" || m_task.cancelled()) continue;
            const StagePtr joint = m_rounds.jointFor(*forward);
            const StagePtr backward = m_rounds.sameRound(*forward, "aot_backward_graph");
            const log::Stopwatch watch;
            const std::size_t first = m_out.size();
            divide(joint, m_rounds.beforeHooks(forward, "aot_forward_graph_pre_saved_tensors_hooks"),
                   backward ? m_rounds.beforeHooks(backward, "aot_backward_graph_pre_saved_tensors_hooks")
                            : nullptr);
            inlineHooks(forward, backward, first);
            tell(first, watch);
        }
        log::write(log::Topic::Rederive, m_compile.id.toString(),
                   m_task.cancelled() ? " was cancelled after " : " ended after ", all.ms(), " ms");
    }

private:
    /// What was derived since `first`, for who reads the log.
    void tell(std::size_t first, const log::Stopwatch& watch) const {
        if (!log::on(log::Topic::Rederive)) return;
        for (std::size_t i = first; i < m_out.size(); ++i) {
            const RederivedStage& row = m_out[i];
            log::write(log::Topic::Rederive, row.compile, ": ", row.stage, row.from.empty() ? "" : " from ",
                       row.from, ": ", rederivedName(row.verdict), ", ", row.matched, " of ", row.nodes,
                       " after ", watch.ms(), " ms", row.reason.empty() ? "" : ": ", row.reason,
                       row.leftOut.empty() ? "" : "; ", row.leftOut);
        }
    }

    /// `first`: of what was derived without them.
    void inlineHooks(const StagePtr& forward, const StagePtr& backward, std::size_t first) {
        const auto hooks = savedHooks(m_session, m_compile, forward->attempt, forward->k,
                                      m_rounds.staticInputs(*forward), m_hints);
        if (!hooks) return;
        for (std::size_t i = first; *hooks && i < m_out.size(); ++i)
            addHooks(**hooks, m_out[i].decisions);
        if (first < m_out.size())
            m_out[first].hooks = *hooks ? (*hooks)->note : "saved-tensors hooks: " + hooks->error().message;
        // They are in the captured graphs, which the split was held against, only where something is packed.
        if (!m_rounds.sameRound(*forward, "aot_forward_graph_pre_saved_tensors_hooks")) return;
        const auto hold = [&](const StagePtr& stage, std::string_view before, const auto& derived) {
            if (!stage) return;
            RederivedStage& out = m_out.emplace_back(begin(*stage, m_rounds.sameRound(*stage, before)));
            const auto captured = stage->graph();
            if (!captured) return decline(out, captured.error().message);
            if (!*hooks) return decline(out, "the hooks are not inlined: " + hooks->error().message);
            compareGraphs(out, **captured, derived(**hooks));
        };
        hold(forward, "aot_forward_graph_pre_saved_tensors_hooks",
             [](const SavedHooks& all) { return all.hooked.forward; });
        hold(backward, "aot_backward_graph_pre_saved_tensors_hooks",
             [](const SavedHooks& all) { return all.hooked.backward; });
    }

    [[nodiscard]] RederivedStage begin(const Stage& stage, const StagePtr& from) const {
        RederivedStage out;
        out.compile = m_compile.id.toString();
        out.rank = m_compile.rank;
        out.attempt = stage.attempt;
        out.stage = stage.label();
        if (from) out.from = from->label();
        return out;
    }

    static void lose(RederivedStage& out, const CallError& error) {
        out.verdict = Rederived::NotDerived;
        out.reason = error.message;
        out.lost = error;
    }

    static void decline(RederivedStage& out, std::string why) {
        out.verdict = Rederived::Declined;
        out.reason = std::move(why);
    }

    /// AOTAutograd's metadata and graph, traced anew by the engine from Dynamo's graph.
    void trace(const Stage& stage) {
        const StagePtr dynamo = m_rounds.sameRound(stage, "dynamo_output_graph");
        RederivedStage out = begin(stage, dynamo);
        const std::string text = m_rounds.metadataText(stage.attempt, stage.k);
        RederivedStage metadata = out;
        metadata.stage = metadataRecord;
        const auto captured = stage.graph();
        const auto source = dynamo ? dynamo->graph() : Result<ir::GraphPtr>(nullptr);
        if (!dynamo)
            decline(out, "the capture holds no graph of Dynamo's");
        else if (!source || !captured)
            decline(out, (source ? captured : source).error().message);
        else if (!m_engine)
            lose(out, {CallError::Kind::NotStarted, "there is no engine", 0, {}});
        else if (m_none)
            lose(out, *m_none);
        else
            traceAt(stage, *source, **captured, text, out, metadata);
        const bool known = !metadata.metadata.is_null();
        if (out.verdict == Rederived::Declined && !known) decline(metadata, out.reason);
        if (out.lost && !known) lose(metadata, *out.lost);
        if (out.lost && out.lost->kind == CallError::Kind::NotStarted) m_none = out.lost;
        if (m_engine && !out.lost && dynamo && source && captured && stage.name == "aot_inference_graph")
            out.missedGuard =
                missedGuard(*m_engine, m_compile, **source, **captured, text, m_hints, m_options);
        const StagePtr run = stage.name == "aot_inference_graph" ? m_rounds.sameRound(stage, stage.name)
                                                                 : m_rounds.forwardOf(stage);
        const auto compiled = run ? run->graph() : Result<ir::GraphPtr>(nullptr);
        if (m_engine && out.missedGuard.empty() && !out.lost && dynamo && source && compiled && *compiled)
            out.missedGuard = missedAliasing(*m_engine, m_compile, **source, **compiled, m_hints, m_options);
        if (!text.empty() || metadata.verdict == Rederived::Alone) m_out.push_back(std::move(metadata));
        m_out.push_back(std::move(out));
    }

    void traceAt(const Stage& stage, const ir::GraphPtr& dynamo, const ir::Graph& captured,
                 const std::string& metadataOf, RederivedStage& out, RederivedStage& metadata) {
        const int rounds = m_hints.empty() ? 1 : 3;
        // A setting of the backend, and nothing that could be derived.
        const auto said = passes::aot::readMetadataText(metadataOf);
        const bool keepsWrites = !said || said->meta.inputs.empty() || said->keepInputMutations;
        const double elements = elementsAt(captured, m_hints);
        for (int times = 1; times <= rounds; ++times) {
            const auto scaled = scaledSizes(m_hints, times, *dynamo, captured);
            if (!scaled || (times > 1 && !guardsAllow(m_compile, *scaled))) return;
            const ir::SymbolValues& sizes = *scaled;
            const std::string at = std::to_string(times) + " times the captured sizes";
            CallOptions options = m_options;
            if (times > 1) {
                options.timeout = std::min(m_limits.call, m_limits.scaled);
                const double estimate =
                    out.microseconds * elementsAt(captured, sizes) / std::max(elements, 1.0);
                const std::chrono::duration<double, std::micro> most = options.timeout;
                if (estimate > most.count()) {
                    out.leftOut = "not derived at " + at + ": by the time at the captured ones that takes " +
                                  std::to_string(std::llround(estimate / 1e6)) + " s";
                    return;
                }
            }
            const bool joint = stage.name == "aot_joint_graph";
            const auto traced =
                traceDynamoGraph(*m_engine, m_compile, dynamo, sizes, joint, keepsWrites, options);
            if (!traced && times > 1 && traced.error().kind == CallError::Kind::TimedOut) {
                out.leftOut = "not derived at " + at + ": " + traced.error().message;
                return;
            }
            // Sizes of our choice may break what the program takes for granted.
            if (!traced && isLost(traced.error())) return lose(out, traced.error());
            if (!traced && times > 1) return;
            if (!traced) return decline(out, traced.error().message);
            const NumberValues numbers = numberValues(m_compile, captured, *traced);
            const auto expected = atHints(captured, sizes, numbers);
            if (!expected) return decline(out, expected.error().message);
            const ir::GraphPtr want = withoutDeadNodes(*expected);
            const WithDevices got =
                withDevicesOf(*want, atHints(*traced->traced.graph, sizes).value_or(traced->traced.graph));
            if (times == 1) {
                out.microseconds = traced->microseconds;
                compareMetadata(metadataOf, traced->metadata, captured, metadata);
            }
            compareGraphs(out, *want, got.graph);
            if (traced->traced.joint != joint) {
                out.verdict = Rederived::Different;
                out.reason = std::string("the captured graph is of ") + (joint ? "training" : "inference") +
                             ", the derived one of " + (joint ? "inference" : "training");
                return;
            }
            if (got.areMerged && out.verdict == Rederived::Isomorphic) {
                out.verdict = Rederived::Different;
                out.reason = "but for devices the graphs are the same; that the engine derives on the CPU "
                             "alone what the capture has on " +
                             listed(got.captured);
            }
            if (out.verdict == Rederived::Different) {
                if (times > 1) out.reason += " (at " + at + ")";
                return judgeNumbers(*want, *got.graph, sizes, out);
            }
            if (joint && m_hints.empty() && numbers.empty())
                m_joints[{stage.attempt, stage.k}] =
                    withNotesOf(*want, *withDevicesOf(*want, traced->traced.graph).graph);
        }
    }

    static std::string listed(const std::set<std::string>& names) {
        std::string out;
        for (const std::string& name : names)
            out += (out.empty() ? "" : name == *names.rbegin() ? " and " : ", ") + name;
        return out;
    }

    /// The policy of a selective checkpoint is Python's; what it decided is noted in the captured graph,
    /// which has the same nodes in the same order.
    static ir::GraphPtr withNotesOf(const ir::Graph& captured, const ir::Graph& derived) {
        ir::GraphBuilder builder = ir::emptyLike(derived);
        for (ir::NodeIndex i = 0; i < derived.size(); ++i) {
            if (captured.node(i).note == derived.node(i).note) {
                builder.add(derived.nodes()[i]);
                continue;
            }
            ir::Node noted = derived.node(i);
            noted.note = captured.node(i).note;
            builder.add(std::move(noted));
        }
        return builder.build();
    }

    /// What differs may still compute the same.
    void judgeNumbers(const ir::Graph& captured, const ir::Graph& derived, const ir::SymbolValues& sizes,
                      RederivedStage& out) const {
        const NumericalComparison numbers =
            compareNumerically(*m_engine, captured, derived, sizes, m_options);
        if (numbers.lost) return lose(out, *numbers.lost);
        if (numbers.outcome == NumericalComparison::Outcome::Equal) {
            out.verdict = Rederived::Equivalent;
            out.reason += "; run side by side on the same made-up inputs: " +
                          (numbers.reason.empty() ? "the results agree" : numbers.reason) +
                          aloneWords(captured);
        } else if (const auto other = otherDevice(captured);
                   numbers.outcome == NumericalComparison::Outcome::Unknown && other) {
            decline(out, "what PyTorch has for " + *other +
                             " differs from what it has for the CPU, and the numbers do not tell (" +
                             numbers.reason + "); first difference: " + out.reason);
        } else if (numbers.outcome == NumericalComparison::Outcome::Unknown && byInductor(m_compile)) {
            decline(out, "Inductor decomposes before it traces, and the numbers do not tell (" +
                             numbers.reason + "); first difference: " + out.reason);
        } else if (!numbers.reason.empty()) {
            out.reason += "; run side by side: " + numbers.reason + aloneWords(captured);
        }
    }

    static std::string aloneWords(const ir::Graph& graph) {
        const std::string alone = ranks::aloneText(graph);
        return alone.empty() ? alone : "; " + alone;
    }

    /// A device of the captured graph that the engine does not have.
    static std::optional<std::string> otherDevice(const ir::Graph& captured) {
        for (const std::string& device : devicesOf(captured))
            if (device != "cpu") return device;
        return std::nullopt;
    }

    static void compareMetadata(const std::string& text, const nlohmann::json& derived,
                                const ir::Graph& graph, RederivedStage& out) {
        out.metadata = derived;
        if (text.empty()) {
            out.verdict = Rederived::Alone;
            out.reason =
                "the capture has none to compare with; the engine derives: " + mutationWords(derived, graph);
            return;
        }
        const auto captured = passes::aot::readMetadataText(text);
        if (!captured) return decline(out, captured.error().message);
        const std::vector<MetadataField> fields = metadataFields(*captured, derived);
        const std::vector<std::string> differences = metadataDifferences(fields);
        out.nodes = fields.size();
        out.matched = out.nodes - std::min(out.nodes, differences.size());
        if (differences.empty()) return;
        out.verdict = Rederived::Different;
        out.reason = differences.front();
        if (differences.size() > 1)
            out.reason += ", and " + std::to_string(differences.size() - 1) + " more fields";
    }

    void divide(const StagePtr& joint, const StagePtr& forward, const StagePtr& backward) {
        const auto declineBoth = [&](const std::string& why) {
            for (const StagePtr& stage : {forward, backward})
                if (stage) decline(m_out.emplace_back(begin(*stage, joint)), why);
        };
        if (!joint) return declineBoth("the capture holds no joint graph");
        auto graph = joint->graph();
        if (!graph) return declineBoth(graph.error().message);
        const auto derived = m_joints.find({joint->attempt, joint->k});
        const bool traced = joint->name == "aot_joint_graph" && derived != m_joints.end();
        if (traced) graph = derived->second;
        const std::vector<std::size_t> parameters = m_rounds.staticInputs(*forward);
        const auto start = std::chrono::steady_clock::now();
        const bool hasFloats =
            !traced && joint->name == "aot_joint_graph" && graph && hasSymbolicFloats(**graph);
        if (hasFloats) {
            const auto tensors = passes::aot::tensorifyScalars(**graph, floatValues(m_compile));
            if (!tensors)
                return declineBoth("PyTorch makes tensors of symbolic floats before it splits the joint "
                                   "graph, which is not derived: " +
                                   tensors.error().message);
            graph = *tensors;
        }
        const auto described = passes::partition::capturedJoint(*graph, m_hints, parameters);
        if (!described) return declineBoth(described.error().message);
        const passes::partition::Config settings = partitionSettings(m_session, m_compile, forward->attempt);
        const auto split =
            splitLike(*described, forward, byInductor(m_compile) ? nullptr : backward, settings);
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
        if (!split) return declineBoth(split.error().message);
        const StagePtr from = traced ? m_rounds.sameRound(*joint, "dynamo_output_graph") : joint;
        const std::size_t first = m_out.size();
        compare(joint, from, *forward, split->parts.forward);
        m_out.back().decisions = split->parts.decisions;
        m_out.back().microseconds = took.count();
        m_out.back().leftOut = split->how;
        if (backward) compare(joint, from, *backward, split->parts.backward);
        m_out.back().leftOut = split->how;
        for (std::size_t i = first; i < m_out.size(); ++i)
            if (settings.memoryBudget < 1 && m_out[i].verdict == Rederived::Different)
                decline(
                    m_out[i],
                    "activation_memory_budget was below 1, and the capture does not say how the budget was "
                    "solved, or by what runtimes; first difference: " +
                        m_out[i].reason);
    }

    void compare(const StagePtr& joint, const StagePtr& from, const Stage& stage,
                 const ir::GraphPtr& derived) {
        RederivedStage& out = m_out.emplace_back(begin(stage, from));
        const auto captured = stage.graph();
        if (!captured) return decline(out, captured.error().message);
        compareGraphs(out, **captured, derived);
        if (out.verdict == Rederived::Different && m_rounds.metadataText(stage.attempt, stage.k).empty())
            return decline(
                out,
                "the capture has no metadata of AOTAutograd's, which says which inputs are static and so "
                "cost nothing to save; first difference: " +
                    out.reason);
        if (out.verdict == Rederived::Different && joint->name == "aot_joint_graph" && byInductor(m_compile))
            decline(out,
                    "Inductor changed the joint graph before it was split, and the capture does not hold "
                    "what came of it; first difference: " +
                        out.reason);
    }

    static void compareGraphs(RederivedStage& out, const ir::Graph& captured, const ir::GraphPtr& derived) {
        passes::OrderedMatch match = passes::matchInOrder(captured, *derived);
        out.verdict = match.same ? Rederived::Isomorphic : Rederived::Different;
        out.reason = std::move(match.difference);
        out.nodes = captured.size();
        out.matched = match.matched;
        out.captured = std::move(match.expected);
        out.got = std::move(match.got);
        out.derived = derived;
        if (match.same) return;
        if (match.matched < captured.size()) out.node = captured.nodes()[match.matched]->name;
        if (match.matched < derived->size()) out.nodeGot = derived->nodes()[match.matched]->name;
    }

    const session::Session& m_session;
    Client* m_engine;
    const Compile& m_compile;
    CompileRounds m_rounds;
    ir::SymbolValues m_hints;
    /// Joint graphs derived as PyTorch has them, by attempt and number.
    std::map<std::pair<int, int>, ir::GraphPtr> m_joints;
    std::vector<RederivedStage>& m_out;
    RederiveLimits m_limits;
    CallOptions m_options; ///< of calls at the captured sizes
    TaskContext m_task;
    std::optional<CallError> m_none; ///< why there is no engine
};

void nameVersions(const session::Session& session, Client* engine, std::vector<RederivedStage>& stages) {
    // One that was lost is not started again for this.
    if (!engine || !engine->running() || stages.empty()) return;
    const auto info = engine->start();
    if (!info) return;
    const std::string apart = releasesApart(info->torch, session.torchVersion);
    for (RederivedStage& stage : stages)
        if (stage.verdict != Rederived::NotDerived && stage.verdict != Rederived::Alone)
            stage.versions = apart;
}

} // namespace

std::vector<RederivedStage> rederive(const session::Session& session, Client* engine,
                                     const RederiveLimits& limits) {
    std::vector<RederivedStage> out;
    for (const Compile& compile : session.compiles)
        CompileDeriver(session, compile, engine, out, limits).run();
    nameVersions(session, engine, out);
    return out;
}

std::vector<RederivedStage> rederive(const session::Session& session, std::size_t compile, Client* engine,
                                     const TaskContext& task, const RederiveLimits& limits) {
    std::vector<RederivedStage> out;
    if (compile < session.compiles.size())
        CompileDeriver(session, session.compiles[compile], engine, out, limits, task).run();
    nameVersions(session, engine, out);
    return out;
}

} // namespace dynascope::engine
