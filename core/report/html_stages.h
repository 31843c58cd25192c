// SPDX-License-Identifier: BSD-3-Clause
//
// The stages of a compile in an HTML report: each as a picture, a text and the data that the page's script joins them by, and
// what changed from the stage that it was made of. Used by core/report only.
#pragma once

#include "core/diff/graph_diff.h"
#include "core/report/html.h"
#include "core/report/html_parts.h"
#include "core/report/stage_picture.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::report {

/// A graph as text, a node a line.
struct StageText {
    std::string html; ///< escaped
    /// Of each node the letters (UTF-16) of its name, of what stands behind that up to its target, and of its target.
    std::vector<std::size_t> lengths;
    std::vector<std::size_t> places;       ///< of each node, into `lines`; SIZE_MAX where none is known
    std::vector<ir::SourceLocation> lines; ///< of the program, in the order of their first nodes
};
[[nodiscard]] StageText textOf(const ir::Graph& graph);

/// Writes the stages of one compile after the other, as long as there is room.
class StageWriter {
public:
    /// `room`: bytes for all of them.
    StageWriter(const PageContext& page, std::size_t room);
    /// A strip of the stages, then each.
    [[nodiscard]] std::string html(std::size_t compile);
    /// Puts into the page, once all stages are written, what blocks hold, as long as there is room.
    void drawInsides(std::string& html);
    /// Takes some of the room, if there is so much.
    [[nodiscard]] bool take(std::size_t bytes);
    /// Stages without a picture, and those without a text as well, for want of room.
    [[nodiscard]] std::size_t notDrawn() const { return m_notDrawn; }
    [[nodiscard]] std::size_t notWritten() const { return m_notWritten; }

private:
    struct Before {
        std::size_t stage = SIZE_MAX; ///< into Compile::stages
        ir::GraphPtr graph;
        std::optional<diff::GraphDiff> diff;
    };
    struct Naming;
    /// Of a stage whose picture has blocks; where its marker stands in the page, they are drawn.
    struct Insides {
        StagePicture picture;
        std::vector<diff::Change> changes;
    };

    /// Where another compile has the same stages, a sentence that leads there; else empty.
    [[nodiscard]] std::string sameCompile(const session::Compile& compile, const session::NamingPtr& names);
    [[nodiscard]] std::string viewerHtml(const session::Compile& compile, const session::NamingPtr& names);
    [[nodiscard]] std::string stageHtml(const session::Compile& compile, std::size_t stage,
                                        const Naming& naming, std::string& delta);
    /// `attributes` of the figure: where all of it stands already, if it does.
    [[nodiscard]] std::string graphHtml(std::size_t index, const ir::GraphPtr& graph, const Naming& naming,
                                        const Before& before, std::string& attributes);
    [[nodiscard]] std::string codeHtml(const session::Stage& stage);
    const PageContext& m_page;
    std::size_t m_room;
    std::size_t m_compile = 0;
    std::size_t m_first = 0; ///< number of the compile's first stage in the whole page
    std::size_t m_next = 0;
    std::size_t m_notDrawn = 0, m_notWritten = 0;
    std::vector<Insides> m_insides;
    /// Stages that are written, by the digest of all that is in them: other ranks and recompiles have the same.
    std::map<std::array<std::uint8_t, 32>, std::pair<std::size_t, std::string>> m_written;
    std::map<std::array<std::uint8_t, 32>, std::size_t>
        m_compiles; ///< by all of their stages, the first of each
};

/// A card for each compile, and entries for the contents.
[[nodiscard]] std::string compilesHtml(const PageContext& page, StageWriter& stages);
[[nodiscard]] std::string compileEntries(const PageContext& page);

} // namespace dynascope::report
