// SPDX-License-Identifier: BSD-3-Clause
//
// The pool of a run of CUDA-graph trees after a step: its blocks by address, what the step took marked.
#pragma once

#include "views/replay/tree_walk.h"
#include "views/theme/theme.h"

#include <QWidget>

namespace dynascope::views {

/// GUI thread only. Follows a walk; of no height where nothing was measured.
class PoolStrip : public QWidget {
    Q_OBJECT
public:
    PoolStrip(TreeWalk& walk, Theme& theme, QWidget* parent = nullptr);

    /// "pool 96 KiB, 12 blocks of 41 KiB"; empty where nothing was measured.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    void follow();
    [[nodiscard]] const replay::StepMeasure* measure(std::size_t before) const;
    [[nodiscard]] QRectF rectOf(const replay::PoolBlock& block) const;

    TreeWalk& m_walk;
    Theme& m_theme;
    const void* m_run = nullptr;
    std::size_t m_looked = 0;               ///< steps whose blocks are within the range
    replay::Address m_begin = 0, m_end = 0; ///< of all blocks so far
};

} // namespace dynascope::views
