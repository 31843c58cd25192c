// SPDX-License-Identifier: BSD-3-Clause
//
// Side effects of a graph: the objects that Dynamo tracks, which of them it takes for changed and why, which
// it forgets, and how generated code makes the changes real. PyTorch works in two phases: first new objects
// are built and all new contents are loaded, then everything is stored, beginning with the object that was
// tracked last. What is expected here follows from the tracked objects alone, and is compared with the
// bytecode that was generated.
//
// Source: torch/_dynamo/side_effects.py of PyTorch 2.13 (is_modified, prune_dead_object_new,
// codegen_save_tempvars, codegen_update_mutated).
#pragma once

#include "core/dynamo/recording.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// A store that waits for the end of the graph.
struct PendingStore {
    std::string name; ///< of the attribute or global; "cell_contents"
    ValueId value = 0;
    bool instanceDict = false; ///< goes around descriptors
    bool deleted = false;
};

struct TrackedObject {
    ValueId value = 0;
    std::string kind;     ///< class of the tracker, "ListVariable"
    std::string type;     ///< class of a user's object
    std::string mutation; ///< "ValueMutationExisting"; empty for immutable ones
    std::string source;   ///< "L['x']"; empty for objects that the frame made
    std::string cell;     ///< name of a cell of the frame
    std::string base;     ///< tracker of what a subclass of list, dict, tuple holds
    std::vector<PendingStore> stores;
    std::vector<StackEntry> changedAt; ///< the user's lines that changed it last, the innermost is last
    int scope = 0;            ///< 0 existed, 1 made in the frame, more in a higher-order operator's body
    bool flag = false;        ///< a container whose contents were changed
    bool baseChanged = false; ///< contents of the base are new or changed
    bool user = false;        ///< of a class that PyTorch does not know by itself
    bool ownSetattr = false;  ///< its class defines __setattr__
    bool live = true;         ///< still reachable; others are forgotten

    bool modified = false; ///< as the rules say
    std::string why;       ///< one sentence

    [[nodiscard]] bool isNew() const { return mutation.ends_with("New"); }
};

/// Sets modified and why from the other fields.
void judge(TrackedObject& object);

/// What generated code does for one object, in one go.
struct ReplayStep {
    enum class Phase : std::uint8_t { Build, Load, Store };
    Phase phase = Phase::Load;
    std::size_t object = SIZE_MAX;     ///< index into SideEffectReport::objects; none if it is not among them
    std::string text;                  ///< "L['l'][:] = its new items"
    std::vector<std::string> expected; ///< instructions, in this order, others between them; "A|B" is either
    std::vector<std::string> generated; ///< "OP argument"
    bool agrees = true;
};

/// Of one graph's end.
struct SideEffectReport {
    std::uint32_t attempt = 0;
    StepIndex step = noStep;
    std::vector<TrackedObject>
        objects;               ///< new, changed, or with pending stores; in the order they were tracked
    std::size_t untouched = 0; ///< that existed and stayed as they were
    std::vector<ReplayStep>
        steps; ///< in the order in which they are carried out; none if nothing was generated
    std::vector<std::string> faults; ///< where rules and generated code part
};

/// One for each graph's end that had something to do.
[[nodiscard]] std::vector<SideEffectReport> sideEffects(const Recording& recording);

/// A change that a higher-order operator's body must not make.
struct RefusedEffect {
    std::uint32_t event = 0; ///< index into Recording::events()
    StepIndex step = noStep;
    std::string object; ///< what was to be changed, as Dynamo words it
    StackEntry place;   ///< the user's line
    std::string called; ///< the frame that called the operator: "f FILE:LINE"; empty where unknown
    std::string text;   ///< why it is refused
    std::vector<std::string> waysOut;
};

/// Changes to objects from outside, made in branches of torch.cond, bodies of loops and the like.
[[nodiscard]] std::vector<RefusedEffect> refusedEffects(const Recording& recording);

} // namespace dynascope::dynamo
