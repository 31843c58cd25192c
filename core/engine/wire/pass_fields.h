// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of what "pass" says, for the methods that hold a part of it. Internal to core/engine/wire.
#pragma once

#include "core/base/codec.h"
#include "core/engine/wire/pass.h"

namespace dynascope::wire {

template <>
struct Fields<RunOn> {
    static constexpr const char* name = "inputs";
    static void of(auto& f, auto& x) {
        f.optional("inputs", x.inputs);
        f.optional("attrs", x.attributes);
        f.optional("symbols", x.symbols);
    }
};

template <>
struct Fields<PassOptions> {
    static constexpr const char* name = "options";
    static void of(auto& f, auto& x) {
        f.optional("options", x.options);
        f.optional("remove", x.remove);
        f.optional("write_back", x.writeBack);
        f.optional("faithful", x.faithful);
        f.optional("cells", x.cells);
    }
};

template <>
struct Fields<EmittedNode> {
    static constexpr const char* name = "emitted node";
    static void of(auto& f, auto& x) {
        f.name("node", x.node);
        f("why", x.why);
    }
};

template <>
struct Fields<ChangedNode> {
    static constexpr const char* name = "changed node";
    static void of(auto& f, auto& x) {
        f.name("before", x.before);
        f.name("after", x.after);
        f("why", x.why);
    }
};

template <>
struct Fields<RemovedNode> {
    static constexpr const char* name = "removed node";
    static void of(auto& f, auto& x) {
        f.name("node", x.node);
        f.name("replacement", x.replacement);
        f("why", x.why);
    }
};

template <>
struct Fields<StepPhase> {
    static constexpr const char* name = "phase";
    static void of(auto& f, auto& x) {
        f("phase", x.phase);
        f("nodes", x.nodes);
        f.optional("storage", x.storage);
        f.optional("from", x.from);
        f.optional("to", x.to);
    }
};

template <>
struct Fields<ScoreRow> {
    static constexpr const char* name = "scorecard row";
    static void of(auto& f, auto& x) {
        f("value", x.value);
        f.natural("storage", x.storage);
        f.name("base", x.base);
        f.name("current", x.current);
        f("views", x.views);
        f.natural("generation", x.generation);
        f.natural("storage_generation", x.storageGeneration);
        f.natural("pending_updates", x.pendingUpdates);
        f("stale", x.stale);
        f("regenerated", x.regenerated);
        f("shape", x.shape);
        f("stride", x.stride);
        f("offset", x.offset);
        f.optional("cells", x.cells);
        f.optionalCells("values", x.values);
        f.check("values", x.cells.size() == x.values.size(), "expected one for each of cells");
    }
};

template <>
struct Fields<StorageRow> {
    static constexpr const char* name = "storage row";
    static void of(auto& f, auto& x) {
        f.natural("storage", x.storage);
        f.name("base", x.base);
        f.natural("generation", x.generation);
        f.natural("pending_updates", x.pendingUpdates);
        f.optionalCells("values", x.values);
    }
};

template <>
struct Fields<InverseCall> {
    static constexpr const char* name = "inverse";
    static void of(auto& f, auto& x) {
        f.name("node", x.node);
        f("text", x.text);
    }
};

template <>
struct Fields<QueuedUpdate> {
    static constexpr const char* name = "update";
    static void of(auto& f, auto& x) {
        f.natural("storage", x.storage);
        f.natural("from", x.from);
        f.natural("to", x.to);
        f.name("value", x.value);
        f("views", x.views);
        f("inverse", x.inverse);
    }
};

template <>
struct Fields<StepScorecard> {
    static constexpr const char* name = "scorecard of a step";
    static void of(auto& f, auto& x) {
        f("phases", x.phases);
        f("updates", x.updates);
        f("storages", x.storages);
        f("scorecard", x.scorecard);
    }
};

template <>
struct Fields<StepAliases> {
    static constexpr const char* name = "aliases of a step";
    static void of(auto& f, auto& x) {
        f("alias_groups", x.groups);
        f("mutates_alias_groups", x.mutates);
        f("is_input_alias", x.isInputAlias);
        f("is_input_mutation", x.isInputMutation);
        f("is_mutation", x.isMutation);
        f("partial_mutation", x.partialMutation);
        f.optional("dtype", x.dtype);
        f.optional("device", x.device);
    }
};

template <>
struct Fields<PassStep> {
    static constexpr const char* name = "step";
    static void of(auto& f, auto& x) {
        f("pass", x.pass);
        f("source", x.source);
        f("target", x.target);
        f("end", x.end);
        f.optional("why", x.why);
        f("emitted", x.emitted);
        f.optional("changed", x.changed);
        f.optional("removed", x.removed);
        f.part("scorecard", x.scorecard);
        f.part("alias_groups", x.aliases);
    }
};

template <>
struct Fields<Geometry> {
    static constexpr const char* name = "geometry";
    static void of(auto& f, auto& x) {
        f("shape", x.shape);
        f("stride", x.stride);
        f("offset", x.offset);
    }
};

template <>
struct Fields<WriteBack> {
    static constexpr const char* name = "write-back";
    static void of(auto& f, auto& x) {
        f("input", x.input);
        f("position", x.position);
        f("bytes", x.bytes);
        f("how", x.how);
        f("nodes", x.nodes);
        f("output", x.output);
        f.part("shape", x.geometry);
        f.optional("whole_storage", x.wholeStorage);
        f.optional("shared_with", x.sharedWith);
    }
};

template <>
struct Fields<FunctionalizeSummary> {
    static constexpr const char* name = "functionalize";
    static void of(auto& f, auto& x) {
        f("method", x.method);
        f("write_back", x.writeBacks);
    }
};

template <>
struct Fields<PassSummary> {
    static constexpr const char* name = "pass";
    static void of(auto& f, auto& x) {
        f("pass", x.pass);
        f("nodes_before", x.nodesBefore);
        f("nodes_after", x.nodesAfter);
        f("time_us", x.microseconds);
        f("warnings", x.warnings);
        f("notes", x.notes);
        f("provenance", x.provenance);
        f.part("method", x.functionalize);
        f.optional("mutations_left", x.mutationsLeft);
    }
};

template <>
struct Fields<RunDifference> {
    static constexpr const char* name = "difference";
    static void of(auto& f, auto& x) {
        f("aspect", x.aspect);
        f("text", x.text);
    }
};

template <>
struct Fields<PassRequest> {
    static constexpr const char* name = "pass request";
    static void of(auto& f, auto& x) {
        Fields<RunOn>::of(f, x.on);
        f("passes", x.passes);
        Fields<PassOptions>::of(f, x.options);
        f.optional("runs", x.runs, 1);
        f.optional("scorecard", x.scorecard);
        f.optional("verify", x.verify);
        f.optional("shapes", x.shapes);
    }
};

template <>
struct Fields<PassReply> {
    static constexpr const char* name = "pass reply";
    static void of(auto& f, auto& x) {
        f("graph", x.graph);
        f.object("attrs", x.attributes);
        f.optional("meta", x.meta);
        f("nodes_before", x.nodesBefore);
        f("nodes_after", x.nodesAfter);
        f("median_us", x.medianMicroseconds);
        f("warnings", x.warnings);
        f("notes", x.notes);
        f("verified", x.verified);
        f.optional("differences", x.differences);
        f.optional("deviations", x.deviations);
        f("passes", x.passes);
        f("steps", x.steps);
    }
};

} // namespace dynascope::wire
