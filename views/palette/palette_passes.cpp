// SPDX-License-Identifier: BSD-3-Clause
#include "views/palette/palette_passes.h"

#include "core/inductor/compile_passes.h"
#include "views/inductor/pass_texts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

QString detailOf(const inductor::PassRow& row) {
    QString out = phaseText(*row.phase) + QStringLiteral("  ");
    if (row.pass != nullptr && !row.pass->skipped.empty()) return out + toQString(row.pass->skipped);
    const QString words = changeWords(row);
    return out + (words.isEmpty() ? tr("changed nothing") : words);
}

std::vector<PalettePasses::Pass> read(const session::Session& session, const session::Compile& compile) {
    const inductor::CompilePasses passes = inductor::passesOf(session, compile);
    std::vector<PalettePasses::Pass> out;
    for (std::size_t i = 0; i < passes.rows.size(); ++i) {
        const inductor::PassRow& row = passes.rows[i];
        out.push_back({int(i), row.changed(), toQString(row.name()), detailOf(row)});
    }
    std::ranges::stable_partition(out, &PalettePasses::Pass::changed);
    return out;
}

} // namespace

const std::vector<PalettePasses::Pass>& PalettePasses::of(const session::Session& session,
                                                          const session::Compile& compile) {
    std::call_once(m_once, [&] { m_passes = read(session, compile); });
    return m_passes;
}

} // namespace dynascope::views
