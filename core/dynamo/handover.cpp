// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/handover.h"

#include <algorithm>
#include <array>

namespace dynascope::dynamo {

namespace {

enum class Access { None, Read, Write };

Access accessOf(std::string_view op) {
    const auto holds = [op](std::string_view word) { return op.find(word) != std::string_view::npos; };
    if (!holds("_FAST") && !holds("DEREF") && !holds("CLOSURE")) return Access::None;
    if (holds("LOAD") || holds("DELETE")) return Access::Read;
    return holds("STORE") ? Access::Write : Access::None;
}

bool endsRun(std::string_view op) {
    static constexpr std::array<std::string_view, 8> terminal{
        "RETURN_VALUE", "RETURN_CONST",  "JUMP_FORWARD",  "JUMP_ABSOLUTE",
        "RERAISE",      "RAISE_VARARGS", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"};
    return std::find(terminal.begin(), terminal.end(), op) != terminal.end();
}

std::uint32_t handlerOf(const Code& code, std::uint32_t instruction) {
    const ExceptionRange* range = code.handlerAt(instruction);
    return range != nullptr ? range->target : UINT32_MAX;
}

class Liveness {
public:
    explicit Liveness(const Code& code)
        : m_code(code)
        , m_visited(code.instructions.size()) {}

    std::set<std::string_view> at(std::uint32_t instruction) {
        // What surely comes is walked first; what a jump or an exception may lead to is judged by the writes
        // that come before it.
        bool sure = true;
        for (std::uint32_t i = instruction; i < m_code.instructions.size(); ++i) {
            if (!sure && m_visited[i]) break;
            if (!sure) m_visited[i] = true;
            visit(i, sure);
            if (m_code.instructions[i].target >= 0) sure = false;
            if (endsRun(m_code.instructions[i].op)) break;
            walk();
        }
        walk();
        return std::move(m_reads);
    }

private:
    void visit(std::uint32_t at, bool sure) {
        const Instruction& one = m_code.instructions[at];
        switch (accessOf(one.op)) {
        case Access::Read:
            if (m_writes.find(one.text) == m_writes.end()) m_reads.insert(one.text);
            break;
        case Access::Write:
            if (sure) m_writes.insert(one.text);
            break;
        case Access::None:
            break;
        }
        for (const std::uint32_t next : {handlerOf(m_code, at), static_cast<std::uint32_t>(one.target)})
            if (next < m_visited.size() && !m_visited[next]) m_waiting.push_back(next);
    }

    /// Each instruction once: walked again later, with more writes before it, it would read less.
    void walk() {
        while (!m_waiting.empty()) {
            std::uint32_t at = m_waiting.back();
            m_waiting.pop_back();
            for (; at < m_visited.size() && !m_visited[at]; ++at) {
                m_visited[at] = true;
                visit(at, false);
                if (endsRun(m_code.instructions[at].op)) break;
            }
        }
    }

    const Code& m_code;
    std::vector<bool> m_visited;
    std::vector<std::uint32_t> m_waiting;
    std::set<std::string_view> m_reads, m_writes;
};

} // namespace

std::set<std::string_view> liveNames(const Code& code, std::uint32_t instruction) {
    return Liveness(code).at(instruction);
}

Handover handoverAt(const Recording& recording, const State& state, const FrameState& frame,
                    std::uint32_t instruction) {
    Handover out;
    for (const ValueId value : frame.stack)
        if (recording.value(state, value).kind != "NullVariable")
            out.inputs.push_back({"___stack" + std::to_string(out.inputs.size()), value});
    const Code* code = recording.code(frame.code);
    if (code == nullptr) return out;
    const std::set<std::string_view> live = liveNames(*code, instruction);
    const auto isCell = [code](std::string_view name) {
        return std::find(code->cells.begin(), code->cells.end(), name) != code->cells.end() ||
               std::find(code->free.begin(), code->free.end(), name) != code->free.end();
    };
    for (const Local& local : frame.locals) {
        const std::string name(recording.text(local.name));
        if (local.value == 0) continue;
        if (isCell(name))
            out.cells.push_back({name, local.value});
        else if (live.find(name) == live.end())
            out.dropped.push_back(name);
        else
            out.inputs.push_back({name, local.value});
    }
    return out;
}

} // namespace dynascope::dynamo
