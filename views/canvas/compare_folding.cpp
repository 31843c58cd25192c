// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CompareView that opens and closes blocks.
#include "views/canvas/compare_private.h"

#include <algorithm>

namespace dynascope::views {

using canvas::GraphCanvas;
using canvas::PaneSource;

void CompareView::Private::fold(Slot slot, layout::GroupId group, bool open) {
    const auto set = [open](PaneSource& source, layout::GroupId id) {
        if (open)
            source.open.insert(id);
        else
            source.open.erase(id);
    };
    const ScenePath path = pathOf(slot, group);
    if (path.empty()) return;
    lastActive = &canvasOf(slot);
    if (slot == Slot::Merged) {
        if (knownMerged) set(*knownMerged, group);
    } else {
        const std::optional<PaneSource> own = sourceOf(slot == Slot::A ? Side::A : Side::B);
        if (!own || !own->tree) return;
        PaneSource changed = *own;
        set(changed, group);
        remember(changed);
        // The block of the same path on the other side opens along.
        std::optional<PaneSource> other = sourceOf(slot == Slot::A ? Side::B : Side::A);
        if (linked && other && other->tree) {
            const auto& groups = other->tree->groups;
            const auto at = std::find_if(groups.begin(), groups.end(),
                                         [&path](const layout::Group& g) { return g.path == path; });
            if (at != groups.end() && at != groups.begin()) {
                set(*other, static_cast<layout::GroupId>(at - groups.begin()));
                remember(*other);
            }
        }
    }
    scheduleRebuild(GraphCanvas::Transition::Fold, '/' + QString::fromStdString(path));
}

CompareView::Private::ScenePath CompareView::Private::pathOf(Slot slot, layout::GroupId group) const {
    const canvas::ScenePtr& scene = canvasOf(slot).scene();
    return scene && group > 0 && group < scene->tree->groups.size() ? scene->tree->groups[group].path
                                                                    : ScenePath();
}

void CompareView::Private::foldAll(bool open) {
    const auto set = [open](PaneSource& source) {
        source.open.clear();
        if (!open || !source.tree) return;
        for (layout::GroupId g = 1; g < source.tree->groups.size(); ++g)
            source.open.insert(g);
    };
    if (effectiveMode() == Mode::Merged) {
        if (knownMerged) set(*knownMerged);
    } else {
        for (const Side side : {Side::A, Side::B}) {
            std::optional<PaneSource> source = sourceOf(side);
            if (!source || !source->tree) continue;
            set(*source);
            remember(*source);
        }
    }
    // What was in the middle stays there.
    scheduleRebuild(GraphCanvas::Transition::Fold, active().middleKey());
}

void CompareView::openAll() {
    d->foldAll(true);
}

void CompareView::closeAll() {
    d->foldAll(false);
}

} // namespace dynascope::views
