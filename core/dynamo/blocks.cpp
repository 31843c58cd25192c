// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/blocks.h"

#include "core/dynamo/describe.h"

#include <algorithm>

namespace dynascope::dynamo {

namespace {

constexpr std::size_t mostBlocks = 64;
constexpr std::uint32_t none = UINT32_MAX;

std::string_view opAt(const Code& code, std::uint32_t instruction) {
    return instruction < code.instructions.size() ? code.instructions[instruction].op : std::string_view();
}

/// All the runs of instructions whose exceptions go to one place make one block. The instruction before them
/// belongs to it: it enters the with block, or stands for the line of `try`.
void spread(const Code& code, Block& block) {
    for (const ExceptionRange& range : code.handlers) {
        if (range.target != block.target) continue;
        block.first = std::min(block.first, range.first);
        block.last = std::max(block.last, range.last);
    }
    if (block.first == 0) return;
    const std::string_view before = opAt(code, block.first - 1);
    if (before == "NOP" || before.starts_with("BEFORE_") || before.ends_with("_WITH")) --block.first;
}

/// The handlers that an exception at `instruction` would go through, the innermost first.
void addFromTable(const Code& code, std::uint32_t instruction, std::vector<Block>& out) {
    bool own = false; // what guards the handler that was just met: it is not being carried out
    const ExceptionRange* range = code.handlerAt(instruction);
    for (std::size_t i = 0; range != nullptr && i < mostBlocks; ++i) {
        const std::string_view op = opAt(code, range->target);
        Block block;
        block.target = range->target;
        block.height = range->depth;
        block.first = range->first;
        block.last = range->last;
        const bool handler = op == "COPY";
        if (op == "PUSH_EXC_INFO") {
            block.kind =
                opAt(code, range->target + 1) == "WITH_EXCEPT_START" ? Block::Kind::With : Block::Kind::Try;
            spread(code, block);
            out.push_back(block);
        } else if (handler && !own) {
            block.kind = Block::Kind::Handler;
            spread(code, block);
            out.push_back(block);
        }
        own = op == "PUSH_EXC_INFO";
        range = code.handlerAt(range->target);
    }
}

/// Whether a jump backward leaves an exception handler: from Python 3.12 on they lie behind the code that
/// they return to.
bool leavesHandler(const Code& code, std::uint32_t jump) {
    constexpr std::uint32_t near = 5;
    for (std::uint32_t i = jump - std::min(jump, near); i < jump; ++i)
        if (code.instructions[i].op == "POP_EXCEPT") return true;
    return false;
}

void addLoops(const Code& code, std::uint32_t instruction, std::vector<Block>& out) {
    const std::size_t before = out.size();
    for (std::uint32_t i = instruction; i < code.instructions.size() && out.size() < mostBlocks; ++i) {
        const std::int32_t target = code.instructions[i].target;
        if (target < 0 || static_cast<std::uint32_t>(target) > instruction) continue;
        const auto first = static_cast<std::uint32_t>(target);
        if (code.instructions[i].op == "JUMP_BACKWARD_NO_INTERRUPT") continue; // awaits
        if (opAt(code, first) != "FOR_ITER" && leavesHandler(code, i)) continue;
        const auto known = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
                                        [first](const Block& block) { return block.first == first; });
        if (known != out.end()) {
            known->last = i;
            continue;
        }
        Block block;
        block.kind = Block::Kind::Loop;
        block.first = first;
        block.last = i;
        out.push_back(block);
    }
}

void addTracked(const Code& code, const FrameState& frame, std::vector<Block>& out) {
    for (const BlockState& tracked : frame.blocks) {
        const auto known = std::find_if(out.begin(), out.end(), [&tracked](const Block& block) {
            return block.target != none && block.target == tracked.target;
        });
        if (known != out.end()) {
            known->tracked = true;
            known->context = tracked.context;
            known->restorable = tracked.context != 0;
            if (tracked.pushedBy != none) known->first = std::min(known->first, tracked.pushedBy);
            continue;
        }
        if (out.size() >= mostBlocks) return;
        const std::string_view op = opAt(code, tracked.pushedBy);
        Block block;
        block.kind = tracked.pushedBy == none                                  ? Block::Kind::Handler
                     : op.ends_with("_WITH") || op.starts_with("LOAD_SPECIAL") ? Block::Kind::With
                                                                               : Block::Kind::Try;
        // A recording may say anything; a block begins before what runs in it.
        block.first = std::min(tracked.pushedBy, frame.instruction);
        block.last = tracked.target != none && tracked.target > 0 ? tracked.target - 1 : frame.instruction;
        block.target = tracked.target;
        block.height = tracked.height;
        block.context = tracked.context;
        block.tracked = true;
        block.restorable = tracked.context != 0;
        out.push_back(block);
    }
}

/// Dynamo's own guess at a loop: a jump to before this instruction, ahead of the next return.
bool jumpsBack(const Code& code, std::uint32_t instruction) {
    for (std::size_t i = std::size_t(instruction) + 1; i < code.instructions.size(); ++i) {
        const Instruction& one = code.instructions[i];
        if (one.op == "RETURN_VALUE" || one.op == "RETURN_CONST") return false;
        if (one.target >= 0 && static_cast<std::uint32_t>(one.target) < instruction) return true;
    }
    return false;
}

/// Below what a with block leaves on the stack lies the function that leaves it.
ValueId contextOnStack(const Recording& recording, const State& state, const FrameState& frame,
                       const Block& block) {
    if (block.height == 0 || block.height > frame.stack.size()) return 0;
    const ValueInfo value = recording.value(state, frame.stack[block.height - 1]);
    return value.kind == "WithExitFunctionVariable" ? value.value("of") : 0;
}

std::uint32_t offsetAt(const Code& code, std::uint32_t instruction) {
    return instruction < code.instructions.size()
               ? static_cast<std::uint32_t>(std::max(code.instructions[instruction].offset, 0))
               : 0;
}

} // namespace

std::string_view blockKindName(Block::Kind kind) {
    switch (kind) {
    case Block::Kind::With:
        return "with";
    case Block::Kind::Try:
        return "try";
    case Block::Kind::Handler:
        return "exception handler";
    case Block::Kind::Loop:
        break;
    }
    return "loop";
}

std::vector<Block> blocksAt(const Recording& recording, const State& state, const FrameState& frame) {
    std::vector<Block> out;
    const Code* code = recording.code(frame.code);
    if (code == nullptr || frame.instruction >= code->instructions.size()) return out;
    addFromTable(*code, frame.instruction, out);
    std::reverse(out.begin(), out.end());
    addTracked(*code, frame, out);
    addLoops(*code, frame.instruction, out);
    for (Block& block : out)
        if (block.kind == Block::Kind::With && block.context == 0)
            block.context = contextOnStack(recording, state, frame, block);
    // What begins earlier lies around what begins later.
    std::stable_sort(out.begin(), out.end(),
                     [](const Block& a, const Block& b) { return a.first < b.first; });
    return out;
}

std::string blockText(const Recording& recording, const State& state, const FrameState& frame,
                      const Block& block) {
    const Code* code = recording.code(frame.code);
    std::string out(blockKindName(block.kind));
    if (code == nullptr) return out;
    if (block.context != 0) out += ' ' + valueText(recording, state, block.context);
    if (block.first < code->instructions.size() && code->instructions[block.first].line != 0)
        out += ", line " + std::to_string(code->instructions[block.first].line);
    out += ", offsets " + std::to_string(offsetAt(*code, block.first)) + " to " +
           std::to_string(offsetAt(*code, block.last));
    if (block.target != none)
        out += ", on an exception to " + std::to_string(offsetAt(*code, block.target)) + " with a stack of " +
               std::to_string(block.height);
    if (block.tracked) out += ", on Dynamo's block stack";
    return out;
}

std::string breakHindrance(const Recording& recording, const State& state) {
    const std::vector<const FrameState*> frames = callStack(state);
    if (frames.empty()) return {};
    const FrameState& root = *frames.back();
    const Code* code = recording.code(root.code);
    const std::vector<Block> blocks = blocksAt(recording, state, root);
    const std::string skipped = "; the frame would not be compiled";
    if (state.graph != 0)
        return "it lies in the body of a higher-order operator, whose graph cannot be cut in two; the "
               "operator "
               "would not be captured";
    if (code != nullptr && jumpsBack(*code, root.instruction))
        return "it lies in a loop, which no resume function can go on with" + skipped;
    for (const Block& block : blocks)
        if (block.kind == Block::Kind::With && block.context != 0) {
            const ValueInfo context = unwrapped(recording, state, block.context);
            if (context.kind.find("Generic") != std::string_view::npos && context.field("type") != nullptr)
                return "it lies in a with block of " + valueText(recording, state, block.context) +
                       ", which cannot be entered a second time" + skipped;
        }
    // The handler of the innermost with block that Dynamo tracks may be in force, and no other.
    const ExceptionRange* range = code != nullptr ? code->handlerAt(root.instruction) : nullptr;
    if (range != nullptr && (root.blocks.empty() || root.blocks.back().target != range->target))
        return "it lies in a try block or in an exception handler, in which no resume function can begin" +
               skipped;
    for (const BlockState& tracked : root.blocks)
        if (tracked.context == 0) return "it lies in a block that cannot be entered a second time" + skipped;
    return {};
}

} // namespace dynascope::dynamo
