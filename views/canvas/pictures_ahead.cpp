// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/pictures_ahead.h"

#include <algorithm>
#include <cmath>

namespace dynascope::views::canvas {

namespace {

const QString aheadTag = QStringLiteral("canvas.ahead");

constexpr double scrollBar = 24; ///< pixels: bars come and go with what is shown, and change little

bool isSameRoom(const QSizeF& a, const QSizeF& b) {
    return a.isEmpty() == b.isEmpty() && (a.isEmpty() || (std::abs(a.width() - b.width()) <= scrollBar &&
                                                          std::abs(a.height() - b.height()) <= scrollBar));
}

bool isSamePane(const std::optional<PaneSource>& a, const std::optional<PaneSource>& b) {
    if (!a || !b) return !a && !b;
    return a->graph == b->graph && a->tree == b->tree && a->open == b->open && a->naming == b->naming &&
           isSameRoom(a->room, b->room) && a->only == b->only && a->kernels == b->kernels &&
           a->stage == b->stage;
}

} // namespace

bool isSamePicture(const PictureRequest& a, const PictureRequest& b) {
    return isSamePane(a.a, b.a) && isSamePane(a.b, b.b) && a.beside == b.beside && a.merged == b.merged &&
           isSamePane(a.mergedPane, b.mergedPane) && a.diff == b.diff && a.aligned == b.aligned;
}

void PicturesAhead::prepare(PictureRequest request) {
    const auto same = [&request](const PictureRequest& other) { return isSamePicture(request, other); };
    if (find(request) || (m_making && same(*m_making)) || std::ranges::any_of(m_wanted, same)) return;
    m_wanted.push_back(std::move(request));
    if (m_wanted.size() > mostKept) m_wanted.pop_front();
    if (!m_making) prepareNext();
}

void PicturesAhead::prepareNext() {
    if (m_wanted.empty()) return;
    m_making = std::move(m_wanted.front());
    m_wanted.pop_front();
    m_tasks.run<Picture>(
        aheadTag, nullptr,
        [request = *m_making](const TaskContext& task) { return makePicture(request, task); },
        [this](Picture made) {
            if (made.complete) keep(std::move(*m_making), std::move(made));
            m_making.reset();
            prepareNext();
        });
}

void PicturesAhead::keep(PictureRequest request, Picture made) {
    std::erase_if(m_kept, [&request](const auto& kept) { return isSamePicture(kept.first, request); });
    m_kept.emplace_back(std::move(request), std::move(made));
    if (m_kept.size() > mostKept) m_kept.pop_front();
}

const Picture* PicturesAhead::find(const PictureRequest& request) const {
    const auto at = std::ranges::find_if(
        m_kept, [&request](const auto& kept) { return isSamePicture(kept.first, request); });
    return at == m_kept.end() ? nullptr : &at->second;
}

void PicturesAhead::clear() {
    m_tasks.cancel(aheadTag);
    m_making.reset();
    m_wanted.clear();
    m_kept.clear();
}

} // namespace dynascope::views::canvas
