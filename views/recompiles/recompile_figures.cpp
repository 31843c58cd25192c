// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/compile_counts.h"
#include "views/recompiles/recompile_texts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

std::vector<FigureRow::Figure> recompileFigures(const session::Session& session,
                                                const std::vector<dynamo::FrameCache>& caches,
                                                const Colours& c) {
    std::size_t made = 0, refused = 0, most = 0;
    double seconds = 0, all = 0;
    for (const dynamo::FrameCache& cache : caches) {
        seconds += cache.seconds;
        most = std::max(most, cache.entries);
        for (const dynamo::Recompile& recompile : cache.recompiles)
            ++(recompile.refused ? refused : made);
    }
    for (const session::Compile& compile : session.compiles)
        all += session::compileTime(compile);
    std::vector<FigureRow::Figure> figures{
        {numberText(made), made == 1 ? tr("recompile") : tr("recompiles"), made > 0 ? c.changed : QColor()},
        {numberText(caches.size()),
         caches.size() == 1 ? tr("frame") : tr("frames"),
         {},
         tr("That were compiled more than once; each rank and run has its own")},
        {numberText(most),
         tr("most entries of one"),
         {},
         tr("At recompile_limit, 8 unless set, calls that no entry serves run eagerly")}};
    if (refused > 0)
        figures.push_back(
            {numberText(refused), tr("refused"), c.removed,
             tr("Calls that no entry served, of code objects whose cache was full: they ran eagerly")});
    if (all > 0) {
        figures.push_back({secondsText(all), tr("compile time")});
        figures.push_back({secondsText(seconds), tr("of it again"), c.changed});
    }
    return figures;
}

} // namespace dynascope::views
