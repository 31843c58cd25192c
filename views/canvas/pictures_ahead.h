// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures that a reader is likely to look at next, made while the present one is looked at.
#pragma once

#include "views/canvas/picture.h"
#include "views/workspace/task_runner.h"

#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace dynascope::views::canvas {

/// Whether makePicture() makes the same of both, but for the width of a scroll bar. Graphs, trees and diffs are the same
/// objects, or not the same.
[[nodiscard]] bool isSamePicture(const PictureRequest& a, const PictureRequest& b);

/// GUI thread only. Works on a TaskRunner of its own, so that who waits for a picture does not wait for these. Keeps
/// those that were made last.
class PicturesAhead {
public:
    static constexpr std::size_t mostKept = 12;

    /// Makes a picture after those that were asked for before; nothing where it was made, or is asked for. Of more
    /// than `mostKept` the oldest is not made.
    void prepare(PictureRequest request);
    /// A picture that somebody else made.
    void keep(PictureRequest request, Picture made);
    /// What was made of such a request; null where it is not known.
    [[nodiscard]] const Picture* find(const PictureRequest& request) const;
    /// Forgets all, since graphs live as long as what is kept here.
    void clear();
    [[nodiscard]] bool isIdle() const { return m_tasks.isIdle(); }

private:
    void prepareNext();

    std::deque<PictureRequest> m_wanted;
    std::optional<PictureRequest> m_making;
    std::deque<std::pair<PictureRequest, Picture>> m_kept;
    TaskRunner m_tasks;
};

} // namespace dynascope::views::canvas
