// SPDX-License-Identifier: BSD-3-Clause
//
// Judges kind `dynamo_program`: a recording of the case's program against what PyTorch itself said - at each
// marked line what comptime printed there (oracle_program_marks.cpp), of the whole run graphs, ends of
// graphs, breaks and recompiles, and of each compile what it came to (oracle_program_compiles.cpp).
#include "core/oracle/oracle_program.h"
#include "core/base/text.h"
#include "core/dynamo/describe.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using namespace dynamo;
using namespace program;

class ProgramJudge {
public:
    ProgramJudge(const json& oracleCase, const Recording& recording, CaseReport& report)
        : m_case(oracleCase)
        , m_recording(recording)
        , m_report(report) {}

    void run() {
        judgeMarks(m_case, m_recording, m_report);
        graphs();
        ends();
        breaks();
        recompiles();
        if (m_sameRun) unsupported();
        if (m_sameRun) judgeCompiles(m_case, m_recording, m_report);
        if (m_sameRun) judgeWords(m_case, m_recording, m_report);
        if (m_sameRun) judgeFacts(m_case, m_recording, m_report);
    }

private:
    void add(const std::string& part, const std::string& difference) {
        m_report.parts.push_back(
            {part, difference.empty() ? CaseVerdict::Passed : CaseVerdict::Failed, difference});
    }

    [[nodiscard]] const AttemptInfo& attemptOf(StepIndex step) const {
        return m_recording.attempts()[m_recording.frames()[m_recording.steps()[step].frame].attempt];
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
            const std::string part = "graph " + stringField(graph, "compile_id");
            const State* state = end(stringField(graph, "compile_id"), natural(graph, "attempt"));
            add(part, state == nullptr ? "not recorded"
                                       : differ("graph", masked(stringField(graph, "graph")),
                                                masked(graphText(m_recording, *state, 0))));
        }
    }

    void ends() {
        std::string wanted, got;
        for (const json& one : list(m_case, "subgraphs"))
            wanted += stringField(one, "compile_id") + '#' + std::to_string(natural(one, "attempt")) + ' ' +
                      stringField(one, "frame") + ' ' + stringField(one, "inst") + ' ' +
                      (field(one, "graph_break") == json(true) ? "break " : "end ") +
                      masked(stringField(one, "reason")) + '\n';
        for (const EventInfo& event : m_recording.events()) {
            if (event.tag != Tag::GraphEnd || event.step == noStep) continue;
            const AttemptInfo& attempt = attemptOf(event.step);
            const Instruction* instruction = m_recording.instructionAt(event.step);
            got += attempt.compileId + '#' + std::to_string(attempt.number) + ' ' +
                   m_recording.codeOf(m_recording.frames()[m_recording.steps()[event.step].frame]).name +
                   ' ' + (instruction ? std::string(instruction->op) : std::string()) +
                   (event.graphBreak ? " break " : " end ") + masked(event.text) + '\n';
        }
        std::string difference = differ("ends", wanted, got);
        if (difference.empty()) difference = differentRun(m_case, m_recording);
        m_sameRun = difference.empty();
        add("ends of graphs", difference);
    }

    /// Breaks that a frame is resumed after are logged one by one; for another one the frame was given up.
    void breaks() {
        std::vector<std::string> recorded, attempts, givenUp;
        for (const EventInfo& event : m_recording.events())
            if (event.tag == Tag::Break && event.attempt < m_recording.attempts().size()) {
                const json stack = stackOf(event);
                const std::string innermost = stack.empty() ? std::string() : stack.back().get<std::string>();
                const AttemptInfo& attempt = m_recording.attempts()[event.attempt];
                attempts.push_back(attempt.compileId + '#' + std::to_string(attempt.number));
                recorded.push_back(
                    (stack.empty() ? "" : "at " + innermost.substr(0, innermost.find(" in ")) + '\n') +
                    masked(event.text));
            }
        for (const CompileInfo& compile : m_recording.compiles()) {
            const std::size_t colon = compile.error.find(": ");
            if (compile.error.starts_with("Unsupported: "))
                givenUp.push_back(
                    masked(compile.error.substr(colon + 2, compile.error.find('\n') - colon - 2)));
        }
        for (const json& logged : list(m_case, "breaks_log")) {
            const std::string whole = masked(stringField(logged, "text"));
            if (!whole.starts_with("Graph break") ||
                end(stringField(logged, "compile_id"), natural(logged, "attempt")) == nullptr)
                return add("breaks", "no graph break of an attempt: " + std::string(firstLine(whole)));
            const auto said = [&whole](const std::string& reason) {
                // The place, and the reason after it.
                const std::size_t line = reason.starts_with("at ") ? reason.find('\n') : std::string::npos;
                if (line == std::string::npos) return whole.find(reason) != std::string::npos;
                return whole.find(" in user code " + reason.substr(0, line) + '\n') != std::string::npos &&
                       whole.find(reason.substr(line + 1)) != std::string::npos;
            };
            for (std::vector<std::string>* from : {&recorded, &givenUp}) {
                const auto found = std::find_if(from->begin(), from->end(), said);
                if (found == from->end()) {
                    if (from == &givenUp)
                        return add("breaks", "not recorded: " + std::string(firstLine(whole)));
                    continue;
                }
                if (from == &recorded) {
                    const auto attempt = attempts.begin() + (found - recorded.begin());
                    const std::string wanted =
                        stringField(logged, "compile_id") + '#' + std::to_string(natural(logged, "attempt"));
                    if (*attempt != wanted) return add("breaks", differ("attempt", wanted, *attempt));
                    attempts.erase(attempt);
                }
                from->erase(found);
                break;
            }
        }
        add("breaks", recorded.empty() ? std::string() : "recorded only here: " + recorded.front());
    }

    /// Every word that PyTorch logs of a recompile.
    void recompiles() {
        std::string wanted, got;
        for (const json& one : list(m_case, "recompiles"))
            wanted += stringField(one, "compile_id") + ' ' + masked(stringField(one, "text")) + '\n';
        for (const CompileInfo& compile : m_recording.compiles()) {
            if (compile.recompileReasons.empty()) continue;
            std::string whole = "Recompiling function " + compile.function + " in " + compile.file + ':' +
                                std::to_string(compile.firstLine) +
                                "\n    triggered by the following guard failure(s):";
            for (const std::string& reason : compile.recompileReasons)
                for (std::size_t at = 0; at <= reason.size();) {
                    const std::size_t end = std::min(reason.find('\n', at), reason.size());
                    whole += "\n    - " + reason.substr(at, end - at);
                    at = end + 1;
                }
            got += compile.id + ' ' + masked(std::move(whole)) + '\n';
        }
        add("recompiles", differ("recompiles", wanted, got));
    }

    /// What Dynamo raised and left a step is in the case's list, which has also what it caught itself.
    void unsupported() {
        std::multiset<std::string> listed;
        for (const json& one : list(m_case, "unsupported_raised")) {
            const std::string message = stringField(one, "msg");
            if (!message.starts_with(stringField(one, "first_line")))
                return add("unsupported", "the first line of '" + message + "' is not '" +
                                              stringField(one, "first_line") + '\'');
            if (end(stringField(one, "compile_id"), natural(one, "attempt")) == nullptr)
                return add("unsupported", "there is no attempt " + stringField(one, "compile_id") + '#' +
                                              field(one, "attempt").dump());
            const std::string attempt =
                stringField(one, "compile_id") + '#' + std::to_string(natural(one, "attempt")) + ' ';
            const std::string rest = masked(message) + ' ' + field(one, "user_stack").dump();
            if (const std::string known = brokenElsewhere(attempt, masked(message), one); !known.empty())
                return add("unsupported", known);
            listed.insert(attempt + stringField(one, "gb_type") + ": " + rest);
        }
        for (const EventInfo& event : m_recording.events()) {
            if (event.tag != Tag::Raised || event.type != "Unsupported" || event.text.empty() ||
                event.attempt >= m_recording.attempts().size())
                continue;
            const AttemptInfo& attempt = m_recording.attempts()[event.attempt];
            const std::string one = attempt.compileId + '#' + std::to_string(attempt.number) + ' ' +
                                    event.gbType + ": " + masked(event.text) + ' ' + stackOf(event).dump();
            if (!listed.contains(one)) return add("unsupported", "not in the list: " + one);
        }
        add("unsupported", {});
    }

    /// What became a break has its attempt, type and stack; a callee's is the end of its callers'.
    [[nodiscard]] std::string brokenElsewhere(const std::string& attempt, const std::string& message,
                                              const json& one) const {
        std::string nearest;
        const json& stack = field(one, "user_stack");
        for (const EventInfo& event : m_recording.events()) {
            if (event.tag != Tag::Break || event.attempt >= m_recording.attempts().size() ||
                masked(event.text).find(message) == std::string::npos)
                continue;
            const AttemptInfo& info = m_recording.attempts()[event.attempt];
            if (info.compileId != stringField(one, "compile_id")) continue;
            json recorded = stackOf(event);
            while (stack.is_array() && recorded.size() > stack.size())
                recorded.erase(0);
            nearest = info.compileId + '#' + std::to_string(info.number) + ' ' + event.gbType + ' ' +
                      recorded.dump();
            if (nearest == attempt + stringField(one, "gb_type") + ' ' + stack.dump()) return {};
        }
        return nearest.empty()
                   ? nearest
                   : differ("break", attempt + stringField(one, "gb_type") + ' ' + stack.dump(), nearest);
    }

    const json& m_case;
    const Recording& m_recording;
    CaseReport& m_report;
    bool m_sameRun = false; ///< it came to the same compiles and graphs
};

} // namespace

void judgeProgram(const json& oracleCase, const JudgeOptions& options, CaseReport& report) {
    const std::string path =
        options.recordings.empty() ? std::string() : options.recordings + '/' + report.name + ".dsteps";
    std::error_code ignored;
    if (path.empty() || !std::filesystem::exists(path, ignored)) {
        report.parts.push_back(
            {"case", CaseVerdict::Skipped, "a program needs a recording: --recordings FOLDER"});
        return;
    }
    const auto recording = Recording::open(path);
    if (!recording) {
        report.parts.push_back({"recording", CaseVerdict::Failed, recording.error().toString()});
        return;
    }
    judgeProgram(oracleCase, **recording, report);
}

void judgeProgram(const json& oracleCase, const Recording& recording, CaseReport& report) {
    ProgramJudge(oracleCase, recording, report).run();
}

} // namespace dynascope::engine
