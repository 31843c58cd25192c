// SPDX-License-Identifier: BSD-3-Clause
//
// Judges kind `dynamo_program`: a recording of the case's program against what PyTorch itself said - at each
// marked line what comptime printed there, and of the whole run graphs, ends of graphs, breaks and
// recompiles.
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/engine/client/oracle_case.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using namespace dynamo;

/// The member as a list; empty if it is none.
const json& list(const json& object, const char* key) {
    static const json none = json::array();
    const json& value = field(object, key);
    return value.is_array() ? value : none;
}

std::uint32_t natural(const json& object, const char* key) {
    const json& value = field(object, key);
    return value.is_number_unsigned() ? value.get<std::uint32_t>() : 0;
}

/// "'L[\'x\']'" as Python's repr quotes a text that has no double quotes.
std::string quoted(std::string_view text) {
    const char mark = text.find('\'') == std::string_view::npos ? '\'' : '"';
    return mark + std::string(text) + mark;
}

/// Numbers in names of builtins' dictionaries, ids and addresses differ from run to run.
std::string masked(std::string text) {
    constexpr std::size_t idDigits = 9;
    for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        if (end - at >= idDigits) text.replace(at, end - at, "*");
        at = end - at >= idDigits ? at + 1 : end;
    }
    constexpr std::string_view prefixes[]{"__builtins_dict___", "0x"};
    for (const std::string_view prefix : prefixes)
        for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
            at += prefix.size();
            const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef*", at), text.size());
            text.replace(at, end - at, "*");
        }
    return text;
}

class ProgramJudge {
public:
    ProgramJudge(const json& oracleCase, const Recording& recording, CaseReport& report)
        : m_case(oracleCase)
        , m_recording(recording)
        , m_report(report) {}

    void run() {
        marks();
        graphs();
        ends();
        breaks();
        recompiles();
    }

private:
    void add(const std::string& part, const std::string& difference) {
        m_report.parts.push_back({part, difference.empty() ? Verdict::Passed : Verdict::Failed, difference});
    }

    static std::string differ(const std::string& what, const std::string& wanted, const std::string& got) {
        return wanted == got ? std::string() : what + ": wanted " + wanted + ", got " + got;
    }

    [[nodiscard]] const AttemptInfo& attemptOf(StepIndex step) const {
        return m_recording.attempts()[m_recording.frames()[m_recording.steps()[step].frame].attempt];
    }

    /// The steps at which a line of a function begins, in an attempt.
    [[nodiscard]] std::vector<StepIndex> occurrences(const json& hit, std::uint32_t line) const {
        std::vector<StepIndex> out;
        for (StepIndex at = runToLine(m_recording, noStep, {}, line, Direction::Forward); at != noStep;
             at = runToLine(m_recording, at, {}, line, Direction::Forward)) {
            const FrameInfo& frame = m_recording.frames()[m_recording.steps()[at].frame];
            const AttemptInfo& attempt = m_recording.attempts()[frame.attempt];
            if (attempt.compileId == text(hit, "compile_id") && attempt.number == natural(hit, "attempt") &&
                m_recording.codeOf(frame).name == text(hit, "frame"))
                out.push_back(at);
        }
        return out;
    }

    void marks() {
        const json& observed = field(m_case, "at_marks");
        for (const char* kind : {"nonforcing", "forced_locals"}) {
            std::map<std::string, std::size_t> seen;
            for (const json& hit : list(observed, kind)) {
                const std::string key = text(hit, "label") + ' ' + text(hit, "compile_id") + '#' +
                                        std::to_string(natural(hit, "attempt")) + ' ' + text(hit, "frame");
                const std::size_t nth = seen[key]++;
                const std::vector<StepIndex> steps = occurrences(hit, lineAfter(text(hit, "label")));
                const std::string part = std::string(kind) + ' ' + key + " hit " + std::to_string(nth);
                const State* state = nth < steps.size() ? m_recording.stateAt(steps[nth]) : nullptr;
                if (state == nullptr) {
                    add(part, "the line was recorded " + std::to_string(steps.size()) + " times");
                } else {
                    add(part, std::string_view(kind) == "nonforcing" ? compareState(hit, *state)
                                                                     : compareForced(hit, *state));
                }
            }
        }
    }

    [[nodiscard]] std::uint32_t lineAfter(const std::string& label) const {
        for (const json& mark : list(m_case, "marks"))
            if (text(mark, "label") == label) return natural(mark, "next_code_line");
        return 0;
    }

    [[nodiscard]] std::string compareState(const json& hit, const State& state) const {
        const FrameState& frame = *state.frameState(state.frame);
        std::string difference =
            differ("graph", masked(text(hit, "graph_str")), masked(graphText(m_recording, state)));
        if (difference.empty())
            difference = differ("value stack", text(hit, "value_stack"), stackText(state, frame));
        if (difference.empty()) difference = differ("guards", joinedSet(hit, "guards"), guardsText(state));
        if (difference.empty())
            difference = differ("changed containers", joinedSet(hit, "mutated"), mutatedText(state));
        if (difference.empty())
            difference = differ("pending stores", joinedSet(hit, "attr_stores"), storesText(state));
        if (difference.empty())
            difference =
                differ("translator", text(hit, "translator"), std::string(m_recording.text(frame.kind)));
        if (difference.empty())
            difference = differ("inline depth", std::to_string(natural(hit, "inline_depth")),
                                std::to_string(frame.depth));
        if (difference.empty()) difference = compareCallers(hit, state);
        if (difference.empty()) difference = compareLocals(hit, state, frame);
        return difference;
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
        if (const std::string difference = differ("locals", together(names), together(recorded));
            !difference.empty())
            return difference;
        for (const Local& local : frame.locals) {
            const std::string name(m_recording.text(local.name));
            if (const std::string difference =
                    compareValue(name, field(wanted, name.c_str()), state, local.value);
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
            if (difference.empty() && field(wanted, inner).is_object())
                difference = compareValue(name + '.' + inner, wanted[inner], state, value.value(inner));
        return difference;
    }

    /// What print_locals prints, of those that were not realized by printing them.
    [[nodiscard]] std::string compareForced(const json& hit, const State& state) const {
        std::map<std::string, std::string> printed;
        std::string rest = text(hit, "locals");
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const std::string line = rest.substr(0, end);
            rest.erase(0, std::min(end + 1, rest.size()));
            if (const std::size_t sign = line.find(" = "); sign != std::string::npos)
                printed[line.substr(0, sign)] = line.substr(sign + 3);
        }
        for (const Local& local : state.frameState(state.frame)->locals) {
            const std::string name(m_recording.text(local.name));
            const ValueInfo value = unwrapped(m_recording, state, local.value);
            const bool plain = !value.text("dtype").empty() || value.kind == "ConstantVariable" ||
                               value.kind == "CellVariable";
            if (!plain || value.text("shape").find_first_of("su") != std::string_view::npos) continue;
            const auto line = printed.find(name);
            const std::string difference = differ(name, line == printed.end() ? "nothing" : line->second,
                                                  comptimeText(m_recording, state, local.value));
            if (!difference.empty()) return difference;
        }
        return {};
    }

    /// The attempts of the recording by compile id and number.
    [[nodiscard]] const State* end(const std::string& compileId, std::uint32_t number) const {
        for (std::uint32_t i = 0; i < m_recording.attempts().size(); ++i) {
            const AttemptInfo& attempt = m_recording.attempts()[i];
            if (attempt.compileId == compileId && attempt.number == number) return m_recording.stateAfter(i);
        }
        return nullptr;
    }

    void graphs() {
        for (const json& graph : list(m_case, "graphs")) {
            const std::string part = "graph " + text(graph, "compile_id");
            const State* state = end(text(graph, "compile_id"), natural(graph, "attempt"));
            add(part, state == nullptr ? "not recorded"
                                       : differ("graph", masked(text(graph, "graph")),
                                                masked(graphText(m_recording, *state, 0))));
        }
    }

    void ends() {
        std::string wanted, got;
        for (const json& one : list(m_case, "subgraphs"))
            wanted += text(one, "compile_id") + '#' + std::to_string(natural(one, "attempt")) + ' ' +
                      text(one, "frame") + ' ' + text(one, "inst") + ' ' +
                      (field(one, "graph_break") == json(true) ? "break " : "end ") +
                      masked(text(one, "reason")) + '\n';
        for (const EventInfo& event : m_recording.events()) {
            if (event.tag != Tag::GraphEnd || event.step == noStep) continue;
            const AttemptInfo& attempt = attemptOf(event.step);
            const Instruction* instruction = m_recording.instructionAt(event.step);
            got += attempt.compileId + '#' + std::to_string(attempt.number) + ' ' +
                   m_recording.codeOf(m_recording.frames()[m_recording.steps()[event.step].frame]).name +
                   ' ' + (instruction ? std::string(instruction->op) : std::string()) +
                   (event.graphBreak ? " break " : " end ") + masked(event.text) + '\n';
        }
        add("ends of graphs", differ("ends", wanted, got));
    }

    /// Breaks that a frame is resumed after are logged one by one; for another one the frame was given up.
    void breaks() {
        std::vector<std::string> recorded, givenUp;
        for (const EventInfo& event : m_recording.events())
            if (event.tag == Tag::Break) recorded.push_back(masked(event.text));
        for (const CompileInfo& compile : m_recording.compiles()) {
            const std::size_t colon = compile.error.find(": ");
            if (compile.error.starts_with("Unsupported: "))
                givenUp.push_back(
                    masked(compile.error.substr(colon + 2, compile.error.find('\n') - colon - 2)));
        }
        for (const json& logged : list(m_case, "breaks_log")) {
            const std::string whole = masked(text(logged, "text"));
            const auto said = [&whole](const std::string& reason) {
                return whole.find(reason) != std::string::npos;
            };
            for (std::vector<std::string>* from : {&recorded, &givenUp}) {
                const auto found = std::find_if(from->begin(), from->end(), said);
                if (found == from->end()) {
                    if (from == &givenUp)
                        return add("breaks", "not recorded: " + whole.substr(0, whole.find('\n')));
                    continue;
                }
                from->erase(found);
                break;
            }
        }
        add("breaks", recorded.empty() ? std::string() : "recorded only here: " + recorded.front());
    }

    void recompiles() {
        std::vector<std::string> recorded;
        for (const CompileInfo& compile : m_recording.compiles())
            for (const std::string& reason : compile.recompileReasons)
                recorded.push_back(reason);
        const auto compiles =
            std::count_if(m_recording.compiles().begin(), m_recording.compiles().end(),
                          [](const CompileInfo& compile) { return !compile.recompileReasons.empty(); });
        std::string difference =
            differ("recompiles", std::to_string(list(m_case, "recompiles").size()), std::to_string(compiles));
        std::size_t next = 0;
        for (const json& one : list(m_case, "recompiles")) {
            const std::string whole = masked(text(one, "text"));
            for (; difference.empty() && next < recorded.size(); ++next) {
                const std::string reason = masked(recorded[next]);
                const std::string first = reason.substr(0, reason.find_first_of("#\n"));
                const std::string core = first.substr(0, first.find_last_not_of(' ') + 1);
                if (whole.find(core.substr(0, 40)) == std::string::npos) break;
            }
        }
        if (difference.empty() && next != recorded.size())
            difference = "recorded only here: " + recorded[next];
        add("recompiles", difference);
    }

    const json& m_case;
    const Recording& m_recording;
    CaseReport& m_report;
};

} // namespace

void judgeProgram(const json& oracleCase, const JudgeOptions& options, CaseReport& report) {
    const std::string path =
        options.recordings.empty() ? std::string() : options.recordings + '/' + report.name + ".dsteps";
    std::error_code ignored;
    if (path.empty() || !std::filesystem::exists(path, ignored)) {
        report.parts.push_back(
            {"case", Verdict::Skipped, "a program needs a recording: --recordings FOLDER"});
        return;
    }
    const auto recording = Recording::open(path);
    if (!recording) {
        report.parts.push_back({"recording", Verdict::Failed, recording.error().toString()});
        return;
    }
    judgeProgram(oracleCase, **recording, report);
}

void judgeProgram(const json& oracleCase, const Recording& recording, CaseReport& report) {
    ProgramJudge(oracleCase, recording, report).run();
}

} // namespace dynascope::engine
