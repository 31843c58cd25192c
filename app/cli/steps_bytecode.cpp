// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/steps_state.h"
#include "core/base/words.h"
#include "core/dynamo/generated_code.h"

namespace dynascope::cli {

using namespace dynamo;
using nlohmann::json;

namespace {

std::string placed(std::string_view indent, const BytecodeLine& line, std::uint32_t& shown) {
    constexpr std::size_t lineWidth = 5;
    std::string number = line.line != 0 && line.line != shown ? std::to_string(line.line) : std::string();
    if (line.line != 0) shown = line.line;
    if (number.size() < lineWidth) number.insert(0, lineWidth - number.size(), ' ');
    return std::string(indent) + number + ' ' + bytecodeLineText(line) + '\n';
}

std::string originalText(const Code& code) {
    std::string out;
    std::uint32_t shown = 0;
    for (const BytecodeLine& line : bytecodeLines(code))
        out += placed("    ", line, shown);
    return out;
}

std::string generatedText(const GeneratedBytecode& code) {
    std::string out;
    std::uint32_t shown = 0;
    for (std::size_t i = 0; i < code.lines.size(); ++i) {
        const BytecodeLine& line = code.lines[i];
        if (line.phase != CodePhase::Unknown && (i == 0 || code.lines[i - 1].phase != line.phase)) {
            out.append("    -- ").append(codePhaseName(line.phase)).append(": ");
            out.append(codePhaseText(line.phase)).append("\n");
        }
        out += placed("    ", line, shown);
    }
    return out;
}

std::string titleOf(const Recording& recording, const GeneratedBytecode& code) {
    std::string out;
    if (code.compile < recording.compiles().size()) out = idText(recording.compiles()[code.compile]) + ' ';
    out += code.name + ' ' + std::string(baseName(code.file)) + ':' + std::to_string(code.firstLine);
    if (code.role == GeneratedBytecode::Role::Compiled) return out + ", compiled\n";
    out += ", resume function";
    if (const Code* original = recording.code(code.original)) out += " of " + original->name;
    return out + (code.step == noStep ? "\n" : ", made at step " + std::to_string(code.step) + '\n');
}

json lineJson(const BytecodeLine& line) {
    json out = {{"offset", line.offset}, {"op", line.op}, {"argument", line.argument}};
    if (line.line != 0) out["line"] = line.line;
    if (line.phase != CodePhase::Unknown) out["phase"] = codePhaseName(line.phase);
    if (line.target != UINT32_MAX) out["target"] = line.target;
    return out;
}

json linesJson(const std::vector<BytecodeLine>& lines) {
    json out = json::array();
    for (const BytecodeLine& line : lines)
        out.push_back(lineJson(line));
    return out;
}

} // namespace

std::string bytecodeText(const Recording& recording) {
    std::string out;
    for (const GeneratedBytecode& code : generatedCodes(recording)) {
        out += titleOf(recording, code);
        // A resume function holds the original itself.
        const Code* original =
            code.role == GeneratedBytecode::Role::Compiled ? recording.code(code.original) : nullptr;
        if (original != nullptr) out += "  original\n" + originalText(*original);
        out += "  generated\n" + generatedText(code);
    }
    return out.empty() ? "no bytecode was generated\n" : out;
}

json bytecodeJson(const Recording& recording) {
    json out = json::array();
    for (const GeneratedBytecode& code : generatedCodes(recording)) {
        const Code* original = recording.code(code.original);
        json one = {{"role", code.role == GeneratedBytecode::Role::Compiled ? "compiled" : "resume"},
                    {"name", code.name},
                    {"file", code.file},
                    {"first_line", code.firstLine},
                    {"generated", linesJson(code.lines)}};
        if (code.compile < recording.compiles().size())
            one["compile_id"] = recording.compiles()[code.compile].id;
        if (code.step != noStep) one["step"] = code.step;
        if (original != nullptr) {
            one["of"] = original->name;
            one["original"] = linesJson(bytecodeLines(*original));
        }
        out.push_back(std::move(one));
    }
    return out;
}

} // namespace dynascope::cli
