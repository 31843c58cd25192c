// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/generated_code.h"

#include "core/base/json.h"
#include "core/dynamo/documents.h"

#include <algorithm>
#include <array>

namespace dynascope::dynamo {

namespace json = capture::json;
using json::element;

namespace {

struct PhaseWords {
    CodePhase phase;
    std::string_view name, text;
};

constexpr std::array<PhaseWords, 13> phaseWords{{
    {CodePhase::Unknown, "", "The recording does not say what this is for."},
    {CodePhase::Entry, "entry",
     "Begins the function: cells, random numbers and aliases that the graph needs."},
    {CodePhase::GraphCall, "graph call", "Loads the graph's inputs, calls it and keeps its outputs."},
    {CodePhase::NewObjects, "new objects",
     "Side effects, first phase: builds the objects that the function made and that outlive the graph."},
    {CodePhase::Reconstruction, "stack and locals",
     "Puts together the value stack and the locals that the rest of the function needs."},
    {CodePhase::Load, "load", "Side effects, first phase: loads the new contents of changed objects."},
    {CodePhase::Store, "store",
     "Side effects, second phase: stores the new contents, beginning with the object that was tracked last."},
    {CodePhase::Instruction, "instruction",
     "The instruction at which the graph breaks, carried out by Python."},
    {CodePhase::Blocks, "blocks", "Enters with blocks again around that instruction, and leaves them."},
    {CodePhase::Resume, "resume", "Packs stack and locals, and calls the resume function."},
    {CodePhase::Return, "return", "Returns the result."},
    {CodePhase::Prologue, "prologue",
     "Takes over stack and locals, enters with blocks again, and jumps to where the function goes on."},
    {CodePhase::Original, "original", "The program's own instructions."},
}};

const PhaseWords& wordsOf(CodePhase phase) {
    return *std::find_if(phaseWords.begin(), phaseWords.end(),
                         [phase](const PhaseWords& words) { return words.phase == phase; });
}

CodePhase phaseNamed(std::string_view name) {
    const auto found = std::find_if(phaseWords.begin(), phaseWords.end(),
                                    [name](const PhaseWords& words) { return words.name == name; });
    return found == phaseWords.end() ? CodePhase::Unknown : found->phase;
}

/// A column of numbers beside the instructions; what is null or out of range is left as it was.
template <typename Set>
void readColumn(const element& object, std::string_view key, std::vector<BytecodeLine>& lines, Set set) {
    simdjson::dom::array column;
    if (object[key].get(column) != simdjson::SUCCESS) return;
    std::size_t i = 0;
    for (const element item : column) {
        if (i == lines.size()) return;
        std::int64_t number = 0;
        if (item.get(number) == simdjson::SUCCESS && number >= 0 && number <= INT32_MAX)
            set(lines[i], static_cast<std::uint32_t>(number));
        ++i;
    }
}

void readPhases(const element& object, std::vector<BytecodeLine>& lines) {
    simdjson::dom::array runs;
    if (object["phases"].get(runs) != simdjson::SUCCESS) return;
    std::size_t at = 0;
    for (const element item : runs) {
        simdjson::dom::array run;
        std::uint64_t many = 0;
        std::string_view name;
        if (item.get(run) != simdjson::SUCCESS || run.size() < 2 ||
            run.at(0).get(many) != simdjson::SUCCESS || run.at(1).get(name) != simdjson::SUCCESS)
            return;
        const CodePhase phase = phaseNamed(name);
        for (; many > 0 && at < lines.size(); --many)
            lines[at++].phase = phase;
    }
}

std::vector<BytecodeLine> readLines(const element& object) {
    std::vector<BytecodeLine> out;
    for (const std::string& text : texts(object, "instructions")) {
        const std::size_t space = std::min(text.find(' '), text.size());
        BytecodeLine& line = out.emplace_back();
        line.op = text.substr(0, space);
        line.argument = text.substr(std::min(space + 1, text.size()));
    }
    readColumn(object, "offsets", out,
               [](BytecodeLine& line, std::uint32_t n) { line.offset = static_cast<std::int32_t>(n); });
    readColumn(object, "lines", out, [](BytecodeLine& line, std::uint32_t n) { line.line = n; });
    readColumn(object, "targets", out, [&out](BytecodeLine& line, std::uint32_t n) {
        if (n < out.size()) line.target = n;
    });
    readPhases(object, out);
    return out;
}

} // namespace

std::string_view codePhaseName(CodePhase phase) {
    return wordsOf(phase).name;
}

std::string_view codePhaseText(CodePhase phase) {
    return wordsOf(phase).text;
}

std::vector<GeneratedBytecode> generatedCodes(const Recording& recording) {
    std::vector<GeneratedBytecode> out;
    simdjson::dom::parser parser;
    for (const DocumentInfo& document : recording.documents()) {
        if (document.tag != Tag::CompileEnd && document.tag != Tag::Output) continue;
        const std::string text = recording.text(document);
        element whole, code;
        if (parser.parse(text).get(whole) != simdjson::SUCCESS) continue;
        const bool compiled = document.tag == Tag::CompileEnd;
        if (compiled && whole["code"].get(code) != simdjson::SUCCESS) continue;
        if (!compiled) code = whole;
        GeneratedBytecode made;
        made.role = compiled ? GeneratedBytecode::Role::Compiled : GeneratedBytecode::Role::Resume;
        made.name = json::text(code, "name");
        made.file = json::text(code, "file");
        made.firstLine = static_cast<std::uint32_t>(std::max(json::smallInteger(code, "first_line", 0), 0));
        made.original = static_cast<std::uint32_t>(std::max(json::smallInteger(code, "original", 0), 0));
        made.compile = document.compile;
        made.attempt = document.attempt;
        made.step = document.step;
        made.lines = readLines(code);
        out.push_back(std::move(made));
    }
    return out;
}

std::vector<BytecodeLine> bytecodeLines(const Code& code) {
    std::vector<BytecodeLine> out;
    out.reserve(code.instructions.size());
    for (const Instruction& instruction : code.instructions) {
        BytecodeLine& line = out.emplace_back();
        line.offset = instruction.offset;
        line.line = instruction.line;
        line.op = instruction.op;
        line.argument = instruction.text;
        line.phase = CodePhase::Original;
        if (instruction.target >= 0) line.target = static_cast<std::uint32_t>(instruction.target);
    }
    return out;
}

std::string bytecodeLineText(const BytecodeLine& line, std::size_t width) {
    const std::string offset = line.offset < 0 ? std::string() : std::to_string(line.offset);
    std::string out(width - std::min(width, offset.size()), ' ');
    out.append(offset).append("  ").append(line.op);
    if (!line.argument.empty()) out.append(" ").append(line.argument);
    return out;
}

} // namespace dynascope::dynamo
