// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks that an instruction lies in: with, try, exception handlers, loops.
//
// From Python 3.11 on bytecode has no block stack any more. Dynamo keeps one nevertheless, of the with blocks
// that it could enter again after a graph break; try blocks and handlers follow from the exception table,
// loops from jumps backward. Before, instructions push blocks, and Dynamo's stack holds all but loops.
//
// Source: torch/_dynamo/symbolic_convert.py of PyTorch 2.13 (update_block_stack, enter_ctx,
// should_compile_partial_graph); Objects/exception_handling_notes.txt of CPython 3.11.
#pragma once

#include "core/dynamo/recording.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// A block at one state of one frame. Instructions are indices into the code's; UINT32_MAX is none.
struct Block {
    enum class Kind : std::uint8_t {
        With,
        Try,
        Handler, ///< an exception is being handled: except and finally blocks
        Loop,
    };
    Kind kind = Kind::Try;
    std::uint32_t first = 0,
                  last = 0; ///< of its instructions, those of its own with, for or try statement among them
    std::uint32_t target = UINT32_MAX; ///< where an exception goes to
    std::uint32_t height = 0;          ///< of the value stack that an exception unwinds to
    ValueId context = 0;               ///< of With: the context manager, where it is known
    bool tracked = false;              ///< on Dynamo's own block stack
    bool restorable = false;           ///< tracked, and Dynamo can enter it again after a graph break
};

[[nodiscard]] std::string_view blockKindName(Block::Kind kind);

/// The blocks around a frame's current instruction, the outermost first. 64 at most.
[[nodiscard]] std::vector<Block> blocksAt(const Recording& recording, const State& state,
                                          const FrameState& frame);

/// One line: "with GradModeVariable False, line 7, instructions 12 to 60, on an exception to 70, stack of 1,
/// on Dynamo's block stack".
[[nodiscard]] std::string blockText(const Recording& recording, const State& state, const FrameState& frame,
                                    const Block& block);

/// Why a graph break at this state could not be resumed within its frame because of blocks, one sentence;
/// empty where blocks do not hinder it. In functions that are inlined the root's call would break, so that
/// the root's blocks count.
[[nodiscard]] std::string breakHindrance(const Recording& recording, const State& state);

} // namespace dynascope::dynamo
