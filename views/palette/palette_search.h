// SPDX-License-Identifier: BSD-3-Clause
//
// What the palette finds: actions, nodes, modules and parameters of the current compile's stages, source lines, and the frames, graph
// breaks and notes of every capture; and what Inductor's passes of the current compile were recorded.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"
#include "views/palette/palette_kernels.h"
#include "views/palette/palette_match.h"
#include "views/palette/palette_passes.h"

#include <QKeySequence>
#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

namespace dynascope::views {

enum class PaletteKind : std::uint8_t { Node, Module, Action, Source, Frame, Note, Pass };
inline constexpr std::size_t paletteKinds = 7;

struct PaletteAction {
    QString id, title, menu, icon;
    QKeySequence key;
    QString needs = {}; ///< what it lacks now; empty where it can be chosen
};

/// One reason why graphs of a capture were cut.
struct PaletteBreak {
    int capture = -1, group = -1; ///< into Workspace::captures() and BreakSummary::groups
    QString reason, detail;
};

/// A note or a bookmark.
struct PaletteNote {
    int capture = -1;
    ir::Address address;
    QString text, place; ///< what was written, where; a bookmark alone has no text
};

/// A snapshot of everything that can be found. Immutable and shared with the search thread.
struct PaletteData {
    std::vector<PaletteAction> actions;
    std::vector<session::SessionPtr> sessions;
    std::vector<PaletteBreak> breaks;
    std::vector<PaletteNote> notes;
    int capture = -1, compile = -1, stageA = -1, stageB = -1; ///< the current place
    std::vector<session::StagePtr> stages; ///< of this compile, computed ones too; null for a removed one
    QStringList recent;                    ///< PaletteHit::id, newest first
    std::shared_ptr<PaletteKernels> kernels = std::make_shared<PaletteKernels>();
    std::shared_ptr<PalettePasses> passes = std::make_shared<PalettePasses>();
};

struct PaletteHit {
    PaletteKind kind = PaletteKind::Action;
    QString id; ///< stable: what "recent" remembers
    QString title, detail, icon;
    QKeySequence key;
    std::vector<std::pair<int, int>> ranges; ///< of `title`
    MatchRank rank = MatchRank::Prefix;
    int capture = -1, compile = -1, stage = -1;
    std::uint32_t node = 0; ///< Node, Module: index in its stage's graph
    int breakGroup = -1;    ///< Frame: a reason of a graph break rather than a frame
    QString file;           ///< Source; empty for a line of generated code, of `stage`
    int line = 0;
    int pass = -1;       ///< Pass: into inductor::CompilePasses::rows of its compile
    ir::Address address; ///< Note
    QString needs;       ///< Action: why it cannot be chosen now, or empty
};

struct PaletteResult {
    std::vector<PaletteHit> hits;         ///< grouped by kind, best first in each group
    std::size_t found[paletteKinds] = {}; ///< per kind, before the lists were cut
    double milliseconds = 0;
};

/// The kind a query narrows to ('>' actions, '@' nodes, '%' modules, '/' source, '#' frames, '*' notes,
/// '~' passes), or nothing.
[[nodiscard]] std::optional<PaletteKind> paletteKind(const QString& query);
[[nodiscard]] QChar palettePrefix(PaletteKind kind);

/// Pure apart from reading graphs; ends early when cancelled. An empty query lists what was used recently,
/// then frames and actions.
[[nodiscard]] PaletteResult searchPalette(const PaletteData& data, const QString& query,
                                          const TaskContext& task = {});

} // namespace dynascope::views
