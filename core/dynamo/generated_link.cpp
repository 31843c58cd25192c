// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/generated_link.h"

#include <algorithm>

namespace dynascope::dynamo {

namespace {

/// The root frame of a compile's last attempt; null for none.
const FrameInfo* rootOf(const Recording& recording, const GeneratedBytecode& code) {
    if (code.role != GeneratedBytecode::Role::Compiled || code.compile >= recording.compiles().size())
        return nullptr;
    const std::uint32_t last = recording.lastAttempt(code.compile);
    if (last == UINT32_MAX || recording.attempts()[last].frames >= recording.frames().size()) return nullptr;
    return &recording.frames()[recording.attempts()[last].frames];
}

/// Finds where the graph of a compiled frame ends: at the last instruction of its root in its last attempt.
void findEnd(const Recording& recording, const GeneratedBytecode& code, GeneratedLink& link) {
    const FrameInfo* frame = rootOf(recording, code);
    if (!frame || frame->last == noStep || frame->code != link.code) return;
    const FrameInfo& root = *frame;
    const std::uint32_t at = recording.steps()[root.last].instruction;
    if (at >= link.original.size()) return;
    link.end = at;
    for (const std::uint32_t index : recording.eventsAt(root.last)) {
        const EventInfo& event = recording.events()[index];
        link.breaks = link.breaks || (event.tag == Tag::GraphEnd && event.graphBreak);
    }
}

/// Generated lines that are instructions of the program, in their order there.
void findOriginals(const GeneratedBytecode& code, GeneratedLink& link) {
    link.originalOf.assign(code.lines.size(), GeneratedLink::none);
    std::size_t from = link.end == GeneratedLink::none ? 0 : link.end;
    for (std::size_t i = 0; i < code.lines.size(); ++i) {
        const BytecodeLine& line = code.lines[i];
        if (line.phase != CodePhase::Original && line.phase != CodePhase::Instruction) continue;
        for (std::size_t k = from; k < link.original.size(); ++k) {
            const BytecodeLine& candidate = link.original[k];
            if (candidate.op != line.op || (line.line != 0 && candidate.line != line.line)) continue;
            link.originalOf[i] = std::uint32_t(k);
            from = k + 1;
            break;
        }
    }
}

void makeRows(GeneratedLink& link) {
    std::size_t left = 0, right = 0;
    const auto row = [&](int a, int b) { link.rows.push_back({a, b}); };
    /// What stands before a pair, side by side.
    const auto fill = [&](std::size_t leftEnd, std::size_t rightEnd) {
        while (left < leftEnd || right < rightEnd) {
            const int a = left < leftEnd ? int(left++) : -1, b = right < rightEnd ? int(right++) : -1;
            row(a, b);
        }
    };
    for (std::size_t i = 0; i < link.originalOf.size(); ++i) {
        if (link.originalOf[i] == GeneratedLink::none) continue;
        fill(link.originalOf[i], i);
        row(int(left++), int(right++));
    }
    fill(link.original.size(), link.originalOf.size());
}

} // namespace

std::pair<std::uint32_t, std::uint32_t> GeneratedLink::standsFor(const GeneratedBytecode& code,
                                                                 std::uint32_t line) const {
    if (line >= originalOf.size()) return {0, 0};
    if (originalOf[line] != none) return {originalOf[line], originalOf[line] + 1};
    if (end == none) return {0, 0};
    const CodePhase phase = code.lines[line].phase;
    if (phase == CodePhase::Unknown || phase == CodePhase::Blocks) return {0, 0};
    // What the resume function gives back is returned as it is.
    if (phase == CodePhase::Resume || (phase == CodePhase::Return && breaks))
        return {end + 1, std::uint32_t(original.size())};
    return {0, breaks ? end : end + 1};
}

std::vector<std::uint32_t> GeneratedLink::became(const GeneratedBytecode& code,
                                                 std::uint32_t instruction) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < originalOf.size(); ++i)
        if (originalOf[i] == instruction) out.push_back(i);
    if (!out.empty() || end == none) return out;
    for (std::uint32_t i = 0; i < originalOf.size(); ++i) {
        const auto [first, last] = standsFor(code, i);
        if (originalOf[i] == none && instruction >= first && instruction < last) out.push_back(i);
    }
    return out;
}

std::uint32_t originalOf(const Recording& recording, const GeneratedBytecode& code) {
    if (code.original != 0) return code.original;
    const FrameInfo* root = rootOf(recording, code);
    return root ? root->code : 0;
}

GeneratedLink linkGenerated(const Recording& recording, const GeneratedBytecode& code) {
    GeneratedLink out;
    out.code = originalOf(recording, code);
    if (const Code* original = recording.code(out.code)) out.original = bytecodeLines(*original);
    findEnd(recording, code, out);
    findOriginals(code, out);
    makeRows(out);
    return out;
}

} // namespace dynascope::dynamo
