// SPDX-License-Identifier: BSD-3-Clause
//
// The widgets of the bar above a run under CUDA-graph trees.
#pragma once

#include "tests/support/parts.h"
#include "views/replay/live_tree_bar.h"

#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>

namespace dynascope::test {

class LiveTreeParts : public Parts {
public:
    using Parts::Parts;

    [[nodiscard]] QToolButton* startButton() const { return find<QToolButton>("liveTree.start"); }
    [[nodiscard]] QToolButton* pauseButton() const { return find<QToolButton>("liveTree.pause"); }
    [[nodiscard]] QToolButton* callButton() const { return find<QToolButton>("liveTree.call"); }
    [[nodiscard]] QToolButton* markButton() const { return find<QToolButton>("liveTree.mark"); }
    [[nodiscard]] QToolButton* cancelButton() const { return find<QToolButton>("liveTree.cancel"); }
    [[nodiscard]] QComboBox* backend() const { return find<QComboBox>("liveTree.backend"); }
    [[nodiscard]] QSpinBox* iterations() const { return find<QSpinBox>("liveTree.iterations"); }
    [[nodiscard]] QSpinBox* moves() const { return find<QSpinBox>("liveTree.moves"); }
    [[nodiscard]] QSpinBox* hold() const { return find<QSpinBox>("liveTree.hold"); }
    [[nodiscard]] QLabel* stateLabel() const { return find<QLabel>("liveTree.state"); }
};

/// `in(*bar).startButton()`
[[nodiscard]] inline LiveTreeParts in(const views::LiveTreeBar& bar) {
    return LiveTreeParts(bar);
}

} // namespace dynascope::test
