// SPDX-License-Identifier: BSD-3-Clause
//
// The scorecard in words: as text to copy, and what tooltips say.
#include "views/functionalize/scorecard_view.h"

#include "views/values/value_text.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

QString ScorecardView::toolTipAt(QPoint point) const {
    const computed::Scoreboard& board = m_stepper.scoreboard();
    const auto named = [&](const std::string& node) {
        const computed::FunctionalRecording* recording = m_stepper.recording();
        return recording && recording->isState(node) ? nameOf(*recording, node) : toQString(node);
    };
    for (const Place& place : m_places) {
        const int y = place.y - offset();
        if (point.y() < y || point.y() >= y + place.height) continue;
        const computed::TensorViewState* view =
            place.view >= 0 ? &board.views[std::size_t(place.view)] : nullptr;
        const computed::StorageState* storage = view ? storageOf(view->group)
                                                : place.storage >= 0
                                                    ? &board.storages[std::size_t(place.storage)]
                                                    : nullptr;
        if (!storage) return tr("The views of these storages, and what each holds now");
        const Columns columns = columnsOf(*storage);
        const int slot = columns.first + (point.x() - columns.cells) / std::max(1, columns.cellWidth);
        if (point.x() >= columns.cells && slot < std::min(columns.end(), int(storage->cells.size()))) {
            const computed::Cell& at = storage->cells[std::size_t(slot)];
            QString text =
                tr("Cell %1 of storage %2: %3").arg(at.index).arg(storage->group).arg(cellText(at.value));
            if (at.state == computed::Cell::State::Written && at.changed)
                text += tr(", was %1").arg(cellText(at.before));
            if (!view) return text;
            for (const computed::Cell& cell : view->cells) {
                if (cell.index != at.index) continue;
                if (cell.state == computed::Cell::State::Stale)
                    return text + u'\n' +
                           tr("%1 still holds %2: stale until something reads it")
                               .arg(named(view->value), cellText(cell.value));
                return text;
            }
            return text + u'\n' + tr("%1 does not cover it").arg(named(view->value));
        }
        if (!view) {
            QString text = tr("Storage %1 began as %2. A generation counts its writes; a tensor of an older "
                              "generation is stale.")
                               .arg(storage->group)
                               .arg(named(storage->origin));
            if (storage->cells.empty()) return text;
            const auto [least, most] =
                std::ranges::minmax_element(storage->cells, {}, &computed::Cell::value);
            return text + u'\n' +
                   tr("Its values lie from %1 to %2.").arg(cellText(least->value), cellText(most->value));
        }
        QString text =
            view->chain.empty()
                ? tr("%1 is the base itself").arg(named(view->value))
                : tr("%1 is a view of the base through %2").arg(named(view->value), toQString(view->chain));
        if (view->behind > 0) {
            text += u'\n' + (view->changedBy.empty()
                                 ? tr("Behind its storage")
                                 : tr("Behind since %1 wrote the storage").arg(named(view->changedBy)));
            text += view->nextRead.empty() ? tr("; nothing reads it any more")
                                           : tr("; regenerated when %1 reads it").arg(named(view->nextRead));
        }
        return text;
    }
    return {};
}

QString ScorecardView::plainText() const {
    return toQString(computed::scoreboardText(m_stepper.scoreboard())).trimmed();
}

} // namespace dynascope::views
