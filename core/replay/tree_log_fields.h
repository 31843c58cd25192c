// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of a part of a tree's run, for documents that hold one.
#pragma once

#include "core/base/codec.h"
#include "core/replay/tree_log.h"

namespace dynascope::wire {

template <>
struct Numbered<replay::StorageId> {
    static constexpr auto last = replay::StorageId{UINT64_MAX};
};
template <>
struct Numbered<replay::TreeValue::Kind> {
    static constexpr auto last = replay::TreeValue::Kind::Opaque;
};
template <>
struct Numbered<replay::OutputClass> {
    static constexpr auto last = replay::OutputClass::New;
};
template <>
struct Numbered<replay::InvariantStatus> {
    static constexpr auto last = replay::InvariantStatus::InputOutlivesRecording;
};
template <>
struct Numbered<replay::MutationCategory> {
    static constexpr auto last = replay::MutationCategory::Other;
};
template <>
struct Numbered<replay::TreeChange::Field> {
    static constexpr auto last = replay::TreeChange::Field::Checkpoints;
};
template <>
struct Numbered<replay::TreeStep::Event> {
    static constexpr auto last = replay::TreeStep::Event::Observe;
};
template <>
struct Numbered<replay::TreeStep::Action> {
    static constexpr auto last = replay::TreeStep::Action::Failed;
};
template <>
struct Numbered<replay::TreeStep::EagerCause> {
    static constexpr auto last = replay::TreeStep::EagerCause::RerecordLimit;
};
template <>
struct Numbered<replay::TreeStep::MutationPath> {
    static constexpr auto last = replay::TreeStep::MutationPath::Slow;
};
template <>
struct Numbered<replay::TreeStep::PathEnd> {
    static constexpr auto last = replay::TreeStep::PathEnd::AllOutputsDead;
};

template <>
struct Row<replay::TreeValue> {
    static auto of(auto& x) { return std::tie(x.kind, x.address, x.storageAddress, x.storage, x.onDevice); }
};
template <>
struct Row<replay::OutputAt> {
    static auto of(auto& x) { return std::tie(x.node, x.index); }
};
template <>
struct Row<replay::MovedInput> {
    static auto of(auto& x) { return std::tie(x.input, x.name, x.recorded, x.now); }
};
template <>
struct Row<replay::CategorizedInput> {
    static auto of(auto& x) { return std::tie(x.input, x.category); }
};
template <>
struct Row<replay::TreeOutput> {
    static auto of(auto& x) {
        return std::tie(x.outputClass, x.alias, x.storageAddress, x.storage, x.cached);
    }
};
template <>
struct Row<replay::TreeChange> {
    static auto of(auto& x) { return std::tie(x.field, x.node, x.key, x.before, x.after); }
};
template <>
struct Row<replay::PoolBlock> {
    static auto of(auto& x) { return std::tie(x.address, x.bytes); }
};

template <>
struct Fields<replay::Overwritten> {
    static constexpr const char* name = "overwritten";
    static void of(auto& f, auto& x) {
        f("message", x.message);
        f("made", x.madeAt);
        f("overwritten", x.overwrittenAt);
        f("made_stack", x.madeStack);
        f("overwritten_stack", x.overwrittenStack);
        f("raises", x.raises);
    }
};

template <>
struct Fields<replay::InvariantCheck> {
    static constexpr const char* name = "check";
    static void of(auto& f, auto& x) {
        f("node", x.node);
        f("status", x.status);
        f("moved", x.moved);
        f("alive", x.alive);
        f("message", x.message);
    }
};

template <>
struct Fields<replay::MutationCheck> {
    static constexpr const char* name = "mutations";
    static void of(auto& f, auto& x) {
        f("category", x.category);
        f("inputs", x.inputs);
        f.optional("message", x.message);
    }
};

template <>
struct Fields<replay::TreeStep> {
    static constexpr const char* name = "step";
    static void of(auto& f, auto& x) {
        f("event", x.event);
        f("action", x.action);
        f("function", x.function);
        f("stack", x.stack);
        f("inputs", x.inputs);
        f("outputs", x.outputs);
        f("node", x.node);
        f("parent", x.parent);
        f("overwritten", x.overwrittenInputs);
        f("path_end", x.pathEnd);
        f("invalidated", x.invalidated);
        f("mutation_path", x.mutationPath);
        f.optional("mutations", x.mutations);
        f("checks", x.checks);
        f("counted", x.countedRerecord);
        f("eager", x.eagerCause);
        f("checkpoints", x.checkpoints);
        f("freed", x.freed);
        f("message", x.message);
        f("error", x.error);
    }
};

template <>
struct Fields<replay::TreeNode> {
    static constexpr const char* name = "node";
    static void of(auto& f, auto& x) {
        f("id", x.id);
        f("parent", x.parent);
        f("function", x.function);
        f("depth", x.depth);
        f("step", x.step);
        f("outputs", x.outputs);
        f("live_after", x.liveAfter);
        f("managed", x.managed);
        f("fixed", x.fixed);
        f("copied", x.copied);
        f("addresses", x.addresses);
        f("aliases", x.aliases);
        f("preserved", x.preserved);
        f("dead_before", x.deadBefore);
        f("dead_after", x.deadAfter);
    }
};

template <>
struct Fields<replay::StepMeasure> {
    static constexpr const char* name = "measure";
    static void of(auto& f, auto& x) {
        f("us", x.us);
        f("verified", x.verified);
        f("difference", x.difference);
        f("pool_bytes", x.poolBytes);
        f("blocks", x.blocks);
    }
};

template <>
struct Fields<replay::TreeLogPart> {
    static constexpr const char* name = "part of a tree's run";
    static void of(auto& f, auto& x) {
        f("first_step", x.firstStep);
        f("first_node", x.firstNode);
        f("steps", x.steps);
        f("changes", x.changes);
        f("nodes", x.nodes);
        f("measures", x.measures);
        f("overwritten", x.overwritten);
        f("end", x.end);
    }
};

} // namespace dynascope::wire
