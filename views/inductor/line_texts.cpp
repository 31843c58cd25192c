// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/pass_texts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

namespace dynascope::views {

namespace {

using Look = TableCell::Look;

} // namespace

std::vector<TableColumn> lineColumns() {
    return {
        {tr("Pass"), tr("That left the graph, or the phase that began with it"), 240},
        {tr("Phase"), {}, 150},
        {tr("Nodes"), tr("Of the line, in the graph after the pass"), 50, true},
        {tr("Made"), tr("Nodes of the line that it added; in the first graph of a phase, all of them"), 320},
        {tr("Removed"), tr("Nodes of the line that are gone, or that no longer name it"), 320},
        {tr("Changed"), tr("Nodes of the line that compute something else, or from something else"), 320}};
}

std::vector<TableRow> lineRows(const inductor::CompilePasses& passes,
                               const std::vector<inductor::LineStep>& steps) {
    std::vector<TableRow> out;
    for (const inductor::LineStep& step : steps) {
        const bool begins = step.row < 0;
        const QString name =
            begins ? tr("the graph at the beginning") : toQString(passes.rows[std::size_t(step.row)].name());
        out.push_back({{name, begins ? Look::Quiet : Look::Mono},
                       {toQString(step.phase->name) + QStringLiteral(" · ") + toQString(step.phase->graph),
                        Look::Quiet},
                       {QString::number(step.nodes.size()), Look::MonoQuiet},
                       {namesText(step.made), Look::Mono},
                       {namesText(step.gone), Look::MonoQuiet},
                       {namesText(step.changed), Look::Mono}});
    }
    return out;
}

} // namespace dynascope::views
