// SPDX-License-Identifier: BSD-3-Clause
//
// What an inspector says, as data: sections of labelled facts, cards and code. Built by pure functions, shown
// by FactView.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/replay/graph_peak.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QColor>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace dynascope::views {

/// A run of text of one look. `link` says where a click goes, see InspectorPanel::follow.
struct Token {
    enum class Look : std::uint8_t { Text, Strong, Quiet, Mono, MonoQuiet };
    QString text;
    Look look = Look::Text;
    QString link;
    QColor colour = {}; ///< overrides the look's colour
    bool operator==(const Token&) const = default;
};
using Tokens = std::vector<Token>;

struct Fact {
    enum class Kind : std::uint8_t { Labelled, Paragraph, Card, Code };
    Kind kind = Kind::Labelled;
    QString label; ///< Labelled
    Tokens tokens;
    QString toolTip;                          ///< teaches what the label means
    diff::Change change = diff::Change::Same; ///< Card: sign and fill
    int number = 0;                           ///< Code: line number
    bool marked = false;                      ///< Code: the line that matters
    bool operator==(const Fact&) const = default;
};

struct Section {
    QString title;
    std::vector<Fact> facts;
    QString chip;     ///< at the right of the title
    QString chipTone; ///< "added", "removed", "changed", "accent", "write" or empty
    bool open = true;
    bool operator==(const Section&) const = default;
};

/// A whole inspector page.
struct Facts {
    QString title;
    Tokens subtitle;
    QString chip, chipTone;
    QColor stripe;     ///< of the op kind; invalid draws none
    QString icon;      ///< instead of a stripe
    bool good = false; ///< the icon is one of good news
    std::vector<Section> sections;
};

[[nodiscard]] Token text(const QString& text);
[[nodiscard]] Token strong(const QString& text);
[[nodiscard]] Token quiet(const QString& text);
[[nodiscard]] Token mono(const QString& text);
[[nodiscard]] Token link(const QString& text, const QString& target);
[[nodiscard]] Token monoLink(const QString& text, const QString& target);
/// "cap.py:43" that goes to the source.
[[nodiscard]] Token placeLink(const ir::SourceLocation& location);
[[nodiscard]] Fact fact(const QString& label, Tokens tokens, const QString& toolTip = {});
[[nodiscard]] Fact paragraph(Tokens tokens);
/// The stack as paragraphs, innermost last and stronger.
[[nodiscard]] std::vector<Fact> stackFacts(const ir::StackTrace& stack);

/// Why a compile was made again: a card for each cache entry that was asked, with what its guard expected and
/// what the call had, the line that added the guard, and a way out. No facts where the capture gives no
/// reason.
[[nodiscard]] Section recompileSection(const session::Session& session, const session::Compile& compile);

/// What a graph holds when it holds most.
struct HeldAtPeak {
    replay::GraphPeak peak;
    std::size_t unknown = 0; ///< storages of unknown size, which `peak` leaves out
};

struct NodeFactsInput {
    Side side = Side::A;
    ir::NodeIndex node = 0;
    const ir::Graph* graph = nullptr;
    const ir::Graph* other = nullptr; ///< the other side's, or null
    const diff::GraphDiff* diff = nullptr;
    QString stage, otherStage; ///< labels
    /// Of `graph`, by node: the qualified names of parameters and buffers, as layout::stateNames(); null while
    /// they are not known.
    const std::vector<std::string>* names = nullptr;
    const std::vector<std::string>* inputs = nullptr; ///< likewise, as layout::GroupTree::inputNames
    const HeldAtPeak* peak = nullptr;                 ///< of `graph`; null while it is not known
};
/// What is held with this node when the graph holds most; no facts where the node is not. Expects `peak`.
[[nodiscard]] Section peakSection(const NodeFactsInput& input);
[[nodiscard]] Facts nodeFacts(const NodeFactsInput& input, const Colours& colours);
[[nodiscard]] Facts compileFacts(const Workspace::Capture& capture, std::size_t compile);
[[nodiscard]] Facts captureFacts(const Workspace::Capture& capture);

} // namespace dynascope::views
