// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/search.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/dynamo/describe.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace dynascope::dynamo {

namespace {

class Search {
public:
    Search(const Recording& recording, std::string_view text)
        : m_recording(recording)
        , m_wanted(lowered(text)) {}

    /// False if the task was cancelled.
    bool steps(const TaskContext& task) {
        const std::vector<StepInfo>& steps = m_recording.steps();
        std::uint32_t attempt = UINT32_MAX;
        for (StepIndex step = 0; step < steps.size(); ++step) {
            if (step % 65536 == 0 && task.cancelled()) return false;
            const FrameInfo& frame = m_recording.frames()[steps[step].frame];
            if (frame.attempt != attempt) {
                // Attempts nest, so that one may go on here. Its counts do as well.
                attempt = frame.attempt;
                m_counts = &m_countsOf[attempt];
            }
            const Code* code = m_recording.code(frame.code);
            if (!code) continue;
            if (frame.first == step && holds(code->name))
                add({SearchHit::Kind::Function, step, code->name, placeOf(*code, code->firstLine), 1});
            take(step, frame.code, *code, steps[step].instruction);
        }
        return true;
    }

    void births() {
        std::uint32_t attempt = UINT32_MAX;
        const State* last = nullptr;
        const auto enter = [&](const Birth& birth) {
            if (birth.step >= m_recording.steps().size()) return false;
            if (birth.attempt != attempt) last = m_recording.stateAfter(attempt = birth.attempt);
            return last != nullptr && birth.id > 0;
        };
        for (const Birth& birth : m_recording.nodeBirths()) {
            if (!enter(birth) || birth.id > last->nodes.size()) continue;
            const NodeInfo node = m_recording.node(*last, birth.id);
            std::string text =
                std::string(node.name) + " = " + std::string(node.op) + ' ' + std::string(node.target);
            if (holds(text))
                add({SearchHit::Kind::Node, birth.step, std::move(text), placeAt(birth.step), 1});
        }
        for (const Birth& birth : m_recording.guardBirths()) {
            if (!enter(birth) || birth.id > last->guards.size()) continue;
            std::string text = guardText(m_recording, last->guards[birth.id - 1]);
            if (holds(text))
                add({SearchHit::Kind::Guard, birth.step, std::move(text), placeAt(birth.step), 1});
        }
    }

    void events() {
        for (const EventInfo& event : m_recording.events()) {
            if (event.step >= m_recording.steps().size()) continue;
            if (!holds(event.text) && !holds(event.type) && !holds(event.gbType)) continue;
            const std::string& text = event.gbType.empty() ? event.text : event.gbType;
            add({SearchHit::Kind::Event, event.step, std::string(firstLine(text)), placeAt(event.step), 1});
        }
    }

    SearchResult result(std::size_t most) {
        std::stable_sort(m_hits.begin(), m_hits.end(),
                         [](const SearchHit& a, const SearchHit& b) { return a.step < b.step; });
        SearchResult out{std::move(m_hits), false};
        out.more = out.hits.size() > most;
        if (out.more) out.hits.resize(most);
        return out;
    }

private:
    /// Index of a hit, by what it was found at: an instruction, or a line of a code object.
    using Counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t>;
    /// Of a code object, by instruction: whether it or its line holds what is looked for.
    struct Marks {
        std::vector<bool> instruction, line;
    };

    [[nodiscard]] bool holds(std::string_view text) const { return containsLowered(text, m_wanted); }

    static std::string wordsOf(const Instruction& instruction) {
        std::string out(instruction.op);
        if (!instruction.text.empty()) out.append(" ").append(instruction.text);
        return out;
    }

    static std::string placeOf(const Code& code, std::uint32_t line) {
        return code.name + ' ' + std::string(baseName(code.file)) + ':' + std::to_string(line);
    }

    [[nodiscard]] std::string placeAt(StepIndex step) const {
        const Instruction* instruction = m_recording.instructionAt(step);
        const Code& code = m_recording.codeOf(m_recording.frames()[m_recording.steps()[step].frame]);
        return placeOf(code, instruction ? instruction->line : code.firstLine);
    }

    const Marks& marksOf(std::uint32_t id, const Code& code) {
        const auto [at, isNew] = m_marks.try_emplace(id);
        if (!isNew) return at->second;
        std::uint32_t line = 0;
        bool inLine = false;
        for (const Instruction& instruction : code.instructions) {
            if (instruction.line != line)
                inLine = holds(m_recording.sourceLine(code.file, line = instruction.line));
            at->second.line.push_back(inLine);
            at->second.instruction.push_back(holds(wordsOf(instruction)));
        }
        return at->second;
    }

    void take(StepIndex step, std::uint32_t id, const Code& code, std::uint32_t index) {
        const Marks& marks = marksOf(id, code);
        if (index >= marks.line.size()) return;
        const Instruction& instruction = code.instructions[index];
        if (marks.instruction[index])
            count({id, index}, {SearchHit::Kind::Instruction, step, wordsOf(instruction),
                                placeOf(code, instruction.line), 1});
        // A line counts when it begins: not again at each of its instructions.
        const bool begins = index == 0 || code.instructions[index - 1].line != instruction.line;
        if (marks.line[index]) {
            const std::pair key{id, UINT32_MAX - instruction.line};
            if (begins || m_counts->find(key) == m_counts->end())
                count(key, {SearchHit::Kind::Source, step,
                            std::string(trimmed(m_recording.sourceLine(code.file, instruction.line))),
                            placeOf(code, instruction.line), 1});
        }
    }

    void count(const std::pair<std::uint32_t, std::uint32_t>& key, SearchHit hit) {
        const auto [at, isNew] = m_counts->try_emplace(key, m_hits.size());
        if (isNew)
            m_hits.push_back(std::move(hit));
        else
            ++m_hits[at->second].times;
    }

    void add(SearchHit hit) { m_hits.push_back(std::move(hit)); }

    const Recording& m_recording;
    std::string m_wanted;
    std::vector<SearchHit> m_hits;
    std::unordered_map<std::uint32_t, Counts> m_countsOf; ///< by attempt
    Counts* m_counts = nullptr;
    std::unordered_map<std::uint32_t, Marks> m_marks; ///< by code
};

} // namespace

Result<SearchResult> searchRecording(const Recording& recording, std::string_view text,
                                     const TaskContext& task, std::size_t most) {
    text = trimmed(text);
    if (text.empty()) return SearchResult{};
    Search search(recording, text);
    if (!search.steps(task)) return cancellation();
    search.births();
    search.events();
    if (task.cancelled()) return cancellation();
    return search.result(most);
}

} // namespace dynascope::dynamo
