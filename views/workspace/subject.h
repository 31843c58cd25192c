// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked about across all stages: where it comes from, and what became of it.
#pragma once

#include "core/ir/graph.h"

#include <cstdint>
#include <string>

namespace dynascope::views {

/// A node, a line of the program or a line of generated code. Stages as Workspace::stageAt counts them.
struct Subject {
    enum class Kind : std::uint8_t { None, Node, Line, Code };
    Kind kind = Kind::None;
    int stage = -1;                ///< Node, Code
    ir::NodeIndex node = ir::npos; ///< Node
    std::string file;              ///< Line
    std::uint32_t line = 0;        ///< Line, Code: from 1
    bool everyCompile = false;     ///< Line: in all compiles of the capture, not only the current one

    [[nodiscard]] static Subject ofNode(int stage, ir::NodeIndex node) {
        return {Kind::Node, stage, node, {}, 0, false};
    }
    [[nodiscard]] static Subject ofLine(std::string file, std::uint32_t line, bool everyCompile) {
        return {Kind::Line, -1, ir::npos, std::move(file), line, everyCompile};
    }
    [[nodiscard]] static Subject ofCode(int stage, std::uint32_t line) {
        return {Kind::Code, stage, ir::npos, {}, line, false};
    }
    [[nodiscard]] bool isEmpty() const { return kind == Kind::None; }
    friend bool operator==(const Subject&, const Subject&) = default;
};

} // namespace dynascope::views
