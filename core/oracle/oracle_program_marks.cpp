// SPDX-License-Identifier: BSD-3-Clause
//
// What comptime printed at the marked lines of a program, against the recorded state there.
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/oracle/oracle_program.h"

#include <algorithm>
#include <map>
#include <set>

namespace dynascope::engine::program {

namespace {

using nlohmann::json;
using namespace dynamo;

/// "'L[\'x\']'" as Python's repr quotes a text that has no double quotes.
std::string quoted(std::string_view text) {
    const char mark = text.find('\'') == std::string_view::npos ? '\'' : '"';
    return mark + std::string(text) + mark;
}

class MarksJudge {
public:
    MarksJudge(const json& oracleCase, const Recording& recording, CaseReport& report)
        : m_case(oracleCase)
        , m_recording(recording)
        , m_report(report) {}

    void run() {
        const json& observed = field(m_case, "at_marks");
        for (const char* kind : {"nonforcing", "forced_locals"}) {
            std::map<std::string, std::size_t> seen;
            for (const json& hit : list(observed, kind)) {
                const std::string key = stringField(hit, "label") + ' ' + stringField(hit, "compile_id") +
                                        '#' + std::to_string(natural(hit, "attempt")) + ' ' +
                                        stringField(hit, "frame");
                const std::size_t nth = seen[key]++;
                const std::vector<StepIndex> steps = occurrences(hit, lineAfter(stringField(hit, "label")));
                const std::string part = std::string(kind) + ' ' + key + " hit " + std::to_string(nth);
                const State* state = nth < steps.size() ? m_recording.stateAt(steps[nth]) : nullptr;
                if (const std::string wrong = wrongPlace(hit); !wrong.empty())
                    add(part, wrong);
                else if (state == nullptr)
                    unrecorded(kind, part, hit, steps.size());
                else
                    add(part, compareHit(kind, hit, *state));
            }
        }
    }

private:
    void add(const std::string& part, const std::string& difference) {
        m_report.parts.push_back(
            {part, difference.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, difference});
    }

    /// The steps at which a line of a function begins, in an attempt.
    [[nodiscard]] std::vector<StepIndex> occurrences(const json& hit, std::uint32_t line) const {
        std::vector<StepIndex> out;
        for (StepIndex at = runToLine(m_recording, noStep, {}, line, Direction::Forward); at != noStep;
             at = runToLine(m_recording, at, {}, line, Direction::Forward)) {
            const FrameInfo& frame = m_recording.frames()[m_recording.steps()[at].frame];
            const AttemptInfo& attempt = m_recording.attempts()[frame.attempt];
            if (attempt.compileId == stringField(hit, "compile_id") &&
                attempt.number == natural(hit, "attempt") &&
                m_recording.codeOf(frame).name == stringField(hit, "frame"))
                out.push_back(at);
        }
        return out;
    }

    [[nodiscard]] std::string compareHit(std::string_view kind, const json& hit, const State& state) const {
        return kind == "nonforcing" ? compareState(hit, state) : compareForced(hit, state);
    }

    /// The observed runs call comptime at the mark, and may print what is lazy: the program by itself, as it
    /// is recorded, may have nothing there.
    void unrecorded(const std::string& kind, const std::string& part, const json& hit, std::size_t times) {
        if (std::string cause = onlyObserved(kind, hit); !cause.empty()) {
            m_report.parts.push_back({part, CaseVerdict::Declined, std::move(cause)});
            return;
        }
        std::uint32_t from = 0;
        const StepIndex beyond = times == 0 ? pastTheMark(hit, from) : noStep;
        const State* state = beyond == noStep ? nullptr : m_recording.stateAt(beyond);
        if (state == nullptr) return add(part, "the line was recorded " + std::to_string(times) + " times");
        if (std::string difference = compareHit(kind, hit, *state); !difference.empty())
            return add(part, difference);
        m_report.parts.push_back(
            {part, CaseVerdict::Declined,
             "without comptime nothing of the program stands at the mark: it goes from line " +
                 std::to_string(from) + " to line " +
                 std::to_string(m_recording.instructionAt(beyond)->line) + ", past line " +
                 std::to_string(lineAfter(stringField(hit, "label"))) + "; the state is the same there"});
    }

    /// A compile that only printing brought about, since it guards on what the program never looks at.
    [[nodiscard]] std::string onlyObserved(const std::string& kind, const json& hit) const {
        const json& effect =
            field(field(m_case, "observation_effect"), kind == "nonforcing" ? "probe" : "locals");
        const std::uint32_t observed = natural(effect, "n_compiles"),
                            alone = natural(field(m_case, "counts"), "compiles");
        const std::string id = stringField(hit, "compile_id");
        const auto isIt = [&](const auto& compile) { return compile == id; };
        std::set<std::string> others;
        for (const json& other : list(field(m_case, "at_marks"), kind.c_str())) {
            const std::string otherId = stringField(other, "compile_id");
            const bool known = std::any_of(m_recording.compiles().begin(), m_recording.compiles().end(),
                                           [&](const CompileInfo& compile) { return compile.id == otherId; });
            if (!known) others.insert(otherId);
        }
        if (observed <= alone || others.size() > observed - alone ||
            std::none_of(others.begin(), others.end(), isIt))
            return {};
        return "printing the locals realized lazy ones, and so made PyTorch compile " +
               std::to_string(observed) + " times instead of " + std::to_string(alone) + ": " + id +
               " is only in that run";
    }

    /// The step at which the function, in the hit's attempt, goes on behind the mark's next line, coming from
    /// before the mark (`from`).
    [[nodiscard]] StepIndex pastTheMark(const json& hit, std::uint32_t& from) const {
        const std::uint32_t next = lineAfter(stringField(hit, "label"));
        std::map<std::uint32_t, std::uint32_t> lines; // by frame
        for (StepIndex at = 0; at < m_recording.steps().size(); ++at) {
            const std::uint32_t frame = m_recording.steps()[at].frame;
            const FrameInfo& info = m_recording.frames()[frame];
            const AttemptInfo& attempt = m_recording.attempts()[info.attempt];
            const Instruction* instruction = m_recording.instructionAt(at);
            if (instruction == nullptr || instruction->line == 0 ||
                attempt.compileId != stringField(hit, "compile_id") ||
                attempt.number != natural(hit, "attempt") ||
                m_recording.codeOf(info).name != stringField(hit, "frame"))
                continue;
            std::uint32_t& line = lines[frame];
            if (line != 0 && line < natural(hit, "lineno") && instruction->line > next) {
                from = line;
                return at;
            }
            line = instruction->line;
        }
        return noStep;
    }

    /// A hit is at the line of its mark.
    [[nodiscard]] std::string wrongPlace(const json& hit) const {
        for (const json& mark : list(m_case, "marks"))
            if (stringField(mark, "label") == stringField(hit, "label")) {
                const std::string line = std::to_string(natural(mark, "line"));
                std::string wrong = differ("line", line, std::to_string(natural(hit, "lineno")));
                if (wrong.empty() && natural(mark, "next_code_line") <= natural(mark, "line"))
                    wrong = "the code behind the mark comes before it";
                return wrong;
            }
        return "there is no mark " + stringField(hit, "label");
    }

    [[nodiscard]] std::uint32_t lineAfter(const std::string& label) const {
        for (const json& mark : list(m_case, "marks"))
            if (stringField(mark, "label") == label) return natural(mark, "next_code_line");
        return 0;
    }

    [[nodiscard]] std::string compareState(const json& hit, const State& state) const {
        const FrameState& frame = *state.frameState(state.frame);
        std::string difference =
            differ("graph", masked(stringField(hit, "graph_str")), masked(graphText(m_recording, state)));
        if (difference.empty())
            difference = differ("value stack", stringField(hit, "value_stack"), stackText(state, frame));
        if (difference.empty()) difference = differ("guards", joinedSet(hit, "guards"), guardsText(state));
        if (difference.empty())
            difference = differ("changed containers", joinedSet(hit, "mutated"), mutatedText(state));
        if (difference.empty())
            difference = differ("pending stores", joinedSet(hit, "attr_stores"), storesText(state));
        if (difference.empty())
            difference = differ("translator", stringField(hit, "translator"),
                                std::string(m_recording.text(frame.kind)));
        if (difference.empty())
            difference = differ("inline depth", std::to_string(natural(hit, "inline_depth")),
                                std::to_string(frame.depth));
        if (difference.empty()) difference = compareCallers(hit, state);
        if (difference.empty()) difference = compareLocals(hit, state, frame);
        if (difference.empty())
            difference = differ("block stack", field(hit, "block_stack").dump(), blocksText(frame));
        if (difference.empty()) difference = comparePrinted(hit);
        return difference;
    }

    /// The instructions that pushed Dynamo's blocks.
    [[nodiscard]] std::string blocksText(const FrameState& frame) const {
        json out = json::array();
        const Code* code = m_recording.code(frame.code);
        for (const BlockState& block : frame.blocks)
            if (code != nullptr && block.pushedBy < code->instructions.size())
                out.push_back(code->instructions[block.pushedBy].op);
        return out.dump();
    }

    /// What is printed twice says the same twice.
    static std::string comparePrinted(const json& hit) {
        const std::string guards = stringField(hit, "print_guards"), stack = stringField(hit, "bt_text"),
                          code = stringField(hit, "graph");
        // The instruction after the call of comptime; the graph as Python.
        const std::string at = stringField(hit, "disas_current");
        if (!at.starts_with("-->") || instructionsOf(at).size() != 1)
            return "print_disas is at no instruction";
        if (!code.starts_with("\n\n\ndef forward(self")) return "print_graph printed no function";
        for (const json& guard : list(hit, "guards"))
            if (guard.is_string() &&
                guards.find("\n        " + guard.get<std::string>() + "\n        {") == std::string::npos)
                return "print_guards lacks " + guard.get<std::string>();
        for (const json& entry : list(hit, "bt")) {
            const std::string word = entry.is_string() ? entry.get<std::string>() : std::string();
            const std::size_t colon = std::min(word.rfind(':'), word.size() - 1);
            if (!stack.starts_with("  File ") ||
                stack.find("line " + word.substr(colon + 1) + ", in " + word.substr(0, colon) + '\n') ==
                    std::string::npos)
                return "bt_text lacks " + word;
        }
        return {};
    }

    static std::string together(const std::set<std::string>& words) {
        std::string out;
        for (const std::string& word : words)
            out += word + "; ";
        return out;
    }

    static std::string joinedSet(const json& hit, const char* key) {
        std::set<std::string> words;
        for (const json& word : list(hit, key))
            if (word.is_string()) words.insert(masked(word.get<std::string>()));
        return together(words);
    }

    [[nodiscard]] std::string stackText(const State& state, const FrameState& frame) const {
        std::string out;
        for (const ValueId value : frame.stack)
            out += "- " + comptimeText(m_recording, state, value) + '\n';
        return out;
    }

    [[nodiscard]] std::string guardsText(const State& state) const {
        std::set<std::string> words;
        for (std::size_t i = 0; i < state.guards.size(); ++i) {
            const GuardState& guard = state.guards[i];
            if (guard.gone) continue;
            words.insert(masked(std::string(m_recording.text(guard.source)) + ' ' +
                                quoted(m_recording.text(guard.name)) + ' ' +
                                std::string(m_recording.text(guard.create))));
        }
        return together(words);
    }

    /// "ListVariable:L['l']".
    static std::string kindAndSource(const ValueInfo& value) {
        const std::string_view source = value.text("source");
        return std::string(value.kind) + ':' + (source.empty() ? "None" : std::string(source));
    }

    [[nodiscard]] std::string mutatedText(const State& state) const {
        std::set<std::string> words;
        for (std::size_t i = 0; i < state.mutations.size(); ++i) {
            const ValueInfo value = unwrapped(m_recording, state, state.mutations[i]);
            // PyTorch's list has what its side effects track, not what a subclass of a container holds.
            if (holderOf(m_recording, state, value.id) != 0) continue;
            if (value.number("modified") != 0) words.insert(kindAndSource(value));
        }
        return together(words);
    }

    [[nodiscard]] std::string storesText(const State& state) const {
        std::set<std::string> words;
        for (std::size_t i = 0; i < state.stores.size(); ++i)
            words.insert(kindAndSource(unwrapped(m_recording, state, state.stores[i].object)) + '.' +
                         std::string(m_recording.text(state.stores[i].name)));
        return together(words);
    }

    /// The innermost line is the mark's own, which is not there when the program runs without it.
    [[nodiscard]] std::string compareCallers(const json& hit, const State& state) const {
        std::string wanted, got;
        for (const json& entry : list(hit, "bt")) {
            const std::string word = entry.is_string() ? entry.get<std::string>() : std::string();
            wanted += wanted.empty() ? word.substr(0, word.rfind(':')) : ' ' + word;
        }
        for (const FrameState* frame : callStack(state)) {
            const Code* code = m_recording.code(frame->code);
            const std::string name = code ? code->name : std::string();
            got += got.empty() ? name : ' ' + name + ':' + std::to_string(lineOf(m_recording, *frame));
        }
        return differ("call stack", wanted, got);
    }

    [[nodiscard]] std::string compareLocals(const json& hit, const State& state,
                                            const FrameState& frame) const {
        const json& wanted = field(hit, "locals_unforced");
        std::set<std::string> names, recorded;
        for (const auto& [name, value] : wanted.items())
            names.insert(name);
        for (const Local& local : frame.locals)
            recorded.insert(std::string(m_recording.text(local.name)));
        if (std::string difference = differ("locals", together(names), together(recorded));
            !difference.empty())
            return difference;
        for (const Local& local : frame.locals) {
            const std::string name(m_recording.text(local.name));
            if (std::string difference = compareValue(name, field(wanted, name.c_str()), state, local.value);
                !difference.empty())
                return difference;
        }
        return {};
    }

    [[nodiscard]] std::string compareValue(const std::string& name, const json& wanted, const State& state,
                                           ValueId id) const {
        const ValueInfo value = m_recording.value(state, id);
        std::string difference;
        const auto check = [&](const char* key, const std::string& got) {
            if (!difference.empty() || !wanted.contains(key)) return;
            const json& expected = wanted[key];
            const std::string text = expected.is_null()      ? std::string()
                                     : expected.is_string()  ? expected.get<std::string>()
                                     : expected.is_boolean() ? (expected.get<bool>() ? "1" : "0")
                                                             : expected.dump();
            difference = differ(name + '.' + key, text, got);
        };
        check("kind", std::string(value.kind));
        check("source", std::string(value.text("source")));
        check("mutation_type", std::string(value.text("mutation")));
        check("realized", std::to_string(value.number("realized")));
        check("peek_type", std::string(value.text("peek_type")));
        check("value", std::string(value.text("value")));
        check("len", std::to_string(value.number("len")));
        check("contents_from", std::string(value.text("contents_from")));
        for (const char* inner : {"inner", "contents"})
            if (difference.empty() && wanted.contains(inner) && !wanted[inner].is_object() &&
                (!wanted[inner].is_null() || value.value(inner) != 0))
                difference = name + '.' + inner + " is " + wanted[inner].dump();
            else if (difference.empty() && field(wanted, inner).is_object())
                difference = compareValue(name + '.' + inner, wanted[inner], state, value.value(inner));
        return difference;
    }

    /// A name that was printed and is none of the function's.
    [[nodiscard]] std::string strangers(const std::map<std::string, std::string>& printed,
                                        const FrameState& frame) const {
        std::set<std::string_view> names;
        for (const Local& local : frame.locals)
            names.insert(m_recording.text(local.name));
        for (const auto& [name, value] : printed)
            if (!names.contains(name)) return "there is no local " + name;
        return {};
    }

    /// What print_locals prints, of those that were not realized by printing them.
    [[nodiscard]] std::string compareForced(const json& hit, const State& state) const {
        const FrameState& frame = *state.frameState(state.frame);
        std::string around =
            differ("translator", stringField(hit, "translator"), std::string(m_recording.text(frame.kind)));
        if (around.empty())
            around = differ("inline depth", std::to_string(natural(hit, "inline_depth")),
                            std::to_string(frame.depth));
        if (around.empty()) around = compareCallers(hit, state);
        if (!around.empty()) return around;
        const std::map<std::string, std::string> printed = printedLocals(stringField(hit, "locals"));
        around = strangers(printed, frame);
        const std::vector<const FrameState*> callers = callStack(state);
        if (around.empty() && hit.contains("parent_locals"))
            around = callers.size() < 2
                         ? "it has no caller"
                         : strangers(printedLocals(stringField(hit, "parent_locals")), *callers[1]);
        if (!around.empty()) return around;
        for (const Local& local : frame.locals) {
            const std::string name(m_recording.text(local.name));
            const ValueInfo value = unwrapped(m_recording, state, local.value);
            const bool plain = !value.text("dtype").empty() || value.kind == "ConstantVariable" ||
                               value.kind == "CellVariable";
            if (!plain || value.text("shape").find_first_of("su") != std::string_view::npos) continue;
            const auto line = printed.find(name);
            std::string difference = differ(name, line == printed.end() ? "nothing" : line->second,
                                            comptimeText(m_recording, state, local.value));
            if (!difference.empty()) return difference;
        }
        return {};
    }

    const json& m_case;
    const Recording& m_recording;
    CaseReport& m_report;
};

} // namespace

void judgeMarks(const json& oracleCase, const Recording& recording, CaseReport& report) {
    MarksJudge(oracleCase, recording, report).run();
}

} // namespace dynascope::engine::program
