// SPDX-License-Identifier: BSD-3-Clause
//
// Several nodes of one stage: those that are chosen, and those that are drawn alone. A part of where the reader
// is, so that back and forward go over it.
#pragma once

#include "core/ir/node_sets.h"
#include "views/workspace/place.h"

namespace dynascope::views::canvas {

/// Nodes of two stages of a compile, as Workspace::stageAt() counts. Copies are values.
struct ChosenNodes {
    struct Of {
        int stage = -1;
        ir::NodeSet nodes;
        friend bool operator==(const Of&, const Of&) = default;
    };
    static constexpr Page page = Page::Stages;
    int capture = -1, compile = -1;
    Of chosen;
    Of drawn;  ///< alone; all where it is empty
    Of beside; ///< those of the other stage; what `drawn` became or came from where it is empty

    friend bool operator==(const ChosenNodes&, const ChosenNodes&) = default;

    /// Each lasts while its stage is on screen.
    void complete(const Place& place, const OpenCapture& /*capture*/) {
        for (Of* part : {&chosen, &drawn, &beside})
            if (place.capture != capture || place.compile != compile || part->nodes.empty() ||
                (place.stageA != part->stage && place.stageB != part->stage))
                *part = {};
        if (drawn == Of()) beside = {};
        if (chosen == Of() && drawn == Of()) *this = {};
    }
    /// Node numbers of what was read again may be others.
    void move(const OpenCapture& /*before*/, const OpenCapture& /*now*/) { *this = {}; }
};

} // namespace dynascope::views::canvas
